//! Discards (`--trim`): how many there were, how much they gave back, and how long they took.

use super::{AddUp, DirectionResults, Host, SpanResults};
use crate::profile::RawText;
use serde::{Deserialize, Serialize};

/// Discards by thread and target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiscardTable {
    /// Threads ascending, targets in the thread's order; only those with discards.
    pub rows: Vec<DiscardRow>,
    /// All rows, merged.
    pub total: DiscardFigures,
}

/// The discards of one thread on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiscardRow {
    /// Thread number.
    pub thread: u32,
    /// The target, as the user gave it.
    pub path: RawText,
    /// Its discards.
    pub figures: DiscardFigures,
}

/// Discards that have completed. Times in ms; `None` = there were none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiscardFigures {
    /// How many.
    pub discards: u64,
    /// Bytes that they discarded, whatever had been discarded before.
    pub bytes: u64,
    /// How many per second.
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

impl DiscardTable {
    /// Of a time span that was measured for so many seconds, greater than 0; `None` = none were asked for.
    pub(super) fn new(host: &Host, results: &SpanResults, seconds: f64) -> Option<DiscardTable> {
        let mut all = DirectionResults::default();
        let mut rows = Vec::new();
        for (thread, results) in (0..).zip(&results.threads) {
            for target in &results.targets {
                let Some(discards) = &target.discards else { continue };
                all.add(discards);
                let figures = DiscardFigures::new(discards, seconds);
                rows.push(DiscardRow { thread, path: host.path(target.target).clone(), figures });
            }
        }
        (!rows.is_empty()).then(|| DiscardTable { rows, total: DiscardFigures::new(&all, seconds) })
    }
}

impl DiscardFigures {
    fn new(discards: &DirectionResults, seconds: f64) -> DiscardFigures {
        let ms = |nanos: f64| nanos / 1e6;
        let times = discards.latency.clone().unwrap_or_default();
        let at = |share| times.percentile(share).map(|nanos| ms(nanos as f64));
        let moments = times.moments();
        DiscardFigures {
            discards: discards.ios,
            bytes: discards.bytes,
            per_s: discards.ios as f64 / seconds,
            mean: moments.mean().map(ms),
            median: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: moments.max().map(|nanos| ms(nanos as f64)),
        }
    }
}
