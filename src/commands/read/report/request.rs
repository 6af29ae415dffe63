//! Requests for reports: runs and formats.

use crate::cli::OutRequest;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportRequest {
    /// Records, result XML, folders that hold them; at least one.
    pub files: Vec<PathBuf>,
    pub store: Option<PathBuf>,
    /// `-v`: for a single run, all findings, or every percentile.
    pub verbose: bool,
    /// The form of a table of all runs; `None` = in columns if there are several, else the report.
    pub table: Option<TableForm>,
    /// `--html`: file for the page of all runs, instead of printing.
    pub html: Option<PathBuf>,
    /// `--out`: files for the record's report, instead of printing; not with several records.
    pub out: Vec<OutRequest>,
}

/// The form of a table for other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableForm {
    Csv,
    /// `--md`
    Markdown,
}
