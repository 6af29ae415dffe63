//! `diskspd trace`: its grammar.

use super::Command;
use crate::cli::Invocation;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::option::OptionValue::{File, Number, OneOf};
use crate::cli::option::{OUT, OptionRow, row, text};
use crate::cli::requests::{TraceRequest, TracedSource};
use crate::trace::RateChoice;
use crate::trace::formats::RequestView;

/// Default observation time of a device in s.
const SECONDS: u32 = 60;

const DURATION: OptionRow = OptionRow {
    example: "60",
    ..row(
        "-d",
        Number { min: 1, max: u32::MAX, of: "seconds" },
        "how many seconds to trace the device; Ctrl-C ends it earlier",
    )
    .with_default("60")
};
const PROFILE: OptionRow =
    OUT.with_help("write the profile to this file, as XML for -X; - is standard output");
const RATE: OptionRow = row(
    "--rate",
    OneOf(&["seen", "none"]),
    "seen: limit the profile to the traced I/Os per second; none: no limit",
)
.with_default("seen");
const REQUESTS: OptionRow = row(
    "--requests",
    OneOf(&["asked", "driver"]),
    "asked: as programs and file systems submit them; driver: as the device's driver gets them, with \
     neighbours merged",
)
.with_default("asked");
const FROM: OptionRow =
    row("--from", File, "read this file instead: a log of --io-log, text of blkparse, an iolog of fio");
const STREAM: OptionRow =
    text("--stream-of", "<name>", "", "of a file with several targets, read the I/Os of this one");

pub(super) const TRACE: Command = Command {
    name: "trace",
    arguments: "<device> [-d<seconds>] [<option> ..], or --from <file> [<option> ..]",
    help: "trace a device, or read recorded I/Os, and write a profile of the same workload, with its \
           goodness of fit",
    options: &[DURATION, PROFILE, RATE, REQUESTS, FROM, STREAM],
    exclusive: &[&[DURATION, FROM]],
    takes: Operands::Files,
    examples: &[
        (
            "diskspd trace /dev/nvme0n1 -d60 --out profile.xml",
            "trace it for a minute, and write a profile of the same workload",
        ),
        ("diskspd trace --from log.csv", "summarize recorded I/Os"),
    ],
    make: build_invocation,
};

fn build_invocation(line: CommandLine) -> Result<Invocation, CliError> {
    let rate = match line.text(&RATE).as_deref() {
        Some("none") => RateChoice::Unlimited,
        _ => RateChoice::AsSeen,
    };
    let view = match line.text(&REQUESTS).as_deref() {
        Some("driver") => RequestView::Driver,
        _ => RequestView::Asked,
    };
    let request = TraceRequest { source: read_source(&line)?, out: line.path(&PROFILE)?, view, rate };
    Ok(Invocation::Trace(request))
}

fn read_source(line: &CommandLine) -> Result<TracedSource, CliError> {
    let stream = line.text(&STREAM);
    match (line.path(&FROM)?, &line.files()[..]) {
        (Some(path), []) => Ok(TracedSource::File { path, stream }),
        (Some(_), _) => {
            Err(CliError::new("--from reads a file, but a device is named too")
                .hint("give only one of the two"))
        }
        (None, [_]) if stream.is_some() => {
            Err(CliError::new("--stream-of needs --from").hint("leave it out, or name a file with --from"))
        }
        (None, [device]) => {
            let seconds = line.number(&DURATION).unwrap_or(SECONDS);
            Ok(TracedSource::Device { path: device.clone(), seconds })
        }
        (None, []) => Err(CliError::new("trace: no device is named")
            .hint("diskspd trace /dev/sdb -d60 --out profile.xml; diskspd devices lists them")),
        (None, several) => Err(CliError::new(format!("trace takes one device, not {}", several.len()))
            .hint("trace them one by one: each gets its own profile")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;
    use super::*;

    fn parse_request(line: &str) -> Result<TraceRequest, CliError> {
        match parsed(&format!("trace {line}"))? {
            Invocation::Trace(request) => Ok(request),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn trace_accepts_a_device_or_a_file() {
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
            assert_eq!(parse_request(line).unwrap().source, source, "{line}");
        }
        assert_eq!(parse_request("sdb --rate none").unwrap().rate, RateChoice::Unlimited);
        assert_eq!(parse_request("sdb --out p.xml").unwrap().out, Some("p.xml".into()));
    }

    #[test]
    fn invalid_arguments_have_reason() {
        for (line, why) in [
            ("", "no device is named"),
            ("/dev/sda /dev/sdb", "takes one device, not 2"),
            ("/dev/sda --from io.csv", "a device is named too"),
            ("--from io.csv -d5", "-d and --from exclude each other"),
            ("/dev/sda --stream-of 8,0", "--stream-of needs --from"),
            ("/dev/sda -d0", "-d: this value is not possible"),
            ("/dev/sda -d 5", "-d: this value is not possible"),
            ("/dev/sda --rate fast", "--rate: this value is not possible"),
            ("/dev/sda -w5", "-w5 is not an option of trace"),
        ] {
            let error = parse_request(line).unwrap_err();
            assert!(error.what.contains(why), "{line}: {error}");
        }
    }
}
