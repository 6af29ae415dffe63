//! Destinations of reports, and messages.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Flag, LINUX, Name::Long, Read, Scope};
use crate::cli::{OutRequest, StreamRequest};
use crate::profile::RawText;
pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Long("out"),
        forms: &[
            (
                "--out <file>",
                "write another report to this file, in the format of its extension; may be repeated",
            ),
            (
                "--out <form>:<file>",
                "the same in this format: text, xml, json, html (a page), csv (by intervals, -D), prom or \
                 openmetrics (metrics)",
            ),
        ],
        default: "standard output only",
        scope: Scope::Invocation,
        repeats: true,
        notes: "Files are created before the run and written as a whole after each time span; pipes and \
                devices get one report, at the end. - is standard output: the named report then replaces the \
                text report there. A record (json) holds everything; diskspd report prints it again.",
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "outputs", "reports", "schemas", "records"],
        read: Read::Text(read_out),
        ..LINUX
    },
    Flag {
        name: Long("stream"),
        forms: &[
            (
                "--stream <file>",
                "write a line of JSON for each interval during the run; - is standard output, fd:<n> an \
                 open descriptor",
            ),
            (
                "--stream <format>:<file>",
                "the same in this format: json, influx (InfluxDB's line protocol), or prom (metrics of the \
                 latest interval, which replace earlier ones)",
            ),
        ],
        default: "no lines",
        scope: Scope::Invocation,
        notes: "Intervals are set by -D, at least 100 ms; without -D a second. If the reader is too slow, \
                lines are left out and counted. Without a format the extension sets it: .lp and .influx, \
                .prom; all others are JSON.",
        carried: CarriedByFile::UserOnly,
        tested: &["outputs", "reports", "schemas"],
        read: Read::Text(read_stream),
        ..LINUX
    },
    Flag {
        name: Long("io-log"),
        forms: &[(
            "--io-log <file>",
            "log every I/O to this file, a line each (CSV); - is standard output, so that the report needs \
             another place (--out)",
        )],
        default: "no log",
        scope: Scope::Invocation,
        notes: "thread,target,direction,offset,size,start_ns,latency_ns,due_ns; start counts from the start \
                signal of the time span, warm-up and cool-down included. The log never slows the run down: \
                I/Os that come faster than they can be written are left out, and their number is reported at \
                the end.",
        carried: CarriedByFile::UserOnly,
        tested: &["loop_options", "outputs", "bad_input"],
        read: Read::Text(io_log),
        ..LINUX
    },
    Flag {
        name: Long("xml-verdict"),
        forms: &[(
            "--xml-verdict",
            "append verdict and findings to each TimeSpan and System of the XML results",
        )],
        default: "the XML has only what DISKSPD's has",
        scope: Scope::Invocation,
        notes: "Adds the elements DeviceVerdict and Findings; all that is before them is unchanged.",
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "verdict_lines", "truth_device"],
        read: Read::Switch(|draft| draft.request.xml_verdict = true),
        ..LINUX
    },
    Flag {
        name: Long("text-verdict"),
        forms: &[("--text-verdict", "append verdict and findings to the text report")],
        default: "the text report has only what DISKSPD's has; verdict and findings go to standard error",
        scope: Scope::Invocation,
        notes: "Use it with > result.txt or --out result.txt: without it the file has figures but no \
                verdict. They follow a line 'Verdict:'; all that is before it is unchanged. They are also \
                printed on standard error.",
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "verdict_lines"],
        read: Read::Switch(|draft| draft.request.text_verdict = true),
        ..LINUX
    },
    Flag {
        name: Long("strict"),
        forms: &[(
            "--strict",
            "exit code 2 if the figures are wrong, or the device's counters cannot confirm them (no \
             device: exit code 0)",
        )],
        default: "findings are printed, the exit code is 0",
        scope: Scope::Invocation,
        notes: "For scripts. Verdicts and findings printed as WRONG fail, and so does a warning that the \
                devices' counters cannot confirm the figures. Notes and other warnings do not.",
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "verdict_lines"],
        read: Read::Switch(|draft| draft.request.strict = true),
        ..LINUX
    },
    Flag {
        name: Long("quiet"),
        forms: &[("--quiet", "print only errors and wrong figures, a line each")],
        default: "progress, the verdict, warnings and the limit are printed",
        scope: Scope::Invocation,
        notes: "For loops of many runs: prints errors and WRONG findings without details. No progress, \
                warnings or notes; with --repeat no line per run. Reports, record and exit code are the \
                same.",
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "verdict_lines", "repetitions"],
        read: Read::Switch(|draft| draft.request.quiet = true),
        ..LINUX
    },
];

fn read_out(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let missing =
        || ValueError::new(value.len(), "the file is missing").with_expected("the name of a file to write");
    draft.request.out.push(OutRequest::read(value).ok_or_else(missing)?);
    Ok(())
}

fn read_stream(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    draft.request.stream = Some(StreamRequest::read(value)?);
    Ok(())
}

fn io_log(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    if value.is_empty() {
        return Err(ValueError::new(0, "the value is missing").with_expected("the name of a file to write"));
    }
    draft.request.io_log = Some(RawText::from(value.to_vec()).as_path().to_owned());
    Ok(())
}
