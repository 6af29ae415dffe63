//! `diskspd suite`: tests that are run together, round by round.

use super::Command;
use super::compare::output_options;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::option::OptionValue::Number;
use crate::cli::option::{
    DRY_RUN, HTML, JSON, OUT, OptionRow, QUIET, STORE, STRICT, WITH, row, switch, text,
};
use crate::cli::requests::{AnswerOutput, RoundsRequest, SuiteAction, SuiteRequest};
use crate::cli::{Invocation, shell_quote::quoted};
use crate::experiments::compare::AnswerForm;
use crate::experiments::suite::MAX_ROUNDS;
use crate::experiments::sweep::seconds;
use std::ffi::OsString;

/// Default budget of `--until-sure`, in s.
const UNTIL_SURE_S: f64 = 1800.0;

pub(super) const ROUNDS: OptionRow = row(
    "--repeat",
    Number { min: 1, max: MAX_ROUNDS, of: "rounds" },
    "run every test n times, instead of as the suite says",
);
const UNTIL_SURE: OptionRow = switch(
    "--until-sure",
    "repeat each test until its mean IOPS are known to 2 %; ends after --budget, by default 30m",
);
pub(super) const BUDGET: OptionRow =
    text("--budget", "<time>", "30m", "time limit: start no round that would exceed it");
const SESSIONS: OptionRow = row(
    "--sessions",
    Number { min: 1, max: 100, of: "sessions" },
    "run the suite n times, with 16 minutes between: after 9 or more, baseline check knows this machine's \
     own drift",
)
.with_default("1");
const LIST: OptionRow = switch("--list", "list the suites that come with the program");
const SHOW: OptionRow = switch("--show", "print the suite as TOML, with its reasons, and run nothing");
const PLAN: OptionRow = DRY_RUN.with_help("check all tests, list them, estimate the time, and run nothing");
const EVERYTHING: OptionRow = JSON.with_help("write everything as JSON: tests, runs, figures");
const PAGE: OptionRow = HTML.with_help("write a page: a table of all runs, and charts of them");
const BY_ENDING: OptionRow = OUT.with_help("as --json or --html, by the ending: .json, .html");
const FOLDER: OptionRow = STORE.with_help("the folder of the history that keeps the runs");

pub(super) const SUITE: Command = Command {
    name: "suite",
    arguments: "<file.toml|profile.xml|name> [<target> ..] [-- <option> ..]",
    help: "run the tests of a suite alternately, several rounds, and keep all of it in the history",
    options: &[
        ROUNDS, UNTIL_SURE, SESSIONS, BUDGET, WITH, LIST, SHOW, FOLDER, EVERYTHING, PAGE, BY_ENDING, PLAN,
        STRICT, QUIET,
    ],
    exclusive: &[&[LIST, SHOW, PLAN], &[ROUNDS, UNTIL_SURE], &[SESSIONS, UNTIL_SURE]],
    takes: Operands::LineBehind,
    examples: &[
        ("diskspd suite --list", "the suites that come with the program"),
        ("diskspd suite before-and-after test.dat", "run one of them"),
        ("diskspd suite nightly.toml test.dat -- -c1G -d5", "your own, with options for every test"),
    ],
    make: build_invocation,
};

