//! `diskspd baseline`: reference runs for later ones.

use super::Command;
use super::compare::{BISECT, FAIL_IF, gate, output_options};
use super::suite::{BUDGET, ROUNDS, rounds};
use crate::cli::Invocation;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::option::OptionValue::Folder;
use crate::cli::option::{HTML, JSON, OUT, OptionRow, QUIET, WITH, row, switch, text};
use crate::cli::requests::{BaselineAction, BaselineCheck, BaselineRequest};
use crate::experiments::selection::check_word;
use std::ffi::OsString;

const ACTIONS: &[&str] = &["list", "show", "set", "remove", "check"];

const CHECK: &[&str] = &["check"];
const AGAINST: OptionRow = text(
    "--against",
    "<runs>",
    "@nightly.7",
    "with check: compare these runs (files, folders, @label, @id; several with commas) and run nothing",
)
.only_with(CHECK);
const REPEAT: OptionRow = ROUNDS.only_with(CHECK);
const UNTIL_SURE: OptionRow = switch(
    "--until-sure",
    "with check: repeat inconclusive tests up to 8 times as often; ends after --budget, by default 30m",
)
.only_with(CHECK);
const LIMIT: OptionRow = BUDGET.only_with(CHECK);
const GATE: OptionRow = FAIL_IF.only_with(CHECK);
const FOR_GIT: OptionRow = BISECT.only_with(CHECK);
const DESTROY: OptionRow = switch(
    "--destroy",
    "with check: permit writing to block devices that carry a file system or partition table",
)
.only_with(CHECK);
const MADE_BY: OptionRow = WITH.with_help("with check: let DISKSPD itself make the runs").only_with(CHECK);
const DOCUMENT: OptionRow =
    JSON.with_help("with check: write the comparison as JSON to this file").only_with(CHECK);
const PAGE: OptionRow = HTML.with_help("with check: write an HTML page of it to this file").only_with(CHECK);
const BY_ENDING: OptionRow = OUT
    .with_help(
        "with check: write the answer in the format of the file's ending, or named (github:-): .junit.xml, \
         .md, metrics.txt, .bencher.json",
    )
    .only_with(CHECK);
const SILENT: OptionRow = QUIET.only_with(CHECK);
const STORED: OptionRow = row("--store", Folder, "the folder of the history");

pub(super) const BASELINE: Command = Command {
    name: "baseline",
    arguments: "[list|show|set|remove|check] [<name>] [..]",
    help: "set a baseline of runs, and check whether anything has become worse since",
    options: &[
        AGAINST, REPEAT, UNTIL_SURE, LIMIT, MADE_BY, GATE, FOR_GIT, DESTROY, DOCUMENT, PAGE, BY_ENDING,
        STORED, SILENT,
    ],
    exclusive: &[&[AGAINST, REPEAT], &[AGAINST, UNTIL_SURE], &[AGAINST, MADE_BY], &[GATE, FOR_GIT]],
    takes: Operands::OneOf(|| ACTIONS.to_vec()),
    examples: &[
        ("diskspd baseline set storage", "make the latest run of a suite the baseline"),
        ("diskspd baseline check storage --fail-if worse", "run its tests again: has any become worse?"),
        ("diskspd baseline set years results/", "from files: DISKSPD's, fio's, this program's"),
    ],
    make: build_invocation,
};

fn build_invocation(line: CommandLine) -> Result<Invocation, CliError> {
    let action = line.words.first().map_or("list".into(), |word| word.to_string_lossy().into_owned());
    line.refuse_idle(&action)?;
    let rest = line.words.get(1..).unwrap_or_default();
    let action = match (action.as_str(), rest) {
        ("list", []) => BaselineAction::List,
        ("show", [name]) => BaselineAction::Show { name: baseline_name(name)? },
        ("remove", [name]) => BaselineAction::Remove { name: baseline_name(name)? },
        ("set", [name, runs @ ..]) => {
            let is_latest = |runs: &[OsString]| matches!(runs, [one] if one == "latest");
            let runs = if is_latest(runs) { Vec::new() } else { runs.to_vec() };
            BaselineAction::Set { name: baseline_name(name)?, runs }
        }
        ("check", [name, targets @ ..]) => {
            BaselineAction::Check(Box::new(check_request(&line, name, targets)?))
        }
        ("list", _) => return Err(line.wrong()),
        (action, []) => {
            return Err(CliError::new("the name of the baseline is missing")
                .hint(format!("diskspd baseline {action} NAME; diskspd baseline lists them")));
        }
        _ => return Err(line.wrong()),
    };
    Ok(Invocation::Baseline(Box::new(BaselineRequest {
        action,
        store: line.path(&STORED)?,
        given: line.typed,
    })))
}

