//! Profile x System -> Plan: who works on which bytes of which target, with what. Pure.
//!
//! What doesn't fit the machine is found here, all of it at once ([`PlanError`]); runs may assume.

mod access;
mod affinity;
mod build;
mod engine;
mod error;
mod others;
mod target;
mod tracing;
mod verify;
mod volume;
mod writing;

pub use affinity::effective_affinity;
pub use build::{Surroundings, plan};
pub use engine::{Wish, completion_matters};
pub use error::{LiesIn, PlanError};
pub use target::creates;
pub use tracing::TracePlan;
pub use volume::VolumeGoal;

pub use crate::access::IoPriority;
pub use crate::access::{AccessHint, OpenMode};
pub use crate::access::{Flush, MapOptions};
use crate::engines::EngineKind;
use crate::finding::Finding;
use crate::machine::completion::OneByOne;
use crate::operation::Operation;
use crate::profile::{ContentShape, IoRing, OperationShares, RandomDataSource, RawText, TargetId};
use crate::trace::replay::{ReplayList, ReplayTurns};
use crate::workload::TargetWorkload;
use crate::workload::pace::Limit;
use std::path::PathBuf;
use std::sync::Arc;

/// One time span, fully decided.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanPlan {
    /// Time before measuring, s.
    pub warmup: u32,
    /// Measured time, s.
    pub duration: u32,
    /// Time after measuring, s.
    pub cooldown: u32,
    /// Whether latencies are measured.
    pub measure_latency: bool,
    /// Width of an IOPS interval, ms; `None` = not measured.
    pub iops_interval: Option<u32>,
    /// A dot after every so many I/Os of a thread; 0 = none.
    pub progress: u32,
    /// The workers, thread 0 first.
    pub workers: Vec<WorkerPlan>,
    /// How many targets the span has (interlocked positions are kept by target).
    pub targets: usize,
    /// Sources of write data (`-Z<size>`), in the order of their targets. [`WriteContent::Source`] counts
    /// them.
    pub sources: Vec<RandomDataSource>,
    /// Whether waits are reported (`-vs`).
    pub wait_statistics: bool,
    /// What is traced (`-e`); `None` = nothing.
    pub trace: Option<TracePlan>,
    /// `-u`; `None` = batches are as large as suits.
    pub ring: Option<IoRing>,
    /// `-oc`: completions that are taken at a time, at most; `None` = all there are.
    pub completion_depth: Option<u32>,
    /// Whether it is counted how many completions waits return (`-vs` of DISKSPD 2.3).
    pub wait_completions: bool,
    /// What also ends the measured time (`--until-written`, `--until-read`); empty = time alone.
    pub volumes: Vec<VolumeGoal>,
    /// Recorded I/Os that are done instead of what the workers' targets say; `None` = there are none.
    pub replay: Option<ReplayPlan>,
    /// What the user should know, though it stops nothing.
    pub warnings: Vec<Finding>,
}

/// Recorded I/Os, which the workers do in turn.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayPlan {
    /// The I/Os.
    pub list: Arc<ReplayList>,
    /// Thousandths of the recorded speed; 0 = as fast as possible.
    pub speed_thousandths: u32,
}

impl ReplayPlan {
    /// What one worker of a plan does of it.
    pub fn turns(&self, thread: u32, threads: usize) -> ReplayTurns {
        ReplayTurns::new(Arc::clone(&self.list), self.speed_thousandths, thread, threads as u32)
    }
}

impl SpanPlan {
    /// Whether the workers learn the latencies of their I/Os.
    pub fn is_timed(&self) -> bool {
        self.measure_latency || self.iops_interval.is_some()
    }

    /// Recorded I/Os are to be counted, all of them: without a warm-up none begins before measuring does.
    pub fn waits_for_measuring(&self) -> bool {
        self.replay.is_some() && self.warmup == 0
    }

    /// The path of a target, as the user gave it; empty = no worker works on it.
    pub fn path_of(&self, id: TargetId) -> RawText {
        let mut targets = self.workers.iter().flat_map(|worker| &worker.targets);
        targets.find(|target| target.id == id).map(|target| target.path.clone()).unwrap_or_default()
    }
}

/// One worker thread.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerPlan {
    /// Number, from 0.
    pub thread: u32,
    /// The CPU that it is bound to, as the kernel numbers it; `None` = not bound.
    pub cpu: Option<u32>,
    /// Seed of its random numbers.
    pub seed: u64,
    /// Which engine.
    pub engine: EngineKind,
    /// Why this one, for people.
    pub reason: &'static str,
    /// Why its I/Os are done one after the other; `None` = they aren't, or it was asked to do so.
    pub one_by_one: Option<OneByOne>,
    /// Completions are polled for (`--poll`).
    pub poll: bool,
    /// Requests in all: the largest number of I/Os in flight.
    pub depth: u32,
    /// A target is flushed after so many writes on it (`--fsync-every`); `None` = never.
    pub flush_every: Option<u32>,
    /// Completions are handled one by one (`-x`). Never where I/O is synchronous, as in DISKSPD.
    pub routines: bool,
    /// Requests choose among all targets before each I/O (`-F -O`); else each belongs to one target.
    pub floating: bool,
    /// What it works on, in order.
    pub targets: Vec<WorkerTarget>,
    /// Bytes of its I/O buffer, sources of write data not included.
    pub buffer: u64,
    /// The buffer consists of large pages (`-l`): all of it, when any of its targets asks for them.
    pub large_pages: bool,
    /// `-bs`: the buffer begins at a multiple of this, bytes; 0 = on a page.
    pub separation: u64,
}

