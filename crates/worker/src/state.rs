//! A worker at work.

use super::batches::Batches;
use super::counting::Counting;
use super::dots::Dots;
use super::flushes::Flushes;
use super::fresh::Fresh;
use super::others::OtherOperations;
use super::pacing::Pacing;
use super::phases::Phases;
use super::quota::QuotaShare;
use super::slowest::Slowest;
use super::zones::Zones;
use crate::tell::io_log::Producer;
use crate::tell::live::Counters;
use crate::voice::Voice;
use diskspd_engine::{Done, Engine, Io};
use diskspd_integrity::SectorChecker;
use diskspd_model::plan::WorkerPlan;
use diskspd_model::results::WaitStatistics;
use diskspd_model::workload::ThreadWorkload;
use diskspd_sys::clock::{Clock, Nanos};
use std::time::Duration;

/// How long a worker sleeps at most before it looks at the phase again: a device that answers nothing any
/// more must not keep it from ending.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// A worker at work, without its books. Everything is allocated when it begins.
pub(super) struct Loop<'a> {
    pub(super) plan: &'a WorkerPlan,
    pub(super) engine: Box<dyn Engine>,
    pub(super) checker: Option<SectorChecker<'a>>,
    pub(super) workload: ThreadWorkload,
    pub(super) clock: Clock,
    pub(super) phases: Phases<'a>,
    pub(super) live: Option<&'a Counters>,
    pub(super) log: Option<Producer<'a>>,
    pub(super) slowest: Option<Slowest<'a>>,
    pub(super) voice: &'a Voice,
    /// Idle requests that are left when the batch is full: known also while the books are put down.
    pub(super) left: usize,
    pub(super) batch: Vec<Io>,
    pub(super) done: Vec<Done>,
    pub(super) waits: WaitStatistics,
    pub(super) dots: Dots,
    pub(super) pacing: Option<Pacing>,
    pub(super) fresh: Option<Fresh>,
    pub(super) flushes: Option<Flushes>,
    pub(super) zones: Option<Zones>,
    pub(super) others: Option<OtherOperations>,
    pub(super) quota: Option<QuotaShare>,
    /// Addresses depend on the time.
    pub(super) moves: bool,
    /// There is one of these.
    pub(super) is_special: bool,
    /// How long making the content of the batch took, ns.
    pub(super) preparing: Nanos,
    /// How many I/Os are submitted at a time.
    pub(super) batches: Batches,
    /// `-u`: completions that a wait waits for, at most; else 1.
    pub(super) awaited: usize,
    /// `-oc`: completions that are taken at a time, at most.
    pub(super) most_taken: usize,
    /// Waits and calls are counted for the reports of DISKSPD 2.3; `None` = they aren't.
    pub(super) counting: Option<Counting>,
    pub(super) submitted: Nanos,
    /// Whether I/Os get stamps. Without latencies, intervals and log no clock is read for them.
    pub(super) timed: bool,
    /// The log counts from here.
    pub(super) start_signal: Nanos,
    /// Single I/Os are looked at: by the log, by the live line, or because they had a time to start at.
    pub(super) tells: bool,
    /// The live line, dots, or a reader of single I/Os (`tells`) report completions.
    pub(super) is_watched: bool,
    /// Nothing has come back since then, which was found out by waiting in vain; `None` = something has.
    pub(super) silent_since: Option<Nanos>,
    /// Target and age (ns) of what came back in the cool-down and was in flight when measuring ended.
    pub(super) late: Vec<(u32, Nanos)>,
    /// Requests that stopped (`-x`).
    pub(super) given_up: Vec<u32>,
}
