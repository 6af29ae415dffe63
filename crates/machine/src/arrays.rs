//! Software RAIDs (md and LVM): their background activity during the measurement, and missing members.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ArrayFacts {
    /// Kernel name: `md0`, `dm-3`.
    pub name: String,
    /// Number of members; `None` = not reported.
    pub members: Option<u64>,
    /// Number of missing members at the start and the end of the measurement.
    pub missing: (u64, u64),
    /// Whether the state is inaccessible, because LVM requires root.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub state_unknown: bool,
    /// Background activity at one of the checks; `None` = idle at all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maintenance: Option<ArrayMaintenance>,
}

/// Background activity of a RAID on the members used by the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ArrayMaintenance {
    /// Kernel's word: `resync`, `recover`, `check`, `repair`, `reshape`.
    pub action: String,
    /// Completed share at the first and the last observation.
    pub done: (f64, f64),
}
