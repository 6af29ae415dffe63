//! Figures of I/Os that were due at a time.

use super::charts::{Chart, LatencyFigures};
use crate::units::Millis;
use serde::{Deserialize, Serialize};

/// How the I/Os of a time span kept to the times at which they were to start. Times in ms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PacedFigures {
    /// I/Os per second that were to start, on all targets that have a rate.
    #[serde(default)]
    pub offered_iops: f64,
    /// I/Os per second of those that were done.
    #[serde(default)]
    pub iops: f64,
    /// I/Os that had such a time.
    pub ios: u64,
    pub late_starts: u64,
    /// Mean time after it; `None` = no I/O.
    pub mean_delay: Option<Millis>,
    pub max_delay: Option<Millis>,
    /// I/Os that were due when measuring ended and had not been started.
    pub not_submitted: u64,
    /// How long the first of them had been due; `None` = there was none.
    pub max_not_submitted_delay: Option<Millis>,
    /// Of recorded I/Os (`--replay`) how many started later than each of `LATENESS`; empty = of others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later_than: Vec<u64>,
    pub service: Option<PacedLatency>,
    /// `-L`: from where they were due.
    pub response: Option<PacedLatency>,
}

/// Latencies of I/Os that had a time to start at, ms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PacedLatency {
    pub read: LatencyFigures,
    pub write: LatencyFigures,
    pub total: LatencyFigures,
    pub chart: Chart,
}
