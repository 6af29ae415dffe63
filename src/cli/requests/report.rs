//! Which runs are reported, and in which form.

use crate::cli::OutRequest;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportRequest {
    /// Records, result XML, folders that hold them; at least one.
    pub files: Vec<PathBuf>,
    pub store: Option<PathBuf>,
    /// `-v`: of a single run, everything that was found about it, or every percentile.
    pub verbose: bool,
    /// The form of a table of all runs; `None` = in columns if there are several, else the report.
    pub table: Option<TableForm>,
    /// `--html`: the page of all runs is written to this file, and nothing is printed.
    pub html: Option<PathBuf>,
    /// `--out`: the record's report is written to these files, and nothing is printed; not with several
    /// files.
    pub out: Vec<OutRequest>,
}

/// The form of a table for other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableForm {
    Csv,
    /// `--md`
    Markdown,
}
