//! Receivers of progress information. The run itself prints nothing.

use diskspd_base::finding::Finding;
use diskspd_figures::units::Millis;
use diskspd_results::{IntervalFigures, JobInterval, Record};
use diskspd_sys::clock::Nanos;
use serde::{Deserialize, Serialize};

/// Receiver of a run's progress: a terminal, a stream of lines, a page, another host. The measurement does
/// not depend on it, so its methods must not fail or take long.
pub trait RunObserver: Send + Sync {
    /// Returns the requested counters and texts; others are not produced.
    fn wants(&self) -> Subscriptions {
        Subscriptions::default()
    }

    fn notice(&self, _: &Finding) {}

    fn step(&self, _: &str) {}

    /// Reports that the number of I/Os in `-P` completed this number of times.
    fn dots(&self, _: u32) {}

    fn time_span_begins(&self, _: usize) {}

    fn progress(&self, _: &Progress) {}

    fn progress_ends(&self) {}

    /// Returns the number of marks that the user set since the last call.
    fn marks(&self) -> u32 {
        0
    }

    /// Receives the figures of an interval of the measurement ([`Subscriptions::intervals`]).
    fn interval(&self, _: &IntervalFigures) {}

    /// Receives the figures of an interval on all hosts of a job, instead of [`RunObserver::interval`].
    fn job_interval(&self, _: &JobInterval) {}

    /// Receives the intermediate results between time spans; later spans have no figures yet.
    fn time_span_ended(&self, _: &Record) {}

    /// Reports the end of the run. Returns a message about undelivered information; the run then counts as
    /// failed.
    fn run_ended(&self) -> Option<String> {
        None
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscriptions {
    pub steps: bool,
    pub progress: bool,
    /// Whether progress includes latencies and directions, which cost time per I/O.
    pub details: bool,
    pub intervals: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Progress<'a> {
    Preparing {
        /// File name, or the number of files.
        name: &'a str,
        /// Written bytes.
        done_bytes: u64,
        total_bytes: u64,
    },
    Running {
        /// Phase in words: warm-up, measured time or cool-down.
        phase: &'a str,
        left_ns: Nanos,
        /// Rates since the last progress; `None` = no time has passed.
        rates: Option<Speed>,
        machine: MachineSpeed,
        /// Speed of each target, if there are several and each worker has only one.
        targets: &'a [TargetSpeed],
        /// Hosts of a job, missing and slow ones first; `rates` are their sum.
        hosts: &'a [HostSpeed],
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct TargetSpeed {
    pub name: String,
    pub speed: Speed,
}

/// Host of a job in the current second.
#[derive(Debug, Clone, PartialEq)]
pub struct HostSpeed {
    pub name: String,
    pub state: HostState,
}

#[derive(Debug, Clone, PartialEq)]
pub enum HostState {
    Lost(String),
    /// Seconds since the last message.
    Silent(u64),
    Waiting,
    Running(Speed, MachineSpeed),
}

/// Facts about the machine since the last progress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineSpeed {
    /// Busy share of all CPUs in percent; `None` = unknown.
    pub cpu_percent: Option<f64>,
    /// Device bytes per byte of the workload since the start of the measurement; `None` = unknown.
    pub device_share: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    pub iops: f64,
    pub bytes_per_s: f64,
    /// Mean and 99th percentile with an error of at most 1 %; `None` = not measured.
    pub latency: Option<(Millis, Millis)>,
    /// Maximum latency with an error of at most 1 %.
    pub max: Option<Millis>,
    /// I/Os per second of reads and of writes; `None` = the workload has one direction, or no one watches.
    pub reads_and_writes: Option<[f64; 2]>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct NullObserver;

impl RunObserver for NullObserver {}
