//! Retained data of each host in a merged run.

use crate::{RunSummary, SlowIos, Verdict};
use diskspd_base::finding::Severity;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostSummary {
    pub run: RunSummary,
    pub windows: Vec<HostWindow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<HostFinding>,
    /// Device verdicts: the worst one per time span.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<HostDevices>,
    /// The slowest I/Os by time span (`--explain`); empty = not recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slow: Vec<Option<SlowIos>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostWindow {
    /// Start in ns since 1970-01-01 00:00 UTC, by the common clock if there is one, else by the host's
    /// clock. `None` if unknown, or in simulated time.
    pub start_ns: Option<i64>,
    /// Measured time in ns; 0 = not measured.
    pub measured: u64,
    /// Delay of its start relative to the first host, in intervals.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shift: i64,
}

pub(super) fn is_zero(shift: &i64) -> bool {
    *shift == 0
}

/// Finding about the figures of one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFinding {
    pub name: String,
    pub severity: Severity,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_span: Option<usize>,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostDevices {
    pub time_span: usize,
    pub verdict: Verdict,
    /// Severity; `None` = the figures are not affected.
    pub severity: Option<Severity>,
    pub message: String,
    /// Number of ranks on its machine that used these devices; their counts are compared together. Missing
    /// = only this rank.
    #[serde(default = "default_count", skip_serializing_if = "is_one")]
    pub ranks: usize,
}

pub(super) fn default_count() -> usize {
    1
}

pub(super) fn is_one(ranks: &usize) -> bool {
    *ranks == 1
}
