//! State of a running worker.

use super::aux_operations::AuxOperations;
use super::batches::Batches;
use super::counting::Counting;
use super::flushes::Flushes;
use super::pacing::Pacing;
use super::payload_refill::WriteDataGenerator;
use super::phases::Phases;
use super::progress_dots::Dots;
use super::quota::WorkerQuota;
use super::slowest::Slowest;
use super::zones::Zones;
use crate::run_reporter::RunReporter;
use crate::telemetry::io_log::Producer;
use crate::telemetry::live::Counters;
use diskspd_engine::{CompletedIo, Engine, Io};
use diskspd_integrity::SectorChecker;
use diskspd_plan::WorkerPlan;
use diskspd_plan::workload::ThreadWorkload;
use diskspd_results::WaitStatistics;
use diskspd_sys::clock::{Clock, Nanos};
use std::time::Duration;

/// Maximum sleep of a worker before it checks the phase, so that an unresponsive device cannot prevent its
/// end.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// State of a running worker, without its ledger. All memory is allocated at the start.
pub(super) struct WorkerLoop<'a> {
    pub(super) plan: &'a WorkerPlan,
    pub(super) engine: Box<dyn Engine>,
    pub(super) checker: Option<SectorChecker<'a>>,
    pub(super) workload: ThreadWorkload,
    pub(super) clock: Clock,
    pub(super) phases: Phases<'a>,
    pub(super) live: Option<&'a Counters>,
    pub(super) log: Option<Producer<'a>>,
    pub(super) slowest: Option<Slowest<'a>>,
    pub(super) voice: &'a RunReporter,
    /// Idle requests left after a full batch, known even while the ledger is released.
    pub(super) left: usize,
    pub(super) batch: Vec<Io>,
    pub(super) done: Vec<CompletedIo>,
    pub(super) waits: WaitStatistics,
    pub(super) dots: Dots,
    pub(super) pacing: Option<Pacing>,
    pub(super) fresh: Option<WriteDataGenerator>,
    pub(super) flushes: Option<Flushes>,
    pub(super) zones: Option<Zones>,
    pub(super) others: Option<AuxOperations>,
    pub(super) quota: Option<WorkerQuota>,
    pub(super) moves: bool,
    pub(super) is_special: bool,
    /// Time for generating the content of the batch in ns.
    pub(super) preparing: Nanos,
    pub(super) batches: Batches,
    /// `-u`: maximum completions per wait; otherwise 1.
    pub(super) awaited: usize,
    /// `-oc`: maximum number of completions taken at a time.
    pub(super) most_taken: usize,
    /// Waits and calls for the reports of DISKSPD 2.3; `None` = not counted.
    pub(super) counting: Option<Counting>,
    pub(super) submitted: Nanos,
    /// Whether I/Os get time stamps; without latencies, intervals and log the clock is not read.
    pub(super) timed: bool,
    /// Origin of the log's times.
    pub(super) start_signal: Nanos,
    /// Whether each I/O is reported: for the log, the live line, or start times.
    pub(super) tells: bool,
    /// Whether the live line, dots, or a reader of each I/O (`tells`) need completions.
    pub(super) is_watched: bool,
    /// Start of a period without completions, detected by a wait without result; `None` = there were
    /// completions.
    pub(super) silent_since: Option<Nanos>,
    /// Target and age (ns) of I/Os completed in the cool-down that were in flight at the end of measuring.
    pub(super) late: Vec<(u32, Nanos)>,
    /// Requests that were given up (`-x`).
    pub(super) given_up: Vec<u32>,
}
