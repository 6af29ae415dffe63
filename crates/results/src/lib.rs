//! The results of a run: raw counters, histograms and series, and the record, the unit of storage.
//!
//! Invariant: results of threads, targets and hosts are added, not averaged.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod add_up;
mod aux_figures;
mod aux_results;
mod aux_tables;
mod by_thread;
mod charts;
mod cpu;
mod delays;
mod direction;
mod effective_range;
mod ended;
mod fio;
mod host;
mod host_clock;
mod host_summary;
mod integrity;
mod integrity_table;
mod interval_figures;
mod job_interval;
mod known_sum;
mod merged_hosts;
mod merged_latencies;
mod nowait;
mod observed;
mod outage_observations;
mod pace;
mod paced;
mod paced_figures;
mod part_results;
mod parts;
mod preconditioning;
mod program;
mod quantiles;
mod record;
mod record_mismatch;
mod resource_usage;
mod run_index;
mod run_summary;
mod slow;
mod spans;
mod summarize;
mod summary;
mod target_results;
mod trace;
mod verdict;
mod waits;
mod which_ios;
mod work;
pub use add_up::Accumulate;
pub use aux_figures::AuxFigures;
pub use aux_results::{AuxResults, of_times};
pub use aux_tables::{AuxTable, AuxTables, ThreadOther};
pub use charts::{
    Chart, ChartRow, FINE_PERCENTILES, FineChart, LatencyCharts, LatencyFigures, PERCENTILES, PathChart,
    TEXT_PERCENTS, find_percentile, is_listed,
};
pub use cpu::{CpuColumns, CpuRow, CpuTable, CpuUsage, is_heterogeneous};
pub use delays::Delays;
pub use ended::{EndedBy, RunOutcome};
pub use fio::{FioFigures, FioLatency, FioLogFiles, FioLogged, FioPercentiles, FioSeries, FioSeriesOf};
pub use host::{Host, HostTarget};
pub use host_clock::{CommonWindow, HostClock};
pub use host_summary::{HostDevices, HostFinding, HostSummary, HostWindow};
pub use integrity::{FailedSector, FoundStamp, IntegrityCounts, IntegrityResults, SectorState};
pub use integrity_table::{IntegrityRow, IntegrityTable};
pub use interval_figures::{
    CompletionSeries, IntervalDirection, IntervalFigures, IntervalLatency, IntervalPercentiles,
    IntervalResponse, IopsSeries, WeightedStdDevs,
};
pub use job_interval::{HostInterval, JobInterval, shown_hosts};
pub use merged_hosts::{Alignment, MergedHosts};
pub use merged_latencies::{MergedLatencies, MergedTimes, TargetLatencies};
pub use nowait::{NowaitCounts, NowaitFigures, NowaitRow, NowaitTable};
pub use observed::{Observations, ThermalChange};
pub use outage_observations::{
    CompletionGap, HangingIo, OutageObservations, PathChange, TargetTicks, WatcherGap,
};
pub use pace::{Sample, TickCounts, WarmUp};
pub use paced::{LATE_START_NS, LATENESS, Overdue, PacedIos};
pub use paced_figures::{PacedFigures, PacedLatency};
pub use part_results::PartResults;
pub use parts::{PartFigures, PartRow, PartTable};
pub use preconditioning::{FillStep, Preconditioning, RoundFigures, RoundWindow};
pub use program::{
    ClaimedFigures, ClaimedSide, DeviceView, EngineFacts, EngineIos, JudgedProgram, RequestShape, SizeClass,
    TracedRequests,
};
pub use quantiles::Quantiles;
pub use record::{Record, RecordFormat};
pub use record_mismatch::RecordMismatchError;
pub use resource_usage::{AffinityChange, CpuLimit, LimitChange, ResourceUsage, ToolCost, WorkerUsage};
pub use run_index::RunIndex;
pub use run_summary::{
    DirectionSummary, Findings, Origin, PartKey, PartSummary, PercentileSummary, ResponseSummary, RunSummary,
    SpanSummary, UnmeasuredSpan,
};
pub use summarize::summarize;
pub use summary::{
    DistributionGroup, DistributionUser, Figures, Measured, Row, Summary, Table, ThreadSubmits, ThreadWaits,
    Throughput, Totals,
};
pub use trace::{
    CompletionFigures, CompletionTimes, DeviceFigures, DeviceTimes, EventCount, Trace, TraceFigures,
    TraceSession,
};
pub use verdict::{Limiter, RunVerdict, Verdict};
pub use which_ios::WhichIos;
pub use work::{DirectionWork, Work};

pub use direction::DirectionResults;
pub use diskspd_machine::cpu_sleeps::{CpuSleeps, StateSleeps};
pub use diskspd_machine::cpu_times::{CpuTimes, LostTimes};
pub use diskspd_machine::interrupts::{CpuInterrupts, DeviceInterrupts};
pub use diskspd_machine::process_io::{ForeignEngine, SortedCalls, TargetUser};
pub use effective_range::EffectiveRange;
pub use slow::{Culprit, CulpritKind, CulpritSum, IoStage, SlowIo, SlowIos, SlowSecond, StageTimes};
pub use spans::{EngineUse, Results, SpanBegin, SpanResults, ThreadResults};
pub use target_results::{IoErrors, TargetResults};
pub use waits::WaitStatistics;
