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

/// Raw results of a run, one entry for every time span of the profile, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    pub time_spans: Vec<SpanResults>,
}

impl Results {
    /// Whether anything was measured: without, there is nothing that could take the place of earlier figures.
    pub fn have_figures(&self) -> bool {
        self.time_spans.iter().any(|span| span.measured > 0)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanResults {
    /// Measured time, ns: from accounting on to accounting off. 0 = never measured.
    pub measured: u64,
    /// Times of every active CPU over the measured window, by group, then number; empty = unknown.
    pub cpus: Vec<CpuTimes>,
    /// Results by thread, ascending.
    pub threads: Vec<ThreadResults>,
    /// I/Os that failed, by kind, over the whole life of the span.
    pub errors: Vec<IoErrors>,
    /// When measuring began, milliseconds since 1970-01-01 00:00 UTC; `None` = unknown, or in simulated time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<i64>,
    /// The same and the start signal, to the nanosecond; `None` = as above, or an older program made the
    /// record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<SpanBegin>,
    /// `-D`: bytes, and with `-L` latencies, by interval, all threads merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Intervals>,
    /// `-D` and `-L` with `-g`: response times by interval, all threads merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses: Option<Intervals>,
    /// Reason for its end; `None` if it was not reached, or the record is from an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<RunOutcome>,
    /// Observations other than the I/Os; `None` in records of programs without them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<Observations>,
    /// Latencies of a merged run that its threads do not keep separately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<Box<MergedLatencies>>,
}

/// Start of a time span by the host's clock: the origin of single I/O times (`--io-log`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanBegin {
    pub start_signal_utc_ns: i64,
    /// Measuring, ns since then.
    pub measuring_utc_ns: i64,
}

impl SpanBegin {
    /// Time from the start signal to measuring in ns.
    pub fn measuring_ns(self) -> i64 {
        self.measuring_utc_ns.saturating_sub(self.start_signal_utc_ns)
    }
}

impl SpanResults {
    /// Whether there is anything to report: not if the run ended before measuring began.
    pub fn was_measured(&self) -> bool {
        self.measured >= MIN_MEASUREMENT
    }

    /// Time covered by its intervals in ns.
    pub fn covered(&self) -> u64 {
        self.merged.as_ref().and_then(|merged| merged.covered).unwrap_or(self.measured)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ThreadResults {
    /// Results by target in the thread's order.
    pub targets: Vec<TargetResults>,
    /// `-vs`: counted over the whole life of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<WaitStatistics>,
    /// `-u`: calls that submitted I/Os while it was measured; `None` = not with `-u`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submits: Option<u64>,
    /// Engine of its I/Os. `None` if unknown, in a record from an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineUse>,
}

/// An engine as a thread used it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineUse {
    pub name: String,
    pub reason: String,
    /// Used features in words: `Engine::features` of the `engine` crate.
    pub features: String,
    /// Source of its time stamps in words; empty in records of programs with only one clock.
    #[serde(default)]
    pub clock: String,
}
