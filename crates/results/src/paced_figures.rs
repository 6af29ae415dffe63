//! Figures of I/Os that were due at a time.

use super::charts::{Chart, LatencyFigures};
use diskspd_figures::units::Millis;
use serde::{Deserialize, Serialize};

/// Adherence of a time span's I/Os to their scheduled start times. Times in ms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PacedFigures {
    /// Offered I/Os per second, over all targets with a rate.
    #[serde(default)]
    pub offered_iops: f64,
    /// Completed I/Os per second on these targets.
    #[serde(default)]
    pub iops: f64,
    /// Number of I/Os with a scheduled start time.
    pub ios: u64,
    pub late_starts: u64,
    /// Mean delay of the start; `None` = no I/O.
    pub mean_delay: Option<Millis>,
    pub max_delay: Option<Millis>,
    /// I/Os that were due at the end of the measurement but not started.
    pub not_submitted: u64,
    /// Delay of the oldest unsubmitted I/O; `None` = no such I/O.
    pub max_not_submitted_delay: Option<Millis>,
    /// Number of recorded I/Os (`--replay`) later than each of `LATENESS`; empty for other I/Os.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later_than: Vec<u64>,
    pub service: Option<PacedLatency>,
    /// `-L`: response times from the scheduled start.
    pub response: Option<PacedLatency>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PacedLatency {
    pub read: LatencyFigures,
    pub write: LatencyFigures,
    pub total: LatencyFigures,
    pub chart: Chart,
}
