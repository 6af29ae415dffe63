//! What a run yields: raw counters, histograms and series; and the record, the unit of storage.

mod cpu;
mod delays;
mod effort;
mod ended;
mod fio;
mod host;
mod host_clock;
mod integrity;
mod interval_figures;
mod known_sum;
mod observed;
mod other_tables;
mod others;
mod pace;
mod paced;
mod parts;
mod preconditioning;
mod record;
mod run_summary;
mod summarize;
mod summary;
mod trace;
mod verdict;
mod whole;
mod work;

pub use cpu::is_heterogeneous;
pub use cpu::{CpuColumns, CpuRow, CpuTable, CpuUsage};
pub use delays::Delays;
pub use effort::{CpuLimit, Effort, LimitChange, ToolCost, WorkerEffort};
pub use ended::{Ended, EndedBy};
pub use fio::{FioFigures, FioLatency, FioLogFiles, FioPercentiles, FioSeries, FioSeriesOf};
pub use host::{Host, HostTarget};
pub use host_clock::{CommonWindow, HostClock};
pub use integrity::{
    FailedSector, FoundStamp, IntegrityCounts, IntegrityResults, IntegrityRow, IntegrityTable, SectorFault,
};
pub use interval_figures::{
    Course, IntervalDirection, IntervalFigures, IntervalLatency, IntervalPercentiles, IntervalResponse,
    WeightedStdDevs,
};
pub use observed::{HeatChange, Observed};
pub use other_tables::{OtherFigures, OtherTable, OtherTables, ThreadOther};
pub use others::{OtherResults, of_times};
pub use pace::{Beats, Sample, WarmUp};
pub use paced::{LATE, LATENESS, Overdue, Paced, PacedFigures, PacedLatency};
pub use parts::{PartFigures, PartResults, PartRow, PartTable};
pub use preconditioning::{FillStep, Preconditioning, RoundFigures, RoundWindow};
pub use record::{Record, RecordFormat};
pub use run_summary::{
    Findings, KnownFigures, KnownPart, KnownPercentile, KnownResponse, Origin, PartKey, RunSummary,
    SpanSummary, UnmeasuredSpan, WhichIos,
};
pub use summarize::summarize;
pub use summary::{
    Chart, ChartRow, DistributionGroup, DistributionUser, FINE_PERCENTILES, Figures, FineChart, IopsSeries,
    LatencyCharts, LatencyFigures, Measured, PERCENTILES, PathChart, Row, Summary, Table, ThreadSubmits,
    ThreadWaits, Throughput, Totals,
};
pub use trace::{
    CompletionFigures, CompletionTimes, DeviceFigures, DeviceTimes, EventCount, Trace, TraceFigures,
    TraceSession,
};

use crate::operation::{Direction, Operation};
use crate::profile::TargetId;
use crate::stats::{Histogram, Intervals, Moments, Series};
pub use verdict::{Limiter, Verdict};
pub use whole::{
    Alignment, HostDevices, HostFinding, HostSummary, HostWindow, MergedLatencies, MergedTimes,
    TargetLatencies, Whole,
};
pub use work::{AddUp, Done, Work};

pub use crate::machine::cpu_sleeps::{CpuSleeps, StateSleeps};
pub use crate::machine::cpu_times::{CpuTimes, LostTimes};
use serde::{Deserialize, Serialize};

/// Spans measured for less than this, in ns, have no results: DISKSPD's own limit of 1e-7 s.
const SHORTEST_MEASUREMENT: u64 = 100;

/// Raw results of a run, one entry for every time span of the profile, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// One per time span.
    pub time_spans: Vec<SpanResults>,
}

impl Results {
    /// Whether anything was measured: without, there is nothing that could take the place of earlier figures.
    pub fn have_figures(&self) -> bool {
        self.time_spans.iter().any(|span| span.measured > 0)
    }
}

/// Raw results of one time span.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanResults {
    /// Measured time, ns: from accounting on to accounting off. 0 = never measured.
    pub measured: u64,
    /// Times of every active CPU over the measured window, by group, then number.
    pub cpus: Vec<CpuTimes>,
    /// One per thread, ascending.
    pub threads: Vec<ThreadResults>,
    /// I/Os that failed, by kind, over the whole life of the span.
    pub errors: Vec<IoErrors>,
    /// When measuring began, milliseconds since 1970-01-01 00:00 UTC; `None` = unknown, or in simulated time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<i64>,
    /// The same and the start signal, to the nanosecond; `None` = as above, or an older program made the
    /// record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<SpanBegin>,
    /// `-D`: bytes, and with `-L` latencies, by interval, all threads merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Intervals>,
    /// `-D` and `-L` with `-g`: response times by interval, all threads merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses: Option<Intervals>,
    /// What ended it; `None` = it was not reached, or an older program made the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// What was observed beside the I/Os; `None` in records of programs that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<Observed>,
    /// Of a merged run: the latencies that its threads don't keep by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<Box<MergedLatencies>>,
}

/// When a time span began, by the host's own clock: what times of its single I/Os (`--io-log`) count from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanBegin {
    /// The start signal, ns since 1970-01-01 00:00 UTC.
    pub start_signal_utc_ns: i64,
    /// Measuring, ns since then.
    pub measuring_utc_ns: i64,
}

