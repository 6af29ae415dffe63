//! What is merged.

use crate::cli::OutRequest;
use std::path::PathBuf;

/// What is merged, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequest {
    /// Records or result XML, folders that hold them; at least one.
    pub files: Vec<PathBuf>,
    /// `--out`: further reports, in order.
    pub out: Vec<OutRequest>,
    /// `--per-host`: beside each XML one for each host.
    pub per_host: bool,
    /// `--xml-verdict`
    pub xml_verdict: bool,
    /// `--text-verdict`
    pub text_verdict: bool,
    /// `-v`: everything that was found.
    pub verbose: bool,
    /// `--store`: where `@label` is looked for; `None` = the usual history.
    pub store: Option<PathBuf>,
}
