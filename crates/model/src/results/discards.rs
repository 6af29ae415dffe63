//! Discards (`--trim`): how many there were, how much they gave back, and how long they took.

use super::flushes::times_ms;
use super::summarize::rows as by_thread;
use super::{AddUp, DirectionResults, Host, SpanResults};
use crate::profile::RawText;
use crate::units::Millis;
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

impl DiscardTable {
    /// Of a time span that was measured for so many seconds, greater than 0; `None` = none were asked for.
    pub(super) fn new(host: &Host, results: &SpanResults, seconds: f64) -> Option<DiscardTable> {
        let mut all = DirectionResults::default();
        let mut rows = Vec::new();
        for (thread, target) in by_thread(&results.threads) {
            let Some(discards) = &target.discards else { continue };
            all.add(discards);
            let figures = DiscardFigures::new(discards, seconds);
            rows.push(DiscardRow { thread, path: host.path(target.target).clone(), figures });
        }
        (!rows.is_empty()).then(|| DiscardTable { rows, total: DiscardFigures::new(&all, seconds) })
    }
}

impl DiscardFigures {
    fn new(discards: &DirectionResults, seconds: f64) -> DiscardFigures {
        let (ios, bytes) = (discards.ios, discards.bytes);
        let [mean, median, p99, p999, max] = discards.latency.as_ref().map(times_ms).unwrap_or_default();
        DiscardFigures { discards: ios, bytes, per_s: ios as f64 / seconds, mean, median, p99, p999, max }
    }
}
