//! What is read back.

use crate::profile::RawText;
use std::path::PathBuf;

/// What is read back after a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyAfterRequest {
    /// What the run told is durable.
    pub journal: PathBuf,
    /// Where its targets are now, in their order; empty = where they were.
    pub targets: Vec<RawText>,
    /// Every write is judged as one that was atomic, whatever the run asked for.
    pub atomic: bool,
}
