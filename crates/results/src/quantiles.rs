//! Quantiles of times: the summary of a distribution in lists, tables and short reports.

use diskspd_figures::stats::Histogram;
use diskspd_figures::units::Millis;
use serde::{Deserialize, Serialize};

/// Times in ms; `None` = no I/O, or unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Quantiles {
    pub mean: Option<Millis>,
    #[serde(alias = "median")]
    pub p50: Option<Millis>,
    pub p95: Option<Millis>,
    pub p99: Option<Millis>,
    pub p999: Option<Millis>,
    pub max: Option<Millis>,
}

impl Quantiles {
    /// Returns the quantiles of times in ns.
    pub fn from_times(times: &Histogram) -> Quantiles {
        let moments = times.moments();
        let at = |share: f64| times.percentile(share).map(Millis::of_ns);
        Quantiles {
            mean: moments.mean().map(Millis::of_mean_ns),
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            p999: at(0.999),
            max: moments.max().map(Millis::of_ns),
        }
    }

    /// Creates quantiles from `at`, the time that a percentage of the I/Os did not exceed.
    pub fn from_percentiles(
        mean: Option<Millis>,
        at: impl Fn(f64) -> Option<Millis>,
        max: Option<Millis>,
    ) -> Quantiles {
        Quantiles { mean, p50: at(50.0), p95: at(95.0), p99: at(99.0), p999: at(99.9), max }
    }
}
