//! `diskspd history`: its grammar.

use super::Invocation;
use super::error::CliError;
use super::own_option::{self, OptionRow, OwnOption, WordsAndOptions, own, own_path};
use crate::lab::selection::{RunFigure, Selection, Since, check_word};
use std::ffi::OsString;
use std::path::PathBuf;

/// What is done with the runs that are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryRequest {
    /// `--store`; `None` = the usual one.
    pub store: Option<PathBuf>,
    /// Which runs, where there can be many.
    pub selection: Selection,
    /// What is done.
    pub action: HistoryAction,
    /// `--html`: a page in place of the text.
    pub html: Option<PathBuf>,
    /// All that stands behind the word `history`, as it was typed.
    pub given: Vec<OsString>,
}

/// What is done. Runs are named by id, the beginning of one, or label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryAction {
    /// List them.
    List,
    /// Print what is known of each, and its report.
    Show {
        /// Which.
        runs: Vec<String>,
    },
    /// Name them.
    Label {
        /// Which.
        run: String,
        /// What they are called from now on; `None` = nothing.
        label: Option<String>,
    },
    /// Give and take tags.
    Tag {
        /// Which.
        run: String,
        /// To give.
        add: Vec<String>,
        /// To take.
        take: Vec<String>,
    },
    /// Keep them from being removed, or don't.
    Pin {
        /// Which.
        runs: Vec<String>,
        /// Keep them.
        pinned: bool,
    },
    /// Remove them.
    Remove {
        /// Which.
        runs: Vec<String>,
    },
    /// Print them for other programs.
    Export {
        /// How.
        form: ExportForm,
    },
    /// Take in runs from files.
    Import {
        /// Which.
        files: Vec<PathBuf>,
        /// What they are called.
        label: Option<String>,
    },
    /// Make the index anew.
    Reindex,
    /// Tell where a figure has changed.
    Trend {
        /// Which figure.
        figure: RunFigure,
    },
}

/// How runs are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportForm {
    /// A line for each run, time span and direction.
    Csv,
    /// A line for each run, with all that is known of it.
    JsonLines,
}

/// What may stand behind the command first.
pub const ACTIONS: &[&str] = &[
    "list", "show", "label", "tag", "untag", "pin", "unpin", "remove", "export", "import", "reindex", "trend",
];

/// For the help.
pub const ROWS: [OptionRow; OWN.len()] = own_option::rows(&OWN);

/// What is given, before it is looked at together.
#[derive(Default)]
struct HistoryOptions {
    selection: Selection,
    figure: Option<RunFigure>,
    html: Vec<PathBuf>,
    store: Option<PathBuf>,
}

const OWN: [OwnOption<HistoryOptions>; 11] = [
    own(
        "--label",
        "<label>",
        "only runs of this label; of import: the label that they get",
        |given, value| {
            check_word(value).map_err(|why| format!("a label, and {why}"))?;
            given.selection.label = Some(value.to_owned());
            Ok(())
        },
    ),
    own("--tag", "<tag>", "only runs with this tag; may be repeated", |given, value| {
        given.selection.tags.push(value.to_owned());
        Ok(())
    }),
    own("--target", "<text>", "only runs on a target whose path contains this", |given, value| {
        given.selection.target = Some(value.to_owned());
        Ok(())
    }),
    own(
        "--since",
        "<time>",
        "only runs since then: 7d, 12h, 2026-11-22, 2026-11-22T14:30",
        |given, value| {
            let since = Since::read(value);
            given.selection.since = Some(since.ok_or("a time as 7d, 12h, 30m, 2w, or a date as 2026-11-22")?);
            Ok(())
        },
    ),
    own(
        "--fingerprint",
        "<text>",
        "only runs on a machine whose fingerprint begins with \
                                    this",
        |given, value| {
            given.selection.fingerprint = Some(value.to_owned());
            Ok(())
        },
    ),
    own("--last", "<n>", "only the latest n runs", |given, value| {
        let count = value.parse().ok().filter(|count| *count > 0);
        given.selection.last = Some(count.ok_or("a number of runs")?);
        Ok(())
    }),
    own(
        "--metric",
        "<figure>",
        "of trend: the figure, one of iops (the default), mib, mean, p50, p99, p99.9",
        |given: &mut HistoryOptions, value| {
            given.figure = Some(RunFigure::named(value).ok_or(own_option::FIGURES)?);
            Ok(())
        },
    )
    .words(&["iops", "mib", "mean", "p50", "p99", "p99.9"]),
    own("--csv", "", "of export: a line for each run, time span and direction (the default)", |_, _| Ok(())),
    own("--jsonl", "", "of export: a line of JSON for each run", |_, _| Ok(())),
    own_path(
        "--html",
        "<file>",
        "of list and trend: write a page to this file in place of the text",
        |given, path| given.html.push(path),
    ),
    own_path("--store", "<folder>", "the folder of the history", |given, path| given.store = Some(path)),
];