impl SpanBegin {
    /// From the start signal until measuring began, ns.
    pub fn measuring_ns(self) -> i64 {
        self.measuring_utc_ns.saturating_sub(self.start_signal_utc_ns)
    }
}

impl SpanResults {
    /// Whether there is anything to report: not if the run ended before measuring began.
    pub fn was_measured(&self) -> bool {
        self.measured >= SHORTEST_MEASUREMENT
    }

    /// How long its intervals cover, ns.
    pub fn covered(&self) -> u64 {
        self.merged.as_ref().and_then(|merged| merged.covered).unwrap_or(self.measured)
    }
}

/// Raw results of one thread.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ThreadResults {
    /// One per target of the thread, in the thread's order.
    pub targets: Vec<TargetResults>,
    /// `-vs`: counted over the whole life of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<WaitStatistics>,
    /// `-u`: calls that handed over I/Os while it was measured; `None` = not with `-u`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submits: Option<u64>,
    /// Which engine did its I/Os. `None` = unknown: the record is of an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineUse>,
}

/// An engine as a thread used it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineUse {
    /// As `--engine` calls it.
    pub name: String,
    /// Why this one, for people.
    pub reason: String,
    /// What it made use of, for people: `Engine::features` of the crate of engines.
    pub features: String,
    /// What its stamps were taken from, for people; empty in records of programs that had but one clock.
    #[serde(default)]
    pub clock: String,
}

/// Raw results of one thread on one target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetResults {
    /// Which one.
    pub target: TargetId,
    /// Size of the target when the thread opened it, bytes.
    pub size: u64,
    /// Reads.
    pub read: DirectionResults,
    /// Writes.
    pub write: DirectionResults,
    /// Where random I/O went (`-rd`); empty = no distribution.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distribution: Vec<EffectiveRange>,
    /// `-g`: what should have been started by the end, and was not; `None` = nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overdue: Option<Overdue>,
    /// `--verify`: sectors that were stamped and checked, over the whole life of the time span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrity: Option<IntegrityResults>,
    /// Other operations than reads and writes (`--fsync-every`, `--trim`), by operation.
    #[serde(flatten)]
    pub others: OtherResults,
    /// How old the I/Os were, ns, that were in flight when measuring ended, and older than the longest that
    /// the thread counted here: the oldest first, at most 1024.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<u64>,
    /// `--mix`, `--bs-split`: the same of each part and size, without course over time; together they are
    /// all. Empty = there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartResults>,
}

impl TargetResults {
    /// What was done of another operation than reads and writes; `None` = nothing was to be.
    pub fn other(&self, op: Operation) -> Option<&DirectionResults> {
        self.others.of(op)
    }
}

/// Raw results of one direction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DirectionResults {
    /// Bytes transferred.
    pub bytes: u64,
    /// I/Os completed, short ones included.
    pub ios: u64,
    /// I/Os that transferred less than a block, of all `ios`.
    #[serde(default)]
    pub short: u64,
    /// `-L`: latencies, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Histogram>,
    /// What is kept of `latency` in a merged run, whose histogram is that of all threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moments: Option<Moments>,
    /// `-D`: completions by interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
    /// `-g`: how these I/Os kept to the times at which they were to start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paced: Option<Paced>,
}

impl DirectionResults {
    /// What its latencies add up to, ns; `None` = none were measured.
    pub fn latency_moments(&self) -> Option<Moments> {
        self.latency.as_ref().map(|latency| *latency.moments()).or(self.moments)
    }

    /// The longest latency that was counted, ns; `None` = none was, or none was measured.
    pub fn longest(&self) -> Option<u64> {
        let of_series = || self.series.as_ref()?.valid().filter_map(|interval| interval.max()).max();
        self.latency_moments().and_then(|latency| latency.max()).or_else(of_series)
    }
}

/// One range of an effective random distribution. Offsets are relative to the base offset, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EffectiveRange {
    /// First I/O percentage point that goes here.
    pub io_base: u32,
    /// Number of I/O percentage points.
    pub io_span: u32,
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub length: u64,
}

/// Counters of a thread for the wait statistics (`-vs`), a section of the report of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitStatistics {
    /// Waits without a time limit, every request being in flight.
    pub completion_waits: u64,
    /// Waits with a time limit, all idle requests being throttled.
    pub throttle_waits: u64,
    /// Sleeps, nothing being in flight and all requests throttled.
    pub throttle_sleeps: u64,
    /// Polls for completions between two dispatches.
    pub lookasides: u64,
    /// How often such a poll returned 0, 1, .. 6, and 7 or more completions.
    pub lookaside_completions: [u64; 8],
    /// How often a wait, with or without a limit, returned 0, 1, .. 6, and 7 or more completions; all 0 =
    /// not counted (DISKSPD 2.2).
    #[serde(default, skip_serializing_if = "is_empty")]
    pub wait_completions: [u64; 8],
}

fn is_empty(counts: &[u64; 8]) -> bool {
    *counts == [0; 8]
}

/// I/Os of one kind that failed in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoErrors {
    /// The target.
    pub target: TargetId,
    /// Read or write.
    pub direction: Direction,
    /// The kernel's error number.
    pub errno: i32,
    /// How many.
    pub count: u64,
    /// Where the first one was, byte offset in the target.
    pub first_offset: u64,
    /// When they came back, us since measuring began (negative = before), ascending: the first 1023 and the
    /// last one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at_us: Vec<i64>,
}
