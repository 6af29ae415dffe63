//! Results of reads or writes.

use super::paced::PacedIos;
use diskspd_figures::stats::{Histogram, Moments, Series};
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
    /// `--nowait`: number of I/Os in `ios` that would have waited and were repeated; `None` if not
    /// requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nowait_misses: Option<u64>,
    /// `-L`: latencies, ns.
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

    /// The longest latency that was counted, ns; `None` = none was, or none was measured.
    pub fn longest(&self) -> Option<u64> {
        let of_series = || self.series.as_ref()?.valid().filter_map(|interval| interval.max()).max();
        self.latency_moments().and_then(|latency| latency.max()).or_else(of_series)
    }
}
