//! `diskspd history`: its grammar.

use super::Invocation;
use super::error::CliError;
use super::flag::Form;
use super::words::{self, Known, Words};
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
pub const OPTIONS: &[Form] = &[
    ("--label", "only runs of this label; of import: the label that they get"),
    ("--tag", "only runs with this tag; may be repeated"),
    ("--target", "only runs on a target whose path has this in it"),
    ("--since", "only runs since then: 7d, 12h, 2026-11-22, 2026-11-22T14:30"),
    ("--fingerprint", "only runs on a machine whose fingerprint begins so"),
    ("--last", "only so many of the latest"),
    ("--metric", "of trend: the figure, one of iops (the default), mib, mean, p50, p99, p99.9"),
    ("--csv", "of export: a line for each run, time span and direction (the default)"),
    ("--jsonl", "of export: a line of JSON for each run"),
    ("--html", "of list and trend: write a page to this file in place of the text"),
    ("--store", "the folder of the history"),
];

const KNOWN: &[Known] = &[
    ("--label", true),
    ("--tag", true),
    ("--target", true),
    ("--since", true),
    ("--fingerprint", true),
    ("--last", true),
    ("--metric", true),
    ("--csv", false),
    ("--jsonl", false),
    ("--html", true),
    ("--store", true),
];

/// Reads what follows the word `history`.
///
/// # Errors
/// It makes no sense.
pub fn read(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let given = words::read(arguments, KNOWN)?;
    let texts = given.texts();
    let (action, names) = match texts.split_first() {
        Some((action, names)) => (action.as_str(), names),
        None => ("list", &[][..]),
    };
    let selects = ["list", "export", "trend"].contains(&action);
    refuse_others(&given, action, selects)?;
    let mut selection = selection(&given)?;
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
        action => with_runs(action, names, &given)?,
    };
    let request = HistoryRequest {
        store: given.path("--store"),
        selection,
        action,
        html: words::one_page(&given)?,
        given: arguments.to_vec(),
    };
    Ok(Invocation::History(Box::new(request)))
}

fn with_runs(action: &str, names: &[String], given: &Words) -> Result<HistoryAction, CliError> {
    let nothing_follows = |done: HistoryAction| match names.first() {
        None => Ok(done),
        Some(word) => Err(CliError::at(word.as_bytes(), 0, format!("nothing stands behind {action}"))
            .hint("runs are selected by --label, --tag, --target, --since, --fingerprint, --last")),
    };
    match action {
        "list" => nothing_follows(HistoryAction::List),
        "reindex" => nothing_follows(HistoryAction::Reindex),
        "trend" => {
            let figure =
                given.parsed("--metric", words::FIGURES, RunFigure::named)?.unwrap_or(RunFigure::Iops);
            nothing_follows(HistoryAction::Trend { figure })
        }
        "export" => {
            let form = if given.has("--jsonl") { ExportForm::JsonLines } else { ExportForm::Csv };
            nothing_follows(HistoryAction::Export { form })
        }
        "show" => Ok(HistoryAction::Show { runs: runs(names, action)? }),
        "pin" | "unpin" => Ok(HistoryAction::Pin { runs: runs(names, action)?, pinned: action == "pin" }),
        "remove" => Ok(HistoryAction::Remove { runs: runs(names, action)? }),
        "label" | "tag" | "untag" => described(action, names),
        word => Err(CliError::at(word.as_bytes(), 0, "the history can't do that")
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
fn refuse_others(given: &Words, action: &str, selects: bool) -> Result<(), CliError> {
    for (name, _) in KNOWN {
        let fits = match *name {
            "--store" => true,
            "--label" => selects || action == "import",
            "--metric" => action == "trend",
            "--csv" | "--jsonl" => action == "export",
            "--html" => action == "list" || action == "trend",
            _ => selects,
        };
        if given.has(name) && !fits {
            return Err(CliError::new(format!("{name} does nothing with diskspd history {action}"))
                .hint("leave it out"));
        }
    }
    if given.has("--csv") && given.has("--jsonl") {
        return Err(CliError::new("--csv and --jsonl can't be given together").hint("choose one"));
    }
    Ok(())
}

fn selection(given: &Words) -> Result<Selection, CliError> {
    let label = given.value("--label");
    if let Some(label) = &label {
        check_word(label).map_err(|why| CliError::new(format!("--label: {why}")))?;
    }
    Ok(Selection {
        label,
        tags: given.values("--tag"),
        target: given.value("--target"),
        since: given.parsed("--since", "a time as 7d, 12h, 30m, 2w, or a date as 2026-11-22", Since::read)?,
        fingerprint: given.value("--fingerprint"),
        last: given
            .parsed("--last", "a number of runs", |text| text.parse().ok().filter(|count| *count > 0))?,
    })
}
