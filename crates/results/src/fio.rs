//! Additional figures of fio results.

use super::AuxFigures;
use diskspd_figures::units::Millis;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FioFigures {
    pub jobs: Vec<String>,
    pub latency: Option<FioLatency>,
    /// Kind of percentiles, minimum and maximum, and the source of the percentiles. `None` without
    /// percentiles; minimum and maximum then have the kind of the means.
    pub percentiles: Option<(FioLatency, FioPercentiles)>,
    /// The smallest percentile that is a lower bound, because fio's last bin has no end; `None` = no I/O is
    /// in that bin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_end: Option<Millis>,
    /// Whether each job has separate percentiles, which cannot be added. Otherwise missing percentiles are
    /// missing in fio's results.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub percentiles_apart: bool,
    /// Jobs that ended with an error, and the error number; their earlier I/O is in the figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<(String, i64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trims: Option<AuxFigures>,
    /// Flushes (`fsync`, `fdatasync`, `sync_file_range`); `None` without flushes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syncs: Option<AuxFigures>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<FioLogFiles>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<FioSeries>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FioLatency {
    /// `lat`: from the creation of the I/O in fio to its completion.
    Total,
    /// `clat`: from the submission of the I/O to its completion, without the duration of the submission.
    Completion,
}

impl fmt::Display for FioLatency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FioLatency::Total => "total latency (lat)",
            FioLatency::Completion => "completion latency (clat, without submission)",
        })
    }
}

/// Source of percentiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FioPercentiles {
    /// Counted from the bins of JSON+.
    Counted,
    Stated,
}

impl fmt::Display for FioPercentiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FioPercentiles::Counted => "counted from fio's bins (at most 0.8 % off)",
            FioPercentiles::Stated => "as fio states them",
        })
    }
}

/// Log files of a kind, one per thread: `a_lat.1.log`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FioLogFiles {
    pub of: FioSeriesOf,
    pub prefix: String,
    /// Number of the first thread.
    pub first: u32,
    pub last: u32,
    /// Whether times are in µs (fio 2) instead of ns.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_us: bool,
    #[serde(default, skip_serializing_if = "FioLogged::is_mean")]
    pub logged: FioLogged,
}

/// Meaning of a logged value, according to fio's options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FioLogged {
    /// The mean of an interval (`log_avg_msec`).
    #[default]
    Mean,
    /// The maximum of an interval (`log_max_value=1`).
    Maximum,
    /// The mean of an interval, followed by its maximum (`log_window_value=both`).
    MeanAndMaximum,
    SingleIo,
    /// Unknown: the result does not list fio's options.
    Unknown,
}

impl FioLogged {
    /// Whether a value is the mean of an interval.
    pub fn is_mean(&self) -> bool {
        matches!(self, FioLogged::Mean | FioLogged::MeanAndMaximum)
    }
}

/// Time series of a figure from log files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FioSeries {
    pub of: FioSeriesOf,
    pub direction: String,
    #[serde(default, skip_serializing_if = "FioLogged::is_mean")]
    pub logged: FioLogged,
    pub interval_s: f64,
    /// Value of each interval from the start; `None` = nothing was logged.
    pub values: Vec<Option<f64>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FioSeriesOf {
    /// `_lat.log`: mean total latency in ms.
    Latency,
    /// `_clat.log`: mean completion latency in ms.
    CompletionLatency,
    /// `_iops.log`: I/Os per second.
    Iops,
    /// `_bw.log`: 2^20 bytes per second.
    MibPerS,
}
