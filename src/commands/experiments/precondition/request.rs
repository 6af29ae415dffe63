//! Request of `precondition`.

use crate::cli::OutRequest;
use crate::experiments::precondition::Standard;
use std::ffi::OsString;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreconditionRequest {
    pub standard: Standard,
    /// `--purge`: discards the whole target first.
    pub purge: bool,
    /// `--fill`: number of full writes; `None` = none.
    pub fill: Option<u32>,
    pub round_s: u32,
    /// `--rounds`: maximum number of rounds.
    pub rounds: u32,
    /// `--destroy`: permission to overwrite block devices with a signature.
    pub destroy: bool,
    pub out: Vec<OutRequest>,
    pub dry_run: bool,
    /// `--quiet`: prints only the table.
    pub quiet: bool,
    pub target: OsString,
    pub options: Vec<OsString>,
}
