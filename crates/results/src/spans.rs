//! Measured time spans, and the threads of each.

use super::ended::RunOutcome;
use super::merged_latencies::MergedLatencies;
use super::observed::Observations;
use super::target_results::{IoErrors, TargetResults};
use super::waits::WaitStatistics;
use diskspd_figures::stats::Intervals;
use diskspd_machine::cpu_times::CpuTimes;
use serde::{Deserialize, Serialize};

/// Spans measured for less than this, in ns, have no results: DISKSPD's own limit of 1e-7 s.
const MIN_MEASUREMENT: u64 = 100;

/// Raw results of a run by time span of the profile, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    pub time_spans: Vec<SpanResults>,
}

impl Results {
    /// Whether any time span was measured; otherwise the results must not replace earlier figures.
    pub fn have_figures(&self) -> bool {
        self.time_spans.iter().any(|span| span.measured > 0)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanResults {
    /// Measured time in ns; 0 = not measured.
    pub measured: u64,
    /// Times of all active CPUs in the window, by group, then number; empty = unknown.
    pub cpus: Vec<CpuTimes>,
    /// Results by thread, ascending.
    pub threads: Vec<ThreadResults>,
    /// Failed I/Os by kind, over the whole span.
    pub errors: Vec<IoErrors>,
    /// Start of the measurement in ms since 1970-01-01 00:00 UTC; `None` = unknown, or simulated time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<i64>,
    /// The same time and the start signal, with nanoseconds; `None` = as above, or an older program made the
    /// record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<SpanBegin>,
    /// `-D`: bytes, and latencies with `-L`, by interval over all threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Intervals>,
    /// `-D` and `-L` with `-g`: response times by interval over all threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses: Option<Intervals>,
    /// Reason for its end; `None` if it was not reached, or the record is from an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<RunOutcome>,
    /// Observations other than I/Os; `None` in records of programs without them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<Observations>,
    /// Latencies of a merged run, whose threads do not have separate ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<Box<MergedLatencies>>,
}

/// Start of a time span by the host's clock, the origin of I/O times in `--io-log`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanBegin {
    pub start_signal_utc_ns: i64,
    /// Start of the measurement, in ns since then.
    pub measuring_utc_ns: i64,
}

impl SpanBegin {
    /// Time from the start signal to the measurement in ns.
    pub fn measuring_ns(self) -> i64 {
        self.measuring_utc_ns.saturating_sub(self.start_signal_utc_ns)
    }
}

impl SpanResults {
    /// Whether the time span has results: false if the run ended before the measurement.
    pub fn was_measured(&self) -> bool {
        self.measured >= MIN_MEASUREMENT
    }

    /// Time covered by the intervals in ns.
    pub fn covered(&self) -> u64 {
        self.merged.as_ref().and_then(|merged| merged.covered).unwrap_or(self.measured)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ThreadResults {
    /// Results by target in the thread's order.
    pub targets: Vec<TargetResults>,
    /// `-vs`: counts over the whole life of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<WaitStatistics>,
    /// `-u`: submission calls during the measurement; `None` = without `-u`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submits: Option<u64>,
    /// Engine of the I/Os; `None` = unknown, in a record from an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineUse>,
}

/// Engine of a thread, with the used features.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineUse {
    pub name: String,
    pub reason: String,
    /// Used features in words: `Engine::features` of the `engine` crate.
    pub features: String,
    /// Source of time stamps in words; empty in records of programs with a single clock.
    #[serde(default)]
    pub clock: String,
}
