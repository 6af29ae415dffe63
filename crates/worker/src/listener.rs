//! Receivers of progress information. The run itself prints nothing.

use diskspd_base::finding::Finding;
use diskspd_figures::units::Millis;
use diskspd_results::{IntervalFigures, JobInterval, Record};
use diskspd_sys::clock::Nanos;
use serde::{Deserialize, Serialize};

/// Receiver of a run's progress: a terminal, a stream of lines, a page, another host. The measurement does
/// not depend on it, so its methods must not fail or take long.
pub trait RunObserver: Send + Sync {
    /// Returns the requested counters and texts. Unrequested ones have no cost.
    fn wants(&self) -> Subscriptions {
        Subscriptions::default()
    }

    fn notice(&self, _: &Finding) {}

    fn step(&self, _: &str) {}

    /// Reports that the number of I/Os in `-P` was completed this many more times.
    fn dots(&self, _: u32) {}

    fn time_span_begins(&self, _: usize) {}

    fn progress(&self, _: &Progress) {}

    fn progress_ends(&self) {}

    /// Number of marks that the user has set since the last call.
    fn marks(&self) -> u32 {
        0
    }

    /// The figures of an interval of the measured time ([`Subscriptions::intervals`]).
    fn interval(&self, _: &IntervalFigures) {}

    /// The figures of an interval on all hosts of a job, in place of [`RunObserver::interval`].
    fn job_interval(&self, _: &JobInterval) {}

    /// Reports the intermediate results between time spans. Later spans do not have figures yet.
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
    /// Latencies and directions of the progress, which cost time per I/O.
    pub details: bool,
    pub intervals: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Progress<'a> {
    Preparing {
        /// The file, or how many there are.
        name: &'a str,
        /// Bytes that are written.
        done_bytes: u64,
        total_bytes: u64,
    },
    Running {
        /// Warm-up, measured time or cool-down, in words.
        phase: &'a str,
        left_ns: Nanos,
        /// Since the last time; `None` = that was just now.
        rates: Option<Speed>,
        machine: MachineSpeed,
        /// Each target, if there are several and each worker has one.
        targets: &'a [TargetSpeed],
        /// Hosts of a job, missing and slow ones first; the rates are the sum.
        hosts: &'a [HostSpeed],
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct TargetSpeed {
    pub name: String,
    pub speed: Speed,
}

/// A host of a job in this second.
#[derive(Debug, Clone, PartialEq)]
pub struct HostSpeed {
    /// Rank and name of the host.
    pub name: String,
    pub state: HostState,
}

#[derive(Debug, Clone, PartialEq)]
pub enum HostState {
    Lost(String),
    /// No message for this number of seconds.
    Silent(u64),
    Waiting,
    Running(Speed, MachineSpeed),
}

/// Facts about the machine since the last progress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineSpeed {
    /// Busy share of all CPUs, percent; `None` = unknown.
    pub cpu_percent: Option<f64>,
    /// Bytes of the device per byte of the workload, since the measurement began; `None` = unknown.
    pub device_share: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// I/Os per second.
    pub iops: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Mean and 99th percentile, within 1 %; `None` = none were measured.
    pub latency: Option<(Millis, Millis)>,
    /// Highest latency, within 1 %.
    pub max: Option<Millis>,
    /// I/Os per second of reads and of writes; `None` = the workload has one direction, or no one watches.
    pub reads_and_writes: Option<[f64; 2]>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct NullObserver;

impl RunObserver for NullObserver {}
