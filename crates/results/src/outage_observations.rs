//! Observations of temporarily unresponsive targets: facts, from which `judge` determines outages.

use super::TickCounts;
use diskspd_profile::TargetId;
use serde::{Deserialize, Serialize};

/// Pauses seen by the controlling thread within the measured time. Times are in us from its start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutageObservations {
    /// I/Os from beat to beat, by target; empty = there is one target alone, whose I/Os are all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetTicks>,
    /// Gaps of at least half a second in the controlling thread's observation, when the targets' state is
    /// unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watcher_gaps: Vec<WatcherGap>,
    /// When a target completed nothing for half a second or longer, in the order of their ends: the first
    /// 256.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<CompletionGap>,
    /// First 16 I/Os that were in flight for longer than the limit of `--stuck`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stuck: Vec<HangingIo>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetTicks {
    pub target: TargetId,
    pub ticks: TickCounts,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatcherGap {
    /// Time of the last check before the gap.
    pub start_us: u64,
    pub end_us: u64,
}

/// Time without completions of a target.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletionGap {
    pub target: TargetId,
    /// Last observation with a completion, in µs since the start of the measurement.
    pub start_us: u64,
    /// First observation with a completion again, or end of the measurement, in µs since its start.
    pub end_us: u64,
    /// Maximum I/Os in flight during the gap; missing = not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<u64>,
    /// Changes of paths and links between the start of measuring and the end of the silence, not seen
    /// earlier.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<PathChange>,
}

/// Changed state of a path or link.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathChange {
    /// Time of the observation in µs since the start of the measurement.
    pub observed_us: u64,
    /// Changed attribute: `nvme0c0n1 ana_state`, `sdb state`, `eth0 operstate`.
    pub attribute: String,
    pub from: String,
    pub to: String,
}

/// I/O in flight for a long time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HangingIo {
    pub target: TargetId,
    pub operation: String,
    /// Byte offset in the target.
    pub offset: u64,
    /// Length in bytes; 0 for a flush.
    pub length: u32,
    /// Submission time in µs since the start of the measurement; negative = before.
    pub submitted_us: i64,
    /// Time of the observation in µs since the start of the measurement.
    pub observed_us: u64,
}
