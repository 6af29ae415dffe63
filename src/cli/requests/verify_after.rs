//! What is read back.

use crate::profile::RawText;
use std::path::PathBuf;

/// What is read back after a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyAfterRequest {
    /// What the run told is durable.
    pub source: Journals,
    /// Where its targets are now, in their order; empty = where they were.
    pub targets: Vec<RawText>,
    /// Every write is judged as one that was atomic, whatever the run asked for.
    pub atomic: bool,
    /// `--power-lost`: the storage lost its power, whether or not this machine did.
    pub power_lost: bool,
}

/// Which journals are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Journals {
    /// This one.
    One(PathBuf),
    /// `--campaign`: the newest of a folder, which keeps what came of all.
    Campaign(PathBuf),
}
