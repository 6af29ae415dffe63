//! The summary: every figure that reports show, derived once. All reports print these, so they can't
//! disagree.

use super::{
    CpuTable, EffectiveRange, IntegrityTable, IntervalFigures, PacedFigures, TraceFigures, WaitStatistics,
    WeightedStdDevs, WhichIos,
};
use super::{OtherTables, PartTable};
use crate::profile::RawText;
use crate::units::Millis;
use serde::{Deserialize, Serialize};

/// The percentiles of a latency chart, as shares; minimum and maximum stand apart.
pub const PERCENTILES: [f64; 13] =
    [0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 0.9999999, 0.99999999, 0.999999999];

/// All figures of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// One per time span, in order; `None` = ended before measuring began.
    pub time_spans: Vec<Option<Measured>>,
    /// Over all time spans, if the profile has two or more.
    pub totals: Option<Totals>,
}

/// All figures of one time span.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Measured time, s; greater than 0.
    pub seconds: f64,
    /// Threads: `-F`, or those created.
    pub thread_count: u32,
    /// `-O`; 0 = not given.
    pub request_count: u32,
    /// `-F` together with `-O`: the request count has an effect.
    pub floating_pool: bool,
    /// I/Os that failed, over the whole life of the span: they are in no other figure.
    #[serde(default)]
    pub failed: u64,
    /// What the machine's CPUs did.
    pub cpu: CpuTable,
    /// Effective distributions (`-rd`), each one once, in the order of their ranges.
    pub distributions: Vec<DistributionGroup>,
    /// Reads and writes together.
    pub total: Table,
    /// Reads.
    pub read: Table,
    /// Writes.
    pub write: Table,
    /// Latency charts (`-L`).
    pub latency: Option<LatencyCharts>,
    /// All latencies, at more percentiles (`-L`).
    #[serde(default)]
    pub fine: Option<FineChart>,
    /// The course of the span (`-D`).
    #[serde(default)]
    pub iops: Option<IopsSeries>,
    /// How I/Os kept to the times at which they were to start; `None` = they had none.
    #[serde(default)]
    pub paced: Option<PacedFigures>,
    /// By part and size (`--mix`, `--bs-split`); `None` = there are none.
    #[serde(default)]
    pub parts: Option<PartTable>,
    /// Verified sectors (`--verify`); `None` = nothing was verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrity: Option<IntegrityTable>,
    /// Other operations than reads and writes (`--fsync-every`, `--trim`).
    #[serde(flatten)]
    pub others: OtherTables,
    /// The trace (`-e`).
    #[serde(default)]
    pub trace: Option<TraceFigures>,
    /// Wait statistics (`-vs`), ascending by thread.
    pub waits: Vec<ThreadWaits>,
    /// How often threads handed over I/Os (`-u`), ascending by thread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub submits: Vec<ThreadSubmits>,
}

/// Figures by thread and target. All three tables of a time span have the same rows in the same order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Threads ascending, targets in the thread's order.
    pub rows: Vec<Row>,
    /// All rows, merged.
    pub total: Figures,
}

/// One thread on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Thread number.
    pub thread: u32,
    /// The target, as the user gave it.
    pub path: RawText,
    /// Size of the target, bytes.
    pub size: u64,
    /// What was done.
    pub figures: Figures,
}

/// Throughput, latency and its regularity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Amounts and rates.
    pub throughput: Throughput,
    /// `-L`
    pub latency: Option<LatencyFigures>,
    /// `-D`: population standard deviation of the I/Os per second, over intervals. 0 without any interval.
    pub iops_std_dev: Option<f64>,
}

/// Amounts and rates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// Bytes transferred.
    pub bytes: u64,
    /// I/Os completed.
    pub ios: u64,
    /// 2^20 bytes per second.
    pub mib_per_s: f64,
    /// I/Os per second.
    pub iops: f64,
}

impl Throughput {
    /// Amounts over a time in s; rates over no time are 0.
    pub(super) fn new(bytes: u64, ios: u64, seconds: f64) -> Throughput {
        let per_second = |amount: f64| if seconds > 0.0 { amount / seconds } else { 0.0 };
        let mib_per_s = per_second(bytes as f64 / 1024.0 / 1024.0);
        Throughput { bytes, ios, mib_per_s, iops: per_second(ios as f64) }
    }
}

