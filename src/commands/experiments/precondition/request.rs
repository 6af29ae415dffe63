//! How a device is preconditioned.

use crate::cli::OutRequest;
use crate::experiments::precondition::Standard;
use std::ffi::OsString;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreconditionRequest {
    pub standard: Standard,
    /// `--purge`: everything is discarded first.
    pub purge: bool,
    /// `--fill`: how often all of it is written; `None` = not at all.
    pub fill: Option<u32>,
    pub round_s: u32,
    /// `--rounds`: how many there are at most.
    pub rounds: u32,
    /// `--destroy`: permit writing to block devices that carry a signature.
    pub destroy: bool,
    pub out: Vec<OutRequest>,
    pub dry_run: bool,
    /// `--quiet`: the table alone.
    pub quiet: bool,
    pub target: OsString,
    pub options: Vec<OsString>,
}
