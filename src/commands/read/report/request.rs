//! Requests for reports: runs and formats.

use crate::cli::OutRequest;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportRequest {
    /// Records, result XML, or folders with them; at least one.
    pub files: Vec<PathBuf>,
    pub store: Option<PathBuf>,
    /// `-v`: for a single run, all findings, or all percentiles.
    pub verbose: bool,
    /// The form of a table of all runs; `None` = in columns if there are several, else the report.
    pub table: Option<TableForm>,
    /// `--html`: file for the page of all runs, instead of printing.
    pub html: Option<PathBuf>,
    /// `--out`: files for the report of the only record, instead of printing.
    pub out: Vec<OutRequest>,
}

/// Table format for other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableForm {
    Csv,
    Markdown,
}