impl WorkerPlan {
    /// Of each entry of its targets the one that its requests belong to: the first portion of the same
    /// target.
    pub fn leaders(&self) -> Vec<usize> {
        let mut leader = 0;
        let of = |(index, target): (usize, &WorkerTarget)| {
            leader = if target.is_further_portion() { leader } else { index };
            leader
        };
        self.targets.iter().enumerate().map(of).collect()
    }

    /// Whether it does what is always timed: other operations than reads and writes.
    pub fn times_more_than_ios(&self) -> bool {
        self.flush_every.is_some() || self.targets.iter().any(|target| !target.shares.are_none())
    }

    /// Which operations it does on one of its targets beside reads and writes.
    pub fn others_on(&self, target: &WorkerTarget) -> impl Iterator<Item = Operation> {
        let flush = self.flush_every.map(|_| Operation::Flush);
        flush.into_iter().chain(target.shares.iter().map(|(op, ..)| op))
    }

    /// Whether the I/Os on any of its targets have to wait for their time.
    pub fn is_limited(&self) -> bool {
        self.targets.iter().any(|target| target.limit != Limit::None)
    }

    /// Whether the I/Os on any of its targets have a time to start at.
    pub fn is_paced(&self) -> bool {
        (0..self.targets.len()).any(|target| self.is_paced_on(target))
    }

    /// Whether those on this target have.
    pub fn is_paced_on(&self, target: usize) -> bool {
        !self.floating && self.targets.get(target).is_some_and(|target| target.limit.has_times())
    }
}

/// What writes carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteContent {
    /// Bytes 0, 1, .. 255, again and again.
    Pattern,
    /// Zeros (`-Z`).
    Zeros,
    /// Something new every time (`-Zr`).
    Fresh,
    /// What can be reduced so far (`--compress`, `--dedupe`), made for every write.
    Reducible(ContentShape),
    /// A piece of a source, at a random position (`-Z<size>`).
    Source {
        /// Index in [`SpanPlan::sources`].
        index: usize,
        /// The position is a multiple of this, bytes; a power of two.
        alignment: u32,
    },
}

/// How a target is divided that is verified (`--verify`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SectorGrid {
    /// Bytes of a sector, which carries a stamp; a power of two.
    pub sector: u32,
    /// The largest piece that no I/O of the run touches in part, bytes; a multiple of the sector.
    pub unit: u64,
}

/// One target of a worker.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerTarget {
    /// Index of the target in the time span.
    pub target: usize,
    /// Which one it is of the whole run.
    pub id: TargetId,
    /// As the user gave it.
    pub path: RawText,
    /// Where it is opened.
    pub location: PathBuf,
    /// How it is opened.
    pub open: OpenMode,
    /// It is a block device, and without the cache because nothing else was asked for.
    pub uncached_device: bool,
    /// With io_uring, workers of the kernel do its I/Os: they block.
    pub workers: bool,
    /// Priority of its I/Os.
    pub priority: IoPriority,
    /// How it is mapped into memory; `None` = it isn't.
    pub mapping: Option<MapOptions>,
    /// Size found when planning, bytes.
    pub size: u64,
    /// Requests bound to it; with a floating pool, those of the whole thread. 0 = it is a further portion of
    /// the target before it, whose requests it shares.
    pub requests: u32,
    /// From the data of one request to that of the next, bytes: the largest block of all portions.
    pub slot: u32,
    /// What writes carry.
    pub content: WriteContent,
    /// Which of its I/Os are of other operations instead (`--trim`).
    pub shares: OperationShares,
    /// `--verify`: how it is divided; all 0 = it isn't verified.
    pub verified: SectorGrid,
    /// How fast the thread may go on this target.
    pub limit: Limit,
    /// Where in the worker's buffer the reads of its first request go, bytes; the next request's follow a
    /// block later.
    pub read_buffer: u64,
    /// The same for writes.
    pub write_buffer: u64,
    /// Addresses and directions.
    pub workload: TargetWorkload,
}

impl WorkerTarget {
    /// Whether it shares requests and buffers of the one before it: both are portions of a target.
    pub fn is_further_portion(&self) -> bool {
        self.workload.portion.is_some_and(|portion| !portion.is_first)
    }
}
