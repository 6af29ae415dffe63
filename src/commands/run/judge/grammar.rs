//! `diskspd judge`: its grammar.

use super::Command;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::option::{OUT, OptionRow, QUIET, STORE, STRICT, VERBOSE, switch, text};
use crate::cli::requests::{JudgeRequest, SaveRequest, StreamDestination};
use crate::cli::{Invocation, words};
use crate::experiments::selection::check_word;

const FOR: OptionRow =
    text("--for", "<time>", "60s", "without a command: judge the current I/O on the targets for this time");
const COUNT_ALL: OptionRow = switch(
    "--count-all",
    "count I/Os of io_uring and Linux AIO all the time, at about 0.1 us each; without it io_uring in slices",
);
const REPORTS: OptionRow = OUT.with_help(
    "write the report to this file, in the format of its extension: .txt, .json, .html, .prom, .om",
);
const STREAM: OptionRow = text(
    "--stream",
    "<file>",
    "dev.jsonl",
    "write the devices' I/O of each second to this file, or <format>:<file> (json, influx, prom), or fd:<n>",
);
const SAVE: OptionRow = text("--save", "[=<label>]", "", "keep the record in the history");
const FOLDER: OptionRow = STORE.with_help("the folder of the history, for --save");
const ON_OUTAGE: OptionRow = text(
    "--fail-on-outage",
    "<time>",
    "5s",
    "exit code 5 if the device completed nothing for this time with I/Os in flight",
);
const DOUBTFUL: OptionRow = STRICT
    .with_help("exit code 2 if the command succeeded, and its figures are wrong or cannot be confirmed");

pub(super) const JUDGE: Command = Command {
    name: "judge",
    arguments: "[<option> ..] [<target> ..] -- <command> [<argument> ..], or --for <time> <target> ..",
    help: "run any program, and judge whether its I/O reached the devices (docs/how-to/judge-any-program.md)",
    options: &[FOR, COUNT_ALL, REPORTS, STREAM, SAVE, FOLDER, ON_OUTAGE, DOUBTFUL, QUIET, VERBOSE],
    exclusive: &[&[FOR, COUNT_ALL], &[VERBOSE, QUIET]],
    takes: Operands::Program,
    examples: &[
        (
            "diskspd judge -- fio --output-format=json job.fio",
            "run fio, and compare its figures with the devices",
        ),
        ("diskspd judge /dev/nvme0n1 -- dd if=/dev/nvme0n1 of=/dev/null bs=1M count=4096", "judge dd"),
        ("diskspd judge --for 60s /var/lib/postgresql", "judge the current I/O of a database"),
    ],
    make,
};

fn make(line: CommandLine) -> Result<Invocation, CliError> {
    let words = line.line.clone().unwrap_or_default();
    let time = |name: &str, least| {
        let name = name.to_owned();
        move |text: &str| {
            words::time_ms(text.as_bytes(), least)
                .map_err(|_| format!("a time up to a day, as in {name} 60s"))
        }
    };
    let watched_ms = line.read_value(&FOR, time("--for", 1))?;
    match (watched_ms, line.words.is_empty()) {
        (Some(_), _) if !words.is_empty() => {
            return Err(CliError::new("--for judges I/O that other programs do, but a command is given")
                .hint("leave out --for, or the command"));
        }
        (Some(_), true) => {
            return Err(CliError::new("--for needs the targets to watch")
                .hint("name a device, file or folder: diskspd judge --for 60s /dev/nvme0n1"));
        }
        (None, _) if words.is_empty() => {
            return Err(CliError::new("judge: no command is given after --")
                .hint("diskspd judge -- COMMAND; or --for 60s TARGET to judge the I/O of running programs"));
        }
        _ => {}
    }
    let label = |text: &str| match text {
        "" => Ok(None),
        label => check_word(label).map(|()| Some(label.to_owned())),
    };
    let save = line.read_value(&SAVE, label)?.map(|label| SaveRequest { label });
    let store = line.path(&FOLDER)?;
    if store.is_some() && save.is_none() {
        return Err(CliError::new("--store has no effect without --save")
            .hint("add --save or --save=LABEL, or leave out --store"));
    }
    let stream = line.stream(&STREAM)?;
    let takes_output = stream.as_ref().is_some_and(|stream| stream.to == StreamDestination::StandardOutput);
    if takes_output && !words.is_empty() {
        return Err(CliError::new("--stream -: standard output belongs to the command")
            .hint("name a file, or a descriptor as in --stream fd:3"));
    }
    Ok(Invocation::Judge(Box::new(JudgeRequest {
        targets: line.targets(),
        watched_ms,
        count_all: line.has_option(&COUNT_ALL),
        verbose: line.has_option(&VERBOSE),
        quiet: line.has_option(&QUIET),
        strict: line.has_option(&DOUBTFUL),
        fail_on_outage_ms: line.read_value(&ON_OUTAGE, time("--fail-on-outage", 1000))?,
        out: line.reports(&REPORTS)?,
        stream,
        save,
        store,
        typed: line.typed.clone(),
        words,
    })))
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;
    use super::*;

    fn requested(line: &str) -> Result<JudgeRequest, CliError> {
        match parsed(&format!("judge {line}"))? {
            Invocation::Judge(request) => Ok(*request),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn command_keeps_its_own_options() {
        let request = requested("--save=a /dev/sdb -- fio --save -v -- --out x").unwrap();
        assert_eq!(request.words, ["fio", "--save", "-v", "--", "--out", "x"]);
        assert_eq!(request.targets, ["/dev/sdb".into()]);
        assert_eq!(request.save, Some(SaveRequest { label: Some("a".into()) }));
        assert!(!request.verbose && request.out.is_empty());
        assert_eq!(requested("--save -- true").unwrap().save, Some(SaveRequest { label: None }));
        assert_eq!(requested("--for 1500ms a b").unwrap().watched_ms, Some(1500));
    }

    #[test]
    fn invalid_arguments_have_reason() {
        for (line, why) in [
            ("", "no command is given"),
            ("fio job.fio", "no command is given"),
            ("/dev/sdb --", "no command is given"),
            ("--for 60s", "needs the targets"),
            ("--for 60s /dev/sdb -- dd", "a command is given"),
            ("--for 0s /dev/sdb", "--for: this value is not possible"),
            ("--count-all --for 1s a", "exclude each other"),
            ("--store s -- dd", "--store has no effect"),
            ("--fail-on-outage 10ms -- dd", "this value is not possible"),
            ("--stream - -- dd", "belongs to the command"),
            ("--stream json: -- dd", "this value is not possible"),
            ("-o32 -- dd", "-o32 is not an option of judge"),
        ] {
            let error = requested(line).unwrap_err();
            assert!(error.what.contains(why), "{line}: {error}");
        }
    }
}
