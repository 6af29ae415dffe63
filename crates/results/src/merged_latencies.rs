//! Latencies of several hosts, added up.

use super::charts::{Chart, ChartRow, PERCENTILES};
use crate::{Accumulate, DirectionResults, PacedIos};
use diskspd_figures::stats::Histogram;
use diskspd_figures::units::Millis;
use diskspd_profile::TargetId;
use serde::{Deserialize, Serialize};

/// Latencies of all threads of a merged time span, which are not kept separately.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MergedLatencies {
    pub read: MergedTimes,
    pub write: MergedTimes,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetLatencies>,
    /// Time in ns covered by the intervals; `None` = the whole measured time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MergedTimes {
    /// `-L`: latencies in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Histogram>,
    /// `-g`: adherence of I/Os to their scheduled start times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paced: Option<PacedIos>,
    /// `-g` and `-L`: latencies of the same I/Os in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Histogram>,
}

impl MergedTimes {
    /// Takes the histogram of one thread on one target out of its results, which keep the moments.
    /// `paced`: whether that target's I/Os had start times.
    pub fn take(&mut self, from: &mut DirectionResults, paced: bool) {
        if paced {
            self.service.add(&from.latency);
        }
        self.paced.add(&from.paced.take());
        if let Some(latency) = from.latency.take() {
            self.latency.get_or_insert_default().add(&*latency);
            from.moments = Some(Box::new(*latency.moments()));
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetLatencies {
    pub target: TargetId,
    /// Of reads, writes and both, ms, null = no I/O: the shortest, at each of the percentiles of
    /// the text report ([`super::PERCENTILES`]), the longest. In the precision of DISKSPD's single latencies,
    /// which JSON keeps.
    rows: Vec<[Option<f32>; 3]>,
}

impl TargetLatencies {
    pub fn new(target: TargetId, chart: &Chart) -> TargetLatencies {
        let rows = std::iter::once(&chart.min).chain(&chart.percentiles).chain([&chart.max]);
        let single = |of: Option<Millis>| of.map(|time| time.ms() as f32);
        let rows = rows.map(|row| [row.read, row.write, row.total].map(single)).collect();
        TargetLatencies { target, rows }
    }

    pub fn chart(&self) -> Chart {
        let double = |of: Option<f32>| of.map(|ms| Millis::new(ms.into()));
        let mut rows = self.rows.iter().map(|row| {
            let [read, write, total] = row.map(double);
            ChartRow { read, write, total }
        });
        let min = rows.next().unwrap_or_default();
        let mut percentiles: Vec<ChartRow> = rows.collect();
        let max = percentiles.pop().unwrap_or_default();
        percentiles.resize(PERCENTILES.len(), ChartRow::default());
        Chart { min, percentiles, max }
    }
}
