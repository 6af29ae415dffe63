//! `diskspd trace`: its grammar.

use super::Invocation;
use super::error::CliError;
use super::flag::Form;
use super::words::{self, Known};
use crate::profile::RawText;
use crate::trace::RateChoice;
use std::ffi::OsString;
use std::path::PathBuf;

/// What is looked at, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceRequest {
    /// Where the I/Os come from.
    pub source: TracedSource,
    /// `--out`: where the profile goes; `None` = nowhere.
    pub out: Option<PathBuf>,
    /// `--rate`: whether the profile keeps to the speed that was seen.
    pub rate: RateChoice,
}

/// Where the I/Os come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TracedSource {
    /// A device that is watched.
    Device {
        /// Its path.
        path: PathBuf,
        /// `-d`: for so many seconds, at least 1.
        seconds: u32,
    },
    /// `--from`: recorded I/Os.
    File {
        /// The file.
        path: PathBuf,
        /// `--stream-of`: the target whose I/Os are taken, as the file calls it.
        stream: Option<String>,
    },
}

/// How long a device is watched unless `-d` says it, s.
const SECONDS: u32 = 60;

/// For the help.
pub const OPTIONS: &[Form] = &[
    ("-d", "-d<seconds>: how long the device is watched; default 60; Ctrl-C ends it earlier"),
    ("--out", "write the profile to this file, as XML for -X; - is standard output"),
    ("--rate", "seen (default): the profile keeps to the I/Os per second that were seen; none: no limit"),
    ("--from", "look at this file instead: a log of --io-log, text of blkparse, an iolog of fio"),
    ("--stream-of", "of a file with I/Os on several targets take those on this one"),
];

const KNOWN: &[Known] = &[("--out", true), ("--rate", true), ("--from", true), ("--stream-of", true)];

/// Reads what follows the word `trace`.
///
/// # Errors
/// It makes no sense.
pub fn read(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let (times, others): (Vec<OsString>, Vec<OsString>) =
        arguments.iter().cloned().partition(|argument| argument.as_encoded_bytes().starts_with(b"-d"));
    let seconds = times.last().map(seconds).transpose()?;
    let given = words::read(&others, KNOWN)?;
    let rate = given.parsed("--rate", "seen, or none", |text| match text {
        "seen" => Some(RateChoice::AsSeen),
        "none" => Some(RateChoice::Unlimited),
        _ => None,
    })?;
    let path = |word: &OsString| RawText::from(word.as_encoded_bytes().to_vec()).as_path().to_owned();
    let source = match (given.path("--from"), &given.words[..]) {
        (Some(file), []) => {
            if seconds.is_some() {
                return Err(CliError::new("-d says how long a device is watched, and --from names a file")
                    .hint("leave -d out"));
            }
            TracedSource::File { path: file, stream: given.value("--stream-of") }
        }
        (Some(_), _) => {
            return Err(CliError::new("--from names a file to look at, and a device is named too")
                .hint("name one of them"));
        }
        (None, [device]) => {
            if given.has("--stream-of") {
                return Err(CliError::new("--stream-of chooses I/Os of a file, and none is named")
                    .hint("leave it out, or name a file with --from"));
            }
            TracedSource::Device { path: path(device), seconds: seconds.unwrap_or(SECONDS) }
        }
        (None, []) => {
            return Err(CliError::new("trace: no device is named")
                .hint("diskspd trace /dev/sdb -d60 --out profile.xml; diskspd devices lists them"));
        }
        (None, several) => {
            return Err(CliError::new(format!("{} devices are named, and one is watched", several.len()))
                .hint("watch them one by one: each has a profile of its own"));
        }
    };
    Ok(Invocation::Trace(TraceRequest { source, out: given.path("--out"), rate: rate.unwrap_or_default() }))
}

/// Reads `-d60`.
fn seconds(argument: &OsString) -> Result<u32, CliError> {
    let text = argument.to_string_lossy();
    let seconds = text.get(2..).and_then(|digits| digits.parse::<u32>().ok()).filter(|seconds| *seconds > 0);
    seconds.ok_or_else(|| {
        let error = CliError::at(argument.as_encoded_bytes(), 2, "-d: this value is not possible");
        CliError { expected: Some("a number of seconds, at least 1, without a blank: -d60".into()), ..error }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<TraceRequest, CliError> {
        let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        match read(&arguments)? {
            Invocation::Trace(request) => Ok(request),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_device_is_watched_or_a_file_is_read() {
        let device = |path: &str, seconds| TracedSource::Device { path: path.into(), seconds };
        let file = |stream: Option<&str>| TracedSource::File {
            path: "io.csv".into(),
            stream: stream.map(str::to_owned),
        };
        for (line, source) in [
            ("/dev/sdb", device("/dev/sdb", 60)),
            ("-d5 /dev/sdb --out p.xml", device("/dev/sdb", 5)),
            ("--from io.csv", file(None)),
            ("--from=io.csv --stream-of 8,0 --rate none", file(Some("8,0"))),
        ] {
            assert_eq!(parsed(line).unwrap().source, source, "{line}");
        }
        assert_eq!(parsed("sdb --rate none").unwrap().rate, RateChoice::Unlimited);
        assert_eq!(parsed("sdb --out p.xml").unwrap().out, Some("p.xml".into()));
    }

    #[test]
    fn what_cannot_be_is_explained() {
        for (line, why) in [
            ("", "no device is named"),
            ("/dev/sda /dev/sdb", "2 devices are named"),
            ("/dev/sda --from io.csv", "a device is named too"),
            ("--from io.csv -d5", "--from names a file"),
            ("/dev/sda --stream-of 8,0", "none is named"),
            ("/dev/sda -d0", "-d: this value is not possible"),
            ("/dev/sda -d 5", "-d: this value is not possible"),
            ("/dev/sda --rate fast", "--rate: this value is not possible"),
            ("/dev/sda -w5", "unknown option"),
        ] {
            let error = parsed(line).unwrap_err();
            assert!(error.what.contains(why), "{line}: {error}");
        }
    }
}
