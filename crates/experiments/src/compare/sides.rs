//! The two sides of a comparison and their runs.

use diskspd_results::RunSummary;
use std::collections::BTreeMap;

/// Run as input of a comparison.
#[derive(Debug, Clone)]
pub struct SideRun {
    pub known: RunSummary,
    pub environment: BTreeMap<String, String>,
    pub run_options: BTreeMap<String, String>,
    /// Start of the measurement in ms since 1970-01-01 00:00 UTC; `None` = not recorded.
    pub began_ms: Option<i64>,
    /// Identifier of the boot; `None` = not recorded.
    pub boot: Option<String>,
    /// Suite test of the run; `None` = no suite.
    pub test: Option<String>,
}

pub(super) type Runs<'a> = [&'a [&'a SideRun]; 2];

#[derive(Debug, Clone)]
pub struct Side {
    pub name: String,
    pub runs: Vec<SideRun>,
}
