//! How a device is preconditioned.

use crate::cli::OutRequest;
use crate::lab::precondition::Standard;
use std::ffi::OsString;

/// A preconditioning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreconditionRequest {
    /// `--standard`: whose rules it is done by.
    pub standard: Standard,
    /// `--purge`: everything is discarded first.
    pub purge: bool,
    /// `--fill`: how often all of it is written; `None` = not at all.
    pub fill: Option<u32>,
    /// `--round`: how long a round is, s.
    pub round_s: u32,
    /// `--rounds`: how many there are at most.
    pub rounds: u32,
    /// `--destroy`: permit writing to block devices that carry a signature.
    pub destroy: bool,
    /// `--out`: where the record of the last round goes.
    pub out: Vec<OutRequest>,
    /// `--dry-run`: check and tell alone.
    pub dry_run: bool,
    /// `--quiet`: the table alone.
    pub quiet: bool,
    /// The target, as it was given.
    pub target: OsString,
    /// Options of the rounds: what stood behind `--`.
    pub options: Vec<OsString>,
}
