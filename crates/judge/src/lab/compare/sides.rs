//! The two sides of a comparison and their runs.

use diskspd_model::results::RunSummary;
use std::collections::BTreeMap;

/// A run as comparisons see it.
#[derive(Debug, Clone)]
pub struct SideRun {
    pub known: RunSummary,
    /// What else was recorded of the machine, by name: parts of the fingerprint.
    pub environment: BTreeMap<String, String>,
    pub run_options: BTreeMap<String, String>,
    /// When it began to measure, ms since 1970-01-01 00:00 UTC; `None` = not recorded.
    pub began_ms: Option<i64>,
    /// What tells the boot of the machine from all others; `None` = not recorded.
    pub boot: Option<String>,
    /// The test of a suite that it was run for; `None` = of none.
    pub test: Option<String>,
}

pub(super) type Runs<'a> = [&'a [&'a SideRun]; 2];

#[derive(Debug, Clone)]
pub struct Side {
    pub name: String,
    pub runs: Vec<SideRun>,
}
