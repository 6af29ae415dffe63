//! Results of reads or writes.

use super::paced::PacedIos;
use diskspd_figures::stats::{Histogram, Moments, Series};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DirectionResults {
    pub bytes: u64,
    /// Completed I/Os, including short ones.
    pub ios: u64,
    /// I/Os in `ios` that transferred less than a block.
    #[serde(default)]
    pub short: u64,
    /// `--nowait`: number of I/Os in `ios` that would have waited and were repeated; `None` if not
    /// requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nowait_misses: Option<u64>,
    /// `-L`: latencies in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Box<Histogram>>,
    /// Moments of `latency` in a merged run, where the histogram covers all threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moments: Option<Box<Moments>>,
    /// `-D`: completions by interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Box<Series>>,
    /// `-g`: adherence of these I/Os to their scheduled start times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paced: Option<Box<PacedIos>>,
}

impl DirectionResults {
    pub fn latency_moments(&self) -> Option<Moments> {
        let kept = || self.moments.as_deref().copied();
        self.latency.as_ref().map(|latency| *latency.moments()).or_else(kept)
    }

    /// Returns the longest counted latency in ns; `None` = none was measured.
    pub fn longest(&self) -> Option<u64> {
        let of_series = || self.series.as_ref()?.valid().filter_map(|interval| interval.max()).max();
        self.latency_moments().and_then(|latency| latency.max()).or_else(of_series)
    }
}
