//! What is kept of each host where several are merged.

use crate::finding::Severity;
use crate::results::{RunSummary, Verdict};
use serde::{Deserialize, Serialize};

/// What is kept of one host of a merged run beside the machine and its targets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostSummary {
    pub run: RunSummary,
    pub windows: Vec<HostWindow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<HostFinding>,
    /// Whether its devices did what was counted: of each time span the worst that was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<HostDevices>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostWindow {
    /// When it began, ns since 1970-01-01 00:00 UTC: on the clock that all hosts share, where there is one,
    /// or by the host's own; `None` = unknown, or in simulated time.
    pub start_ns: Option<i64>,
    /// How long it was, ns; 0 = never measured.
    pub measured: u64,
    /// By how many intervals it began later than that of the first host.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shift: i64,
}

pub(super) fn is_zero(shift: &i64) -> bool {
    *shift == 0
}

/// Something that was found about the figures of one host.
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
    /// How much it takes away from the figures; `None` = nothing.
    pub severity: Option<Severity>,
    pub message: String,
    /// How many ranks of its machine used these devices: what they counted is compared together. Missing =
    /// this one alone.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub ranks: usize,
}

pub(super) fn one() -> usize {
    1
}

pub(super) fn is_one(ranks: &usize) -> bool {
    *ranks == 1
}
