//! I/Os that have a time to start at (`-g`, `--rate-total`): how they kept to it, and how long they took
//! from there.
//!
//! The latency of an I/O counts from where it was handed over. When the storage stalls, all requests of a
//! thread are in flight, so what should have been started meanwhile isn't, and its wait is in no latency.
//! Counted from the time at which it was to start, it is.

use super::summary::{Chart, LatencyFigures};
use crate::stats::Histogram;
use crate::units::Millis;
use serde::{Deserialize, Serialize};

/// Started so long after it was due an I/O is late, ns. To sleep until the next one and to be woken up
/// takes some 10 to 100 us; ten times that is no accident of scheduling.
pub const LATE: u64 = 1_000_000;

/// What the lateness of recorded I/Os is counted by, ns, and how that is called.
pub const LATENESS: [(u64, &str); 6] = [
    (10_000, "10 us"),
    (100_000, "100 us"),
    (1_000_000, "1 ms"),
    (10_000_000, "10 ms"),
    (100_000_000, "100 ms"),
    (1_000_000_000, "1 s"),
];

/// I/Os of one direction that had a time to start at: all that are counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Paced {
    /// How long after that time they were handed over, ns.
    pub delay: Histogram,
    /// `-L`: response times, from that time until they had completed, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Histogram>,
}

/// I/Os that were due when measuring ended and had not been handed over. They are in no other figure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overdue {
    /// How many.
    pub ios: u64,
    /// How long the first of them had been due, ns.
    pub longest: u64,
}

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
    /// Those of them that started more than 1 ms after it.
    pub late: u64,
    /// Mean time after it; `None` = no I/O.
    pub mean_delay: Option<Millis>,
    /// Longest.
    pub max_delay: Option<Millis>,
    /// I/Os that were due when measuring ended and had not been started.
    pub overdue: u64,
    /// How long the first of them had been due; `None` = there was none.
    pub max_overdue: Option<Millis>,
    /// Of recorded I/Os (`--replay`) how many started later than each of [`LATENESS`]; empty = of others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later_than: Vec<u64>,
    /// `-L`: of the same I/Os, from where they were handed over.
    pub service: Option<PacedLatency>,
    /// `-L`: from where they were due.
    pub response: Option<PacedLatency>,
}

/// Latencies of I/Os that had a time to start at, ms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PacedLatency {
    /// Of reads.
    pub read: LatencyFigures,
    /// Of writes.
    pub write: LatencyFigures,
    /// Of both.
    pub total: LatencyFigures,
    /// At the percentiles of the latency chart.
    pub chart: Chart,
}
