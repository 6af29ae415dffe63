//! `diskspd trace`: its grammar.

use super::Invocation;
use super::error::CliError;
use super::own_option::{self, OptionRow, OwnOption, own, own_path};
use crate::profile::RawText;
use crate::trace::RateChoice;
use crate::trace::formats::RequestView;
use std::ffi::OsString;
use std::path::PathBuf;

/// What is looked at, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceRequest {
    /// Where the I/Os come from.
    pub source: TracedSource,
    /// `--out`: where the profile goes; `None` = nowhere.
    pub out: Option<PathBuf>,
    /// `--requests`: where a device's I/Os are looked at.
    pub view: RequestView,
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
pub const ROWS: [OptionRow; OWN.len()] = own_option::rows(&OWN);

/// What is given, before it is looked at together.
#[derive(Default)]
struct TraceOptions {
    seconds: Option<u32>,
    out: Option<PathBuf>,
    rate: RateChoice,
    view: RequestView,
    from: Option<PathBuf>,
    stream: Option<String>,
}

const OWN: [OwnOption<TraceOptions>; 6] = [
    own(
        "-d",
        "<seconds>",
        "how long to trace the device; Ctrl-C ends it earlier",
        |given: &mut TraceOptions, value| {
            let seconds = value.parse::<u32>().ok().filter(|seconds| *seconds > 0);
            given.seconds = Some(seconds.ok_or("a number of seconds, at least 1, without a blank: -d60")?);
            Ok(())
        },
    )
    .or("60"),
    own_path(
        "--out",
        "<file>",
        "write the profile to this file, as XML for -X; - is standard output",
        |given, path| given.out = Some(path),
    ),
    own(
        "--rate",
        "seen|none",
        "seen: limit the profile to the traced I/Os per second; none: no limit",
        |given: &mut TraceOptions, value| {
            given.rate = match value {
                "seen" => RateChoice::AsSeen,
                "none" => RateChoice::Unlimited,
                _ => return Err("seen, or none".into()),
            };
            Ok(())
        },
    )
    .or("seen")
    .words(&["seen", "none"]),
    own(
        "--requests",
        "asked|driver",
        "asked: as programs and file systems ask for them; driver: as the device's driver gets \
        them, with neighbours merged",
        |given: &mut TraceOptions, value| {
            given.view = match value {
                "asked" => RequestView::Asked,
                "driver" => RequestView::Driver,
                _ => return Err("asked, or driver".into()),
            };
            Ok(())
        },
    )
    .or("asked")
    .words(&["asked", "driver"]),
    own_path(
        "--from",
        "<file>",
        "read this file instead: a log of --io-log, text of blkparse, an iolog of fio",
        |given, path| given.from = Some(path),
    ),
    own(
        "--stream-of",
        "<name>",
        "of a file with several targets, read the I/Os of this one",
        |given, value| {
            given.stream = Some(value.to_owned());
            Ok(())
        },
    ),
];

/// Reads what follows the word `trace`.
///
/// # Errors
/// It makes no sense.
pub fn read(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let mut options = TraceOptions::default();
    let given = own_option::read_all(&OWN, &mut options, arguments)?;
    let TraceOptions { seconds, out, rate, view, from, stream } = options;
    let path = |word: &OsString| RawText::from(word.as_encoded_bytes().to_vec()).as_path().to_owned();
    let source = match (from, &given.words[..]) {
        (Some(file), []) => {
            if seconds.is_some() {
                return Err(CliError::new(
                    "-d and --from exclude each other: -d is the time to trace a device",
                )
                .hint("leave -d out"));
            }
            TracedSource::File { path: file, stream }
        }
        (Some(_), _) => {
            return Err(
                CliError::new("--from reads a file, but a device is named too").hint("name one of them")
            );
        }
        (None, [device]) => {
            if stream.is_some() {
                return Err(CliError::new("--stream-of needs --from")
                    .hint("leave it out, or name a file with --from"));
            }
            TracedSource::Device { path: path(device), seconds: seconds.unwrap_or(SECONDS) }
        }
        (None, []) => {
            return Err(CliError::new("trace: no device is named")
                .hint("diskspd trace /dev/sdb -d60 --out profile.xml; diskspd devices lists them"));
        }
        (None, several) => {
            return Err(CliError::new(format!("trace takes one device, not {}", several.len()))
                .hint("trace them one by one: each gets a profile of its own"));
        }
    };
    Ok(Invocation::Trace(TraceRequest { source, out, view, rate }))
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
            ("/dev/sda /dev/sdb", "takes one device, not 2"),
            ("/dev/sda --from io.csv", "a device is named too"),
            ("--from io.csv -d5", "-d and --from exclude each other"),
            ("/dev/sda --stream-of 8,0", "--stream-of needs --from"),
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
