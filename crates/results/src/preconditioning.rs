//! How a device was brought into the state that it was measured in (`diskspd precondition`).

use diskspd_figures::units::Millis;
use serde::{Deserialize, Serialize};

/// All that was done to a target before, and with, the run of the record, which is the last round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Preconditioning {
    pub standard: String,
    /// Bytes that were discarded before; missing = nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purged_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<FillStep>,
    /// The command line of the rounds.
    pub command: String,
    /// The rounds, the first one first.
    pub rounds: Vec<RoundFigures>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<RoundWindow>,
    pub steady: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FillStep {
    pub command: String,
    pub bytes: u64,
    pub seconds: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundFigures {
    /// I/Os per second, reads and writes: the figure that must become steady.
    pub iops: f64,
    /// 2^20 bytes per second.
    pub mib_per_s: f64,
    /// Mean latency, ms; `None` = no I/O.
    pub mean_ms: Option<Millis>,
    /// 99 % took no longer, ms; `None` = no I/O.
    pub p99_ms: Option<Millis>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RoundWindow {
    /// Mean of their I/Os per second.
    pub average_iops: f64,
    /// Distance of the fastest from the slowest, share of the mean.
    pub excursion: f64,
    /// Rise of the best-fit straight line from the first to the last, as a share of the mean; negative =
    /// falling.
    pub slope: f64,
}