/// Mean and deviation, ms; `None` = no I/O.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencyFigures {
    /// Arithmetic mean.
    pub mean: Option<Millis>,
    /// Population standard deviation.
    pub std_dev: Option<Millis>,
}

/// Latency distributions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LatencyCharts {
    /// One per distinct path, in order of first appearance; all threads merged. Empty if there is only one
    /// path.
    pub paths: Vec<PathChart>,
    /// Everything merged.
    pub all: Chart,
}

/// Latency distribution of one path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathChart {
    /// The target.
    pub path: RawText,
    /// Its distribution.
    pub chart: Chart,
}

/// A latency distribution, ms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// Shortest.
    pub min: ChartRow,
    /// At [`PERCENTILES`], in order.
    pub percentiles: Vec<ChartRow>,
    /// Longest.
    pub max: ChartRow,
}

/// A latency by direction, ms; `None` = no I/O.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ChartRow {
    /// Of reads.
    pub read: Option<Millis>,
    /// Of writes.
    pub write: Option<Millis>,
    /// Of both, merged.
    pub total: Option<Millis>,
}

impl ChartRow {
    /// That of these I/Os, to be filled in.
    pub fn of_mut(&mut self, which: WhichIos) -> &mut Option<Millis> {
        match which {
            WhichIos::Total => &mut self.total,
            WhichIos::Read => &mut self.read,
            WhichIos::Write => &mut self.write,
        }
    }

    /// That of these I/Os.
    pub fn of(&self, which: WhichIos) -> Option<Millis> {
        match which {
            WhichIos::Total => self.total,
            WhichIos::Read => self.read,
            WhichIos::Write => self.write,
        }
    }
}

/// The percentiles of the XML results, as percentages: minimum and maximum are among them.
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

/// A latency distribution at all of [`FINE_PERCENTILES`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FineChart {
    /// Distinct latencies of reads, in units of 100 ns: see [`crate::stats::Histogram::distinct`].
    pub distinct_reads: u64,
    /// The same of writes.
    pub distinct_writes: u64,
    /// The same of both.
    pub distinct_total: u64,
    /// In the order of the percentiles, ms.
    pub rows: Vec<ChartRow>,
}

/// I/Os per second over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IopsSeries {
    /// Population standard deviation of reads, I/Os per second, as DISKSPD defines it: of the first
    /// `reached` intervals, each taken for a whole one. `None` = none in any interval.
    pub read_std_dev: Option<f64>,
    /// The same of writes.
    pub write_std_dev: Option<f64>,
    /// The same of both together.
    pub total_std_dev: Option<f64>,
    /// The same by the time that the intervals really had, up to the end of what was measured.
    #[serde(default)]
    pub weighted_std_devs: WeightedStdDevs,
    /// How many intervals there are by DISKSPD's definition: up to the latest completion.
    #[serde(default = "every")]
    pub reached: usize,
    /// The intervals, up to the end of what was measured.
    pub intervals: Vec<IntervalFigures>,
}

/// No interval is left out.
fn every() -> usize {
    usize::MAX
}

/// One effective distribution and who works by it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistributionGroup {
    /// In byte order of their paths.
    pub users: Vec<DistributionUser>,
    /// Its ranges.
    pub ranges: Vec<EffectiveRange>,
}

/// One target and the threads that work on it by the same distribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistributionUser {
    /// The target.
    pub path: RawText,
    /// Thread numbers, ascending, each one once.
    pub threads: Vec<u32>,
}

/// Wait statistics of one thread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThreadWaits {
    /// Thread number.
    pub thread: u32,
    /// Its counters.
    pub waits: WaitStatistics,
    /// Some of its I/Os had to wait for their time (`-g`, `-i` with `-j`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub throttled: bool,
}

/// Calls by which one thread handed over I/Os (`-u`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThreadSubmits {
    /// Thread number.
    pub thread: u32,
    /// Calls per second of the measured time.
    pub per_second: f64,
}

/// Figures over all measured time spans.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Sum of the measured times, s.
    pub seconds: f64,
    /// Writes.
    pub write: Throughput,
    /// Reads.
    pub read: Throughput,
    /// Both.
    pub total: Throughput,
}
