//! Preconditioning of the measured device (`diskspd precondition`).

use diskspd_figures::units::Millis;
use serde::{Deserialize, Serialize};

/// Preconditioning of a target up to and including the run of the record, which is the last round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Preconditioning {
    pub standard: String,
    /// Bytes discarded before; missing = none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purged_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<FillStep>,
    /// Command line of the rounds.
    pub command: String,
    /// Rounds in order of time.
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
    /// I/Os per second of reads and writes, which must become steady.
    pub iops: f64,
    pub mib_per_s: f64,
    /// Mean latency in ms; `None` = no I/O.
    pub mean_ms: Option<Millis>,
    /// 99th percentile of the latency in ms; `None` = no I/O.
    pub p99_ms: Option<Millis>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RoundWindow {
    /// Mean of the I/Os per second of these rounds.
    pub average_iops: f64,
    /// Difference between the fastest and the slowest round, as a share of the mean.
    pub excursion: f64,
    /// Rise of the best-fit straight line from the first to the last, as a share of the mean; negative =
    /// falling.
    pub slope: f64,
}
