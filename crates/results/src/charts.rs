//! Charts of latencies, and the percentiles that they have.

use crate::WhichIos;
use diskspd_figures::units::Millis;
use diskspd_profile::RawText;
use serde::{Deserialize, Serialize};

/// Percentiles of a latency chart, as shares; minimum and maximum are separate.
pub const PERCENTILES: [f64; 13] =
    [0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 0.9999999, 0.99999999, 0.999999999];

/// [`PERCENTILES`] as percentages, because a product would round the last digit.
pub const TEXT_PERCENTS: [f64; PERCENTILES.len()] =
    [25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999, 99.9999, 99.99999, 99.999999, 99.9999999];

/// Mean and deviation in ms; `None` = no I/O.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencyFigures {
    pub mean: Option<Millis>,
    pub std_dev: Option<Millis>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LatencyCharts {
    /// One per distinct path, in order of first appearance; all threads merged. Empty if there is only one
    /// path.
    pub paths: Vec<PathChart>,
    pub all: Chart,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathChart {
    pub path: RawText,
    pub chart: Chart,
}

/// A latency distribution in ms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    pub min: ChartRow,
    pub percentiles: Vec<ChartRow>,
    pub max: ChartRow,
}

/// Latency by direction in ms; `None` = no I/O.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ChartRow {
    pub read: Option<Millis>,
    pub write: Option<Millis>,
    pub total: Option<Millis>,
}

impl Chart {
    /// The latencies that `percent` of the I/Os did not exceed; `None` = the chart has no such percentile.
    pub fn percentile(&self, percent: f64) -> Option<ChartRow> {
        find_percentile(TEXT_PERCENTS.into_iter().zip(self.percentiles.iter().copied()), percent)
    }
}

/// Returns the value at a percentile, of values with their percentages. Percentages are the same to a
/// billionth: shares times 100 are not exact.
pub fn find_percentile<T>(values: impl IntoIterator<Item = (f64, T)>, percent: f64) -> Option<T> {
    let billionths = |percent: f64| (percent * 1e9).round() as i64;
    values.into_iter().find(|(known, _)| billionths(*known) == billionths(percent)).map(|(_, value)| value)
}

pub fn is_listed(percents: &[f64], percent: f64) -> bool {
    find_percentile(percents.iter().map(|known| (*known, ())), percent).is_some()
}

impl ChartRow {
    pub fn of_mut(&mut self, which: WhichIos) -> &mut Option<Millis> {
        match which {
            WhichIos::Total => &mut self.total,
            WhichIos::Read => &mut self.read,
            WhichIos::Write => &mut self.write,
        }
    }

    pub fn for_ios(&self, which: WhichIos) -> Option<Millis> {
        match which {
            WhichIos::Total => self.total,
            WhichIos::Read => self.read,
            WhichIos::Write => self.write,
        }
    }
}

/// Percentiles of the XML results as percentages, including minimum and maximum.
pub const FINE_PERCENTILES: [f64; 108] = {
    let mut all = [0.0; 108];
    let mut whole = 1;
    while whole < 100 {
        all[whole] = whole as f64;
        whole += 1;
    }
    let nines = [99.9, 99.99, 99.999, 99.9999, 99.99999, 99.999999, 99.9999999, 100.0];
    while whole < 108 {
        all[whole] = nines[whole - 100];
        whole += 1;
    }
    all
};

/// Latency distribution at [`FINE_PERCENTILES`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FineChart {
    /// Distinct latencies of reads, in units of 100 ns: see [`diskspd_figures::stats::Histogram::distinct`].
    pub distinct_reads: u64,
    pub distinct_writes: u64,
    pub distinct_total: u64,
    /// Latencies in ms, in the order of the percentiles.
    pub rows: Vec<ChartRow>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_report_percentages_match_shares() {
        for (percent, share) in TEXT_PERCENTS.iter().zip(PERCENTILES) {
            assert!((percent / 100.0 - share).abs() < 1e-15, "{percent} {share}");
            assert!(FINE_PERCENTILES.contains(percent));
        }
    }
}
