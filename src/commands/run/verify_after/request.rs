//! Requests for verification after a run.

use crate::profile::RawText;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyAfterRequest {
    pub source: Journals,
    /// Current paths of its targets, in order; empty = unchanged.
    pub targets: Vec<RawText>,
    /// Whether every write is judged as atomic, regardless of the run's options.
    pub atomic: bool,
    /// `--power-lost`: the storage lost its power, whether or not this machine did.
    pub power_lost: bool,
    /// `--shift-ranks`, the distance to the rank whose journal is read.
    pub shift_ranks: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Journals {
    One(PathBuf),
    /// `--campaign`: the newest of a folder, which keeps all results.
    Campaign(PathBuf),
}
