//! What was read, or written.

use super::paced::Paced;
use crate::stats::{Histogram, Moments, Series};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DirectionResults {
    /// Bytes transferred.
    pub bytes: u64,
    /// I/Os completed, short ones included.
    pub ios: u64,
    /// I/Os that transferred less than a block, of all `ios`.
    #[serde(default)]
    pub short: u64,
    /// `--nowait`: I/Os of all `ios` that would have waited and were done again; `None` = nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nowait_misses: Option<u64>,
    /// `-L`: latencies, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Box<Histogram>>,
    /// What is kept of `latency` in a merged run, whose histogram is that of all threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moments: Option<Box<Moments>>,
    /// `-D`: completions by interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Box<Series>>,
    /// `-g`: how these I/Os kept to the times at which they were to start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paced: Option<Box<Paced>>,
}

impl DirectionResults {
    pub fn latency_moments(&self) -> Option<Moments> {
        let kept = || self.moments.as_deref().copied();
        self.latency.as_ref().map(|latency| *latency.moments()).or_else(kept)
    }

    /// The longest latency that was counted, ns; `None` = none was, or none was measured.
    pub fn longest(&self) -> Option<u64> {
        let of_series = || self.series.as_ref()?.valid().filter_map(|interval| interval.max()).max();
        self.latency_moments().and_then(|latency| latency.max()).or_else(of_series)
    }
}