fn build_invocation(line: CommandLine) -> Result<Invocation, CliError> {
    let behind = line.line.clone().unwrap_or_default();
    // It is an option of runs.
    let with = line.text(&WITH).map(|command| ["--with".into(), command.into()]);
    let options: Vec<OsString> = with.into_iter().flatten().chain(behind).collect();
    let action = match (&line.words[..], line.has_option(&LIST), line.has_option(&SHOW)) {
        ([], true, _) if options.is_empty() => SuiteAction::List,
        ([name], false, true) if options.is_empty() => SuiteAction::Show(name.clone()),
        ([], false, false) => {
            return Err(CliError::new("the suite is missing")
                .hint("name a file or a suite of the program; diskspd suite --list lists those"));
        }
        ([source, targets @ ..], false, false) => {
            SuiteAction::Run { source: source.clone(), targets: targets.to_vec(), options: options.clone() }
        }
        _ => return Err(line.wrong()),
    };
    // Everybody's habit: targets behind the options.
    if let (SuiteAction::Run { targets, .. }, Some(last)) = (&action, options.last())
        && targets.is_empty()
        && last.as_encoded_bytes().first() != Some(&b'-')
        && options.len() > 1
        && !options[options.len() - 2].as_encoded_bytes().starts_with(b"--")
    {
        let what = format!("'{}' comes after the options, but targets come before --", last.display());
        let name = line.words[0].to_string_lossy().into_owned();
        let rest = quoted(&options[..options.len() - 1]);
        return Err(CliError::new(what)
            .hint(format!("diskspd suite {name} {} -- {rest}", quoted(std::slice::from_ref(last)))));
    }
    Ok(Invocation::Suite(Box::new(SuiteRequest {
        action,
        store: line.path(&FOLDER)?,
        rounds: RoundsRequest {
            sessions: line.number(&SESSIONS).unwrap_or(1),
            ..rounds(&line, [&ROUNDS, &UNTIL_SURE, &BUDGET])?
        },
        out: read_outs(&line)?,
        dry_run: line.has_option(&PLAN),
        strict: line.has_option(&STRICT),
        quiet: line.has_option(&QUIET),
        given: line.typed,
    })))
}

fn read_outs(line: &CommandLine) -> Result<Vec<AnswerOutput>, CliError> {
    let all = output_options(line, &EVERYTHING, &PAGE, &BY_ENDING)?;
    match all.iter().find(|out| !matches!(out.form, AnswerForm::Html | AnswerForm::Json)) {
        None => Ok(all),
        Some(out) => {
            let what = format!("--out {}: a suite is written as a page or as JSON", out.path.display());
            Err(CliError::new(what).hint("the other forms are for the results of baseline check and compare"))
        }
    }
}

/// Parses the rounds. `rows`: `--repeat`, `--until-sure` and `--budget` of the command.
pub(super) fn rounds(
    line: &CommandLine,
    [repeat, until_sure, budget]: [&OptionRow; 3],
) -> Result<RoundsRequest, CliError> {
    let until_sure = line.has_option(until_sure);
    let budget = line.read_value(budget, seconds)?;
    Ok(RoundsRequest {
        repeat: line.number(repeat),
        until_sure,
        sessions: 1,
        budget_s: budget.or(until_sure.then_some(UNTIL_SURE_S)),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;
    use super::*;

    fn read(line: &str) -> Result<SuiteRequest, CliError> {
        match parsed(&format!("suite {line}"))? {
            Invocation::Suite(request) => Ok(*request),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn suite_takes_targets_and_run_options_after_dashes() {
        let request = read("a.toml --repeat 3 f g --store s -- -d5 --engine sim").unwrap();
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let SuiteAction::Run { source, targets, options } = request.action else { panic!() };
        assert_eq!(
            (source, targets, options),
            ("a.toml".into(), words(&["f", "g"]), words(&["-d5", "--engine", "sim"]))
        );
        assert_eq!((request.rounds.repeat, request.store), (Some(3), Some("s".into())));
        let with = read("a.toml f --with wine -- -d5").unwrap();
        let SuiteAction::Run { options, .. } = with.action else { panic!() };
        assert_eq!(options, words(&["--with", "wine", "-d5"]));
        assert_eq!(read("--list").unwrap().action, SuiteAction::List);
        assert_eq!(read("x --show").unwrap().action, SuiteAction::Show("x".into()));
        assert_eq!(read("x f --until-sure").unwrap().rounds.budget_s, Some(1800.0));
        assert_eq!(read("x f --until-sure --budget 5m").unwrap().rounds.budget_s, Some(300.0));
    }

    #[test]
    fn contradictory_arguments_are_refused() {
        for (line, words) in [
            ("", "the suite is missing"),
            ("--show", "the arguments of suite are missing"),
            ("x f --show", "wrong arguments"),
            ("x --list", "wrong arguments"),
            ("x f --repeat 0", "not possible"),
            ("x f --repeat 3 --until-sure", "exclude each other"),
            ("x f --sessions 0", "not possible"),
            ("x f --out a.junit.xml", "as a page or as JSON"),
            ("x f -d5", "not an option of suite"),
            ("x -- -d5 f", "comes after the options"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.what.contains(words), "{line}: {error}");
        }
    }
}
