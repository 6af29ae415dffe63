//! What is done with the history.

use crate::lab::selection::{RunFigure, Selection};
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
