//! Requests for merging.

use crate::cli::OutRequest;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequest {
    /// Records, result XML, or folders with them; at least one.
    pub files: Vec<PathBuf>,
    /// `--out`: further reports, in order.
    pub out: Vec<OutRequest>,
    pub per_host: bool,
    pub xml_verdict: bool,
    pub text_verdict: bool,
    /// `-v`: all findings.
    pub verbose: bool,
    pub store: Option<PathBuf>,
}
