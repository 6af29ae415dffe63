//! Flushes (`--fsync-every`): how many there were, and how long they took.

use crate::profile::RawText;
use crate::stats::Histogram;
use crate::units::Millis;
use serde::{Deserialize, Serialize};

/// Flushes by thread and target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlushTable {
    /// Threads ascending, targets in the thread's order; only those that flush.
    pub rows: Vec<FlushRow>,
    /// All rows, merged.
    pub total: FlushFigures,
}

/// The flushes of one thread on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlushRow {
    /// Thread number.
    pub thread: u32,
    /// The target, as the user gave it.
    pub path: RawText,
    /// Its flushes.
    pub figures: FlushFigures,
}

/// Flushes that have completed. Times in ms; `None` = there were none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlushFigures {
    /// How many.
    pub flushes: u64,
    /// The same, per second.
    pub per_s: f64,
    /// Mean time.
    pub mean: Option<Millis>,
    /// Median.
    pub median: Option<Millis>,
    /// 99th percentile.
    pub p99: Option<Millis>,
    /// 99.9th percentile.
    pub p999: Option<Millis>,
    /// Longest.
    pub max: Option<Millis>,
}

impl FlushFigures {
    /// Of the times (ns) of all flushes in so many seconds, greater than 0.
    pub(super) fn new(times: &Histogram, seconds: f64) -> FlushFigures {
        let flushes = times.moments().count();
        let [mean, median, p99, p999, max] = times_ms(times);
        FlushFigures { flushes, per_s: flushes as f64 / seconds, mean, median, p99, p999, max }
    }
}

/// Mean, median, 99th and 99.9th percentile and the longest of times in ns; `None` = there are none.
pub(super) fn times_ms(times: &Histogram) -> [Option<Millis>; 5] {
    let at = |share| times.percentile(share).map(Millis::of_ns);
    let longest = times.moments().max().map(Millis::of_ns);
    [times.moments().mean().map(Millis::of_mean_ns), at(0.5), at(0.99), at(0.999), longest]
}
