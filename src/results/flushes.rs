//! Flushes (`--fsync-every`): how many there were, and how long they took.

use crate::profile::RawText;
use crate::stats::Histogram;
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
    pub mean: Option<f64>,
    /// Median.
    pub median: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// 99.9th percentile.
    pub p999: Option<f64>,
    /// Longest.
    pub max: Option<f64>,
}

impl FlushFigures {
    /// Of the times (ns) of all flushes in so many seconds, greater than 0.
    pub(super) fn new(times: &Histogram, seconds: f64) -> FlushFigures {
        let ms = |nanos: f64| nanos / 1e6;
        let at = |share| times.percentile(share).map(|nanos| ms(nanos as f64));
        let moments = times.moments();
        FlushFigures {
            flushes: moments.count(),
            per_s: moments.count() as f64 / seconds,
            mean: moments.mean().map(ms),
            median: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: moments.max().map(|nanos| ms(nanos as f64)),
        }
    }
}
