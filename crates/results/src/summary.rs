//! The summary: every figure that reports show, derived once, so that all reports agree.

use super::charts::{FineChart, LatencyCharts, LatencyFigures};
use super::interval_figures::IopsSeries;
use super::{
    AuxTables, CpuTable, EffectiveRange, IntegrityTable, NowaitTable, PacedFigures, PartTable, TraceFigures,
    WaitStatistics,
};
use diskspd_profile::RawText;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Figures by time span; `None` = ended before the measurement.
    pub time_spans: Vec<Option<Measured>>,
    /// Figures over all time spans, if there are several.
    pub totals: Option<Totals>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Measured time in s, greater than 0.
    pub seconds: f64,
    /// Number of threads: `-F`, or the threads created.
    pub thread_count: u32,
    /// `-O`; 0 = not given.
    pub request_count: u32,
    /// Whether `-F` and `-O` are given, so that the request count has an effect.
    pub floating_pool: bool,
    /// Failed I/Os over the whole span, excluded from all other figures.
    #[serde(default)]
    pub failed: u64,
    pub cpu: CpuTable,
    /// Effective distributions (`-rd`) without duplicates, in the order of their ranges.
    pub distributions: Vec<DistributionGroup>,
    pub total: Table,
    pub read: Table,
    pub write: Table,
    pub latency: Option<LatencyCharts>,
    /// Latencies at more percentiles (`-L`).
    #[serde(default)]
    pub fine_percentiles: Option<FineChart>,
    /// Time series of the span (`-D`).
    #[serde(default)]
    pub iops: Option<IopsSeries>,
    /// Adherence to scheduled start times; `None` without a schedule.
    #[serde(default)]
    pub paced: Option<PacedFigures>,
    #[serde(default)]
    pub parts: Option<PartTable>,
    /// Verified sectors (`--verify`); `None` = nothing was verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrity: Option<IntegrityTable>,
    /// Operations other than reads and writes (`--fsync-every`, `--trim`).
    #[serde(flatten)]
    pub others: AuxTables,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nowait: Option<NowaitTable>,
    #[serde(default)]
    pub trace: Option<TraceFigures>,
    /// Wait statistics (`-vs`), ascending by thread.
    pub waits: Vec<ThreadWaits>,
    /// Number of submissions by thread (`-u`), ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub submits: Vec<ThreadSubmits>,
}

/// Figures by thread and target. All three tables of a time span have the same rows in the same order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Rows by thread, ascending; targets in the thread's order.
    pub rows: Vec<Row>,
    pub total: Figures,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub thread: u32,
    /// Path of the target as entered by the user.
    pub path: RawText,
    /// Size of the target in bytes.
    pub size: u64,
    pub figures: Figures,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    pub throughput: Throughput,
    pub latency: Option<LatencyFigures>,
    /// `-D`: population standard deviation of the I/Os per second over intervals; 0 without intervals.
    pub iops_std_dev: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    pub bytes: u64,
    pub ios: u64,
    pub mib_per_s: f64,
    pub iops: f64,
}

impl Throughput {
    /// Computes rates over a time in s; 0 without time.
    pub(super) fn new(bytes: u64, ios: u64, seconds: f64) -> Throughput {
        let per_second = |amount: f64| if seconds > 0.0 { amount / seconds } else { 0.0 };
        let mib_per_s = per_second(bytes as f64 / 1024.0 / 1024.0);
        Throughput { bytes, ios, mib_per_s, iops: per_second(ios as f64) }
    }
}

/// An effective distribution and its threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistributionGroup {
    pub users: Vec<DistributionUser>,
    pub ranges: Vec<EffectiveRange>,
}

/// Target, with the threads that use the same distribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistributionUser {
    pub path: RawText,
    pub threads: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThreadWaits {
    pub thread: u32,
    pub waits: WaitStatistics,
    /// Whether some I/Os were delayed by a rate or burst (`-g`, `-i` with `-j`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub throttled: bool,
}

/// Submission calls of a thread (`-u`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThreadSubmits {
    pub thread: u32,
    /// Calls per second of the measurement.
    pub per_second: f64,
}

/// Figures over all measured time spans.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Sum of the measured times in s.
    pub seconds: f64,
    pub write: Throughput,
    pub read: Throughput,
    pub total: Throughput,
}