/// Reads what follows the word `history`.
///
/// # Errors
/// It makes no sense.
pub fn read(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let mut options = HistoryOptions::default();
    let given = own_option::read_all(&OWN, &mut options, arguments)?;
    let HistoryOptions { mut selection, figure, html, store } = options;
    let texts = given.texts();
    let (action, names) = match texts.split_first() {
        Some((action, names)) => (action.as_str(), names),
        None => ("list", &[][..]),
    };
    let selects = ["list", "export", "trend"].contains(&action);
    refuse_others(&given, action, selects)?;
    let action = match action {
        "import" => {
            let label = selection.label.take();
            let files: Vec<PathBuf> = given.words[1..].iter().map(PathBuf::from).collect();
            if files.is_empty() {
                return Err(CliError::new("the files to import are missing")
                    .hint("diskspd history import run.json results/*.xml"));
            }
            HistoryAction::Import { files, label }
        }
        action => with_runs(action, names, figure, &given)?,
    };
    let request = HistoryRequest {
        store,
        selection,
        action,
        html: own_option::at_most_one("--html", html)?,
        given: arguments.to_vec(),
    };
    Ok(Invocation::History(Box::new(request)))
}

fn with_runs(
    action: &str,
    names: &[String],
    figure: Option<RunFigure>,
    given: &WordsAndOptions,
) -> Result<HistoryAction, CliError> {
    let nothing_follows = |done: HistoryAction| match names.first() {
        None => Ok(done),
        Some(word) => Err(CliError::at(word.as_bytes(), 0, format!("{action} takes no arguments"))
            .hint("runs are selected by --label, --tag, --target, --since, --fingerprint, --last")),
    };
    match action {
        "list" => nothing_follows(HistoryAction::List),
        "reindex" => nothing_follows(HistoryAction::Reindex),
        "trend" => nothing_follows(HistoryAction::Trend { figure: figure.unwrap_or(RunFigure::Iops) }),
        "export" => {
            let form = if given.has("--jsonl") { ExportForm::JsonLines } else { ExportForm::Csv };
            nothing_follows(HistoryAction::Export { form })
        }
        "show" => Ok(HistoryAction::Show { runs: runs(names, action)? }),
        "pin" | "unpin" => Ok(HistoryAction::Pin { runs: runs(names, action)?, pinned: action == "pin" }),
        "remove" => Ok(HistoryAction::Remove { runs: runs(names, action)? }),
        "label" | "tag" | "untag" => described(action, names),
        word => Err(CliError::at(word.as_bytes(), 0, "unknown action of the history")
            .hint(format!("it can: {}", ACTIONS.join(" ")))),
    }
}

fn described(action: &str, names: &[String]) -> Result<HistoryAction, CliError> {
    let (run, words) = names.split_first().ok_or_else(|| missing(action))?;
    for word in words {
        check_word(word).map_err(|why| CliError::at(word.as_bytes(), 0, why))?;
    }
    let (run, words) = (named(run), words.to_vec());
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

/// `@label` elsewhere is `label` here; both are understood.
fn named(run: &str) -> String {
    run.strip_prefix('@').unwrap_or(run).to_owned()
}

fn runs(names: &[String], action: &str) -> Result<Vec<String>, CliError> {
    if names.is_empty() {
        return Err(missing(action));
    }
    Ok(names.iter().map(|name| named(name)).collect())
}

fn missing(action: &str) -> CliError {
    CliError::new("the run is missing").hint(format!(
        "diskspd history {action} ID; an id, the beginning of one, or a label; diskspd history lists them"
    ))
}

/// No option is accepted that would change nothing.
fn refuse_others(given: &WordsAndOptions, action: &str, selects: bool) -> Result<(), CliError> {
    for OptionRow { name, .. } in ROWS {
        let fits = match name {
            "--store" => true,
            "--label" => selects || action == "import",
            "--metric" => action == "trend",
            "--csv" | "--jsonl" => action == "export",
            "--html" => action == "list" || action == "trend",
            _ => selects,
        };
        if given.has(name) && !fits {
            return Err(CliError::new(format!("{name} has no effect with diskspd history {action}"))
                .hint("leave it out"));
        }
    }
    if given.has("--csv") && given.has("--jsonl") {
        return Err(CliError::new("--csv and --jsonl can't be given together").hint("choose one"));
    }
    Ok(())
}
