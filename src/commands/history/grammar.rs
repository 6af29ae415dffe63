//! `diskspd history`: its grammar.

use super::Command;
use crate::cli::Invocation;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::option::OptionValue::Number;
use crate::cli::option::{FIGURES, HTML, METRIC, OptionRow, STORE, row, switch, text};
use crate::cli::requests::{ExportForm, HistoryAction, HistoryRequest};
use crate::experiments::selection::{RunFigure, Selection, StartTime, check_word};

const ACTIONS: &[&str] = &[
    "list", "show", "label", "tag", "untag", "pin", "unpin", "remove", "export", "import", "reindex", "trend",
];

/// Actions on all runs that options select.
const SELECTING: &[&str] = &["list", "export", "trend"];

const LABEL: OptionRow =
    text("--label", "<label>", "", "only runs of this label; with import: the label that they get")
        .only_with(&["list", "export", "trend", "import"]);
const TAG: OptionRow =
    text("--tag", "<tag>", "", "only runs with this tag; may be repeated").only_with(SELECTING);
const TARGET: OptionRow =
    text("--target", "<text>", "", "only runs on a target whose path contains this").only_with(SELECTING);
const SINCE: OptionRow =
    text("--since", "<time>", "", "only runs since then: 7d, 12h, 2026-11-22, 2026-11-22T14:30")
        .only_with(SELECTING);
const FINGERPRINT: OptionRow =
    text("--fingerprint", "<text>", "", "only runs on a machine whose fingerprint begins with this")
        .only_with(SELECTING);
const LAST: OptionRow = row("--last", Number { min: 1, max: u32::MAX, of: "runs" }, "only the latest n runs")
    .only_with(SELECTING);
const FIGURE: OptionRow = METRIC
    .with_help("with trend: iops, mib, mean, p50, p99 or p99.9")
    .with_default("iops")
    .only_with(&["trend"]);
const CSV: OptionRow =
    switch("--csv", "with export: a line for each run, time span and direction (the default)")
        .only_with(&["export"]);
const JSON_LINES: OptionRow =
    switch("--jsonl", "with export: a line of JSON for each run").only_with(&["export"]);
const PAGE: OptionRow = HTML
    .with_help("with list and trend: write an HTML page to this file in place of the text")
    .only_with(&["list", "trend"]);
const FOLDER: OptionRow = STORE.with_help("the folder of the history");

pub(super) const HISTORY: Command = Command {
    name: "history",
    arguments: "[list|show|label|tag|untag|pin|unpin|remove|export|import|reindex|trend] [..]",
    help: "list the runs that --save has kept, find, name, remove, export and import them, and show trends",
    options: &[LABEL, TAG, TARGET, SINCE, FINGERPRINT, LAST, FIGURE, CSV, JSON_LINES, PAGE, FOLDER],
    exclusive: &[&[CSV, JSON_LINES]],
    takes: Operands::OneOf(|| ACTIONS.to_vec()),
    examples: &[
        ("diskspd history", "list the runs that --save has kept"),
        ("diskspd history trend --metric p99 --label nightly", "when a figure changed"),
    ],
    make: build_invocation,
};

fn build_invocation(line: CommandLine) -> Result<Invocation, CliError> {
    let words: Vec<String> = line.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let (action, names) = match words.split_first() {
        Some((action, names)) => (action.as_str(), names),
        None => ("list", &[][..]),
    };
    line.refuse_idle(action)?;
    let mut selection = read_selection(&line)?;
    let action = match action {
        "import" if names.is_empty() => {
            return Err(CliError::new("the files to import are missing")
                .hint("diskspd history import run.json results/"));
        }
        "import" => HistoryAction::Import { files: line.files().split_off(1), label: selection.label.take() },
        action => with_runs(action, names, &line)?,
    };
    let request = HistoryRequest {
        store: line.path(&FOLDER)?,
        selection,
        action,
        html: line.path(&PAGE)?,
        given: line.typed,
    };
    Ok(Invocation::History(Box::new(request)))
}

fn read_selection(line: &CommandLine) -> Result<Selection, CliError> {
    let label = |value: &str| match check_word(value) {
        Ok(()) => Ok(value.to_owned()),
        Err(why) => Err(format!("a label, and {why}")),
    };
    let since =
        |value: &str| StartTime::read(value).ok_or("a time as 7d, 12h, 30m, 2w, or a date as 2026-11-22");
    Ok(Selection {
        label: line.read_value(&LABEL, label)?,
        tags: line.texts(&TAG),
        target: line.text(&TARGET),
        since: line.read_value(&SINCE, since)?,
        fingerprint: line.text(&FINGERPRINT),
        last: line.number(&LAST),
    })
}

fn with_runs(action: &str, names: &[String], line: &CommandLine) -> Result<HistoryAction, CliError> {
    let done = match action {
        "reindex" => HistoryAction::Reindex,
        "trend" => {
            let figure = |value: &str| RunFigure::from_name(value).ok_or(FIGURES);
            HistoryAction::Trend { figure: line.read_value(&FIGURE, figure)?.unwrap_or(RunFigure::Iops) }
        }
        "export" if line.has_option(&JSON_LINES) => HistoryAction::Export { form: ExportForm::JsonLines },
        "export" => HistoryAction::Export { form: ExportForm::Csv },
        "show" => return Ok(HistoryAction::Show { runs: run_names(names, action)? }),
        "pin" | "unpin" => {
            return Ok(HistoryAction::Pin { runs: run_names(names, action)?, pinned: action == "pin" });
        }
        "remove" => return Ok(HistoryAction::Remove { runs: run_names(names, action)? }),
        "label" | "tag" | "untag" => return describe_action(action, names),
        _ => HistoryAction::List,
    };
    match names.first() {
        None => Ok(done),
        Some(word) => Err(CliError::at(word.as_bytes(), 0, format!("{action} takes no arguments"))
            .hint("runs are selected by --label, --tag, --target, --since, --fingerprint, --last")),
    }
}

fn describe_action(action: &str, names: &[String]) -> Result<HistoryAction, CliError> {
    let (run, words) = names.split_first().ok_or_else(|| missing_run(action))?;
    for word in words {
        check_word(word).map_err(|why| CliError::at(word.as_bytes(), 0, why.to_string()))?;
    }
    let (run, words) = (run_name(run), words.to_vec());
    match (action, &words[..]) {
        ("label", [] | [_]) => Ok(HistoryAction::Label { run, label: words.into_iter().next() }),
        ("label", _) => Err(CliError::new("a run has one label; give the others as tags")),
        (_, []) => {
            Err(CliError::new("the tags are missing").hint(format!("diskspd history {action} {run} TAG ..")))
        }
        ("tag", _) => Ok(HistoryAction::Tag { run, add: words, take: Vec::new() }),
        _ => Ok(HistoryAction::Tag { run, add: Vec::new(), take: words }),
    }
}

/// Removes the `@` of `@label`, which other commands require.
fn run_name(run: &str) -> String {
    run.strip_prefix('@').unwrap_or(run).to_owned()
}

fn run_names(names: &[String], action: &str) -> Result<Vec<String>, CliError> {
    if names.is_empty() {
        return Err(missing_run(action));
    }
    Ok(names.iter().map(|name| run_name(name)).collect())
}

fn missing_run(action: &str) -> CliError {
    let behind = match action {
        "label" => " LABEL",
        "tag" | "untag" => " TAG ..",
        _ => "",
    };
    CliError::new("the run is missing").hint(format!(
        "diskspd history {action} ID{behind}; ID is an id, the beginning of one, or a label; diskspd history \
         lists them"
    ))
}
