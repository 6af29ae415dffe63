//! Requests for the history.

use crate::experiments::selection::{RunFigure, Selection};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq)]
pub struct HistoryRequest {
    /// `--store`; `None` = default folder.
    pub store: Option<PathBuf>,
    pub selection: Selection,
    pub action: HistoryAction,
    /// `--html`: page instead of the text.
    pub html: Option<PathBuf>,
    pub given: Vec<OsString>,
}

/// Action on the history. Runs are named by id, a prefix of one, or label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryAction {
    List,
    Show {
        runs: Vec<String>,
    },
    Label {
        run: String,
        label: Option<String>,
    },
    Tag {
        run: String,
        add: Vec<String>,
        take: Vec<String>,
    },
    /// Protects runs from removal, or ends the protection.
    Pin {
        runs: Vec<String>,
        pinned: bool,
    },
    Remove {
        runs: Vec<String>,
    },
    Export {
        form: ExportForm,
    },
    /// Imports runs from files.
    Import {
        files: Vec<PathBuf>,
        label: Option<String>,
    },
    Reindex,
    Trend {
        figure: RunFigure,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportForm {
    /// One line per run, time span and direction.
    Csv,
    /// One line per run, with all its data.
    JsonLines,
}
