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
    /// I/Os that were in flight for longer than `--stuck` allows; the first 16.
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
    /// Time of the last check before it.
    pub start_us: u64,
    pub end_us: u64,
}

/// A time in which a target completed nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletionGap {
    pub target: TargetId,
    /// Last observation with a completion, in us since measuring began.
    pub start_us: u64,
    /// First observation with a completion again, or the end of measuring, in us since it began.
    pub end_us: u64,
    /// Maximum I/Os in flight during the pause; missing if not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<u64>,
    /// Changes of paths and links between the start of measuring and the end of the silence, not seen
    /// earlier.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<PathChange>,
}

/// A path or link that changed its state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathChange {
    /// Time of the observation in us since the start of measuring.
    pub observed_us: u64,
    /// Changed attribute: `nvme0c0n1 ana_state`, `sdb state`, `eth0 operstate`.
    pub attribute: String,
    pub from: String,
    pub to: String,
}

/// An I/O that did not come back for long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HangingIo {
    pub target: TargetId,
    pub operation: String,
    /// Byte offset in the target.
    pub offset: u64,
    /// Bytes; 0 of a flush.
    pub length: u32,
    /// Submission time in us since the start of measuring; negative = before.
    pub submitted_us: i64,
    /// Time of the observation in us since the start of measuring.
    pub observed_us: u64,
}