fn check_request(
    line: &CommandLine,
    name: &OsString,
    targets: &[OsString],
) -> Result<BaselineCheck, CliError> {
    let against = line.text(&AGAINST).map(OsString::from);
    if let (Some(_), Some(target)) = (&against, targets.first()) {
        let what = format!("--against runs nothing, but '{}' is a target to run on", target.display());
        return Err(CliError::new(what).hint("leave out one of the two"));
    }
    Ok(BaselineCheck {
        name: baseline_name(name)?,
        targets: targets.to_vec(),
        against,
        rounds: rounds(line, [&REPEAT, &UNTIL_SURE, &LIMIT])?,
        fail_if: gate(line, &GATE, &FOR_GIT)?,
        with: line.text(&MADE_BY),
        destroy: line.has_option(&DESTROY),
        out: output_options(line, &DOCUMENT, &PAGE, &BY_ENDING)?,
        quiet: line.has_option(&SILENT),
    })
}

fn baseline_name(word: &OsString) -> Result<String, CliError> {
    let name = word.to_string_lossy().into_owned();
    check_word(&name).map_err(|why| CliError::at(word.as_encoded_bytes(), 0, format!("the name {why}")))?;
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;
    use super::*;
    use crate::cli::FailIf;
    use crate::experiments::compare::AnswerForm;

    fn read(line: &str) -> Result<BaselineAction, CliError> {
        match parsed(&format!("baseline {line}"))? {
            Invocation::Baseline(request) => Ok(request.action),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn baseline_actions_are_parsed() {
        let name = || "b".to_owned();
        assert_eq!(read("").unwrap(), BaselineAction::List);
        assert_eq!(read("show b").unwrap(), BaselineAction::Show { name: name() });
        assert_eq!(read("remove b").unwrap(), BaselineAction::Remove { name: name() });
        let set = |runs: &[&str]| BaselineAction::Set {
            name: name(),
            runs: runs.iter().map(OsString::from).collect(),
        };
        assert_eq!(read("set b").unwrap(), set(&[]));
        assert_eq!(read("set b latest").unwrap(), set(&[]));
        assert_eq!(read("set b @x.1 a.json").unwrap(), set(&["@x.1", "a.json"]));
        let line = "check b f --until-sure --fail-if worse=3% --out a.junit.xml --html p --out github:-";
        let BaselineAction::Check(check) = read(line).unwrap() else { panic!() };
        assert_eq!((check.targets.len(), check.rounds.budget_s), (1, Some(1800.0)));
        let forms: Vec<AnswerForm> = check.out.iter().map(|out| out.form).collect();
        assert_eq!(forms, [AnswerForm::Html, AnswerForm::Junit, AnswerForm::Github]);
        assert_eq!(check.fail_if, Some(FailIf::Worse(0.03)));
    }

    #[test]
    fn contradictory_arguments_are_refused() {
        for (line, words) in [
            ("set", "the name of the baseline is missing"),
            ("set a/b", "letters, digits"),
            ("show a b", "wrong arguments"),
            ("forget b", "not an argument of baseline"),
            ("set b --until-sure", "has no effect"),
            ("check b f --against @x", "runs nothing"),
            ("check b --against @x --repeat 3", "exclude each other"),
            ("check b --out a.txt", "not possible"),
            ("check b --fail-if better", "not possible"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.what.contains(words), "{line}: {error}");
        }
    }
}
