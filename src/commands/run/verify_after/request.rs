//! Requests for verification after a run.

use crate::profile::RawText;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyAfterRequest {
    pub source: Journals,
    /// Current paths of the targets, in order; empty = unchanged.
    pub targets: Vec<RawText>,
    /// Whether all writes must be atomic, regardless of the run's options.
    pub atomic: bool,
    /// `--power-lost`: the storage lost power, even if this machine did not.
    pub power_lost: bool,
    /// `--shift-ranks`: distance to the rank whose journal is read.
    pub shift_ranks: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Journals {
    One(PathBuf),
    /// `--campaign`: newest journal of a folder with all results.
    Campaign(PathBuf),
}
