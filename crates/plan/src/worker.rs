//! The work of one worker: its processors, targets and engine.

use super::zone_share::ZoneShare;
use crate::workload::TargetWorkload;
use crate::workload::pace::Limit;
use diskspd_base::access::{HugePages, IoFeatures, IoPriority, MapOptions, OpenMode};
use diskspd_base::engines::EngineKind;
use diskspd_base::operation::Operation;
use diskspd_machine::completion::OneByOne;
use diskspd_machine::io_features::AtomicWrites;
use diskspd_profile::{ContentShape, OperationShares, RawText, TargetId};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq)]
pub struct WorkerPlan {
    pub thread: u32,
    /// Kernel number of the bound CPU; `None` = unbound.
    pub cpu: Option<u32>,
    pub seed: u64,
    pub engine: EngineKind,
    pub reason: &'static str,
    /// Reason for sequential I/Os; `None` = concurrent, or requested.
    pub one_by_one: Option<OneByOne>,
    pub poll: bool,
    /// Total requests: the maximum number of I/Os in flight.
    pub depth: u32,
    /// Number of writes on a target per flush (`--fsync-every`); `None` = no flushes.
    pub flush_every: Option<u32>,
    /// Whether completions are handled individually (`-x`); never with synchronous I/O, as in DISKSPD.
    pub routines: bool,
    /// Whether requests choose among all targets before each I/O (`-F -O`); otherwise each belongs to one
    /// target.
    pub floating: bool,
    pub targets: Vec<WorkerTarget>,
    /// Size of the worker's I/O buffer in bytes, without the sources of write data.
    pub buffer: u64,
    /// The buffer consists of large pages (`-l`) as a whole, if any of its targets requires them.
    pub large_pages: bool,
    pub huge_pages: HugePages,
    /// `-bs`: alignment of the buffer in bytes; 0 = a page.
    pub separation: u64,
}

impl WorkerPlan {
    /// Returns for each of its targets the entry with its requests: the first portion of the same target.
    pub fn leaders(&self) -> Vec<usize> {
        let mut leader = 0;
        let of = |(index, target): (usize, &WorkerTarget)| {
            leader = if target.is_further_portion() { leader } else { index };
            leader
        };
        self.targets.iter().enumerate().map(of).collect()
    }

    pub fn counts_misses(&self) -> bool {
        self.targets.iter().any(|target| target.ways.no_wait)
    }

    pub fn times_more_than_ios(&self) -> bool {
        let others = |target: &WorkerTarget| !target.shares.are_none() || target.resets_zones();
        self.flush_every.is_some() || self.targets.iter().any(others)
    }

    pub fn others_on(&self, target: &WorkerTarget) -> impl Iterator<Item = Operation> {
        let flush = self.flush_every.map(|_| Operation::Flush);
        let reset = target.resets_zones().then_some(Operation::ZoneReset);
        flush.into_iter().chain(target.shares.iter().map(|(op, ..)| op)).chain(reset)
    }

    /// Whether I/Os on any of its targets are delayed by a limit.
    pub fn is_limited(&self) -> bool {
        self.targets.iter().any(|target| target.limit != Limit::None)
    }

    /// Whether I/Os on any of its targets have a scheduled start time.
    pub fn is_paced(&self) -> bool {
        (0..self.targets.len()).any(|target| self.is_paced_on(target))
    }

    pub fn is_paced_on(&self, target: usize) -> bool {
        !self.floating && self.targets.get(target).is_some_and(|target| target.limit.has_times())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteContent {
    /// Repeated bytes 0 to 255.
    Pattern,
    Zeros,
    /// New random content for each write (`-Zr`).
    Fresh,
    /// Reducible content (`--compress`, `--dedupe`), generated for each write.
    Reducible(ContentShape),
    /// Slice of a source at a random position (`-Z<size>`).
    Source {
        /// Index in `SpanPlan::sources`.
        index: usize,
        /// Alignment of the position in bytes, a power of two.
        alignment: u32,
    },
}

/// Division of a verified target (`--verify`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SectorGrid {
    /// Size of a stamped sector in bytes, a power of two.
    pub sector: u32,
    /// The largest piece that no I/O of the run touches in part, bytes; a multiple of the sector.
    pub unit: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct WorkerTarget {
    /// Index of the target in the time span.
    pub target: usize,
    pub id: TargetId,
    pub path: RawText,
    pub location: PathBuf,
    pub open: OpenMode,
    /// Whether it is a block device without cache by default.
    pub uncached_device: bool,
    /// Whether kernel workers execute its io_uring I/Os, because they block.
    pub workers: bool,
    pub priority: IoPriority,
    pub ways: IoFeatures,
    pub atomic_writes: Option<AtomicWrites>,
    pub mapping: Option<MapOptions>,
    /// Size in bytes at the time of planning.
    pub size: u64,
    /// Number of its requests; with a floating pool, of the whole thread. 0 = a further portion that
    /// shares the previous target's requests.
    pub requests: u32,
    /// Distance between the data of consecutive requests in bytes: the largest block of all portions.
    pub slot: u32,
    pub content: WriteContent,
    pub shares: OperationShares,
    /// `--verify`: division into sectors; all 0 = not verified.
    pub verified: SectorGrid,
    /// `--zoned`: zones; `None` = used like a device without zones.
    pub zones: Option<ZoneShare>,
    pub limit: Limit,
    /// Position of the reads of the worker's first request in its buffer, in bytes. Those of each further
    /// request are a block later.
    pub read_buffer: u64,
    pub write_buffer: u64,
    pub workload: TargetWorkload,
}

impl WorkerTarget {
    /// Whether zones are reset before they are written again (`--zoned`).
    pub fn resets_zones(&self) -> bool {
        self.zones.is_some() && self.workload.write_ratio > 0
    }

    /// Whether it shares requests and buffers of the one before it: both are portions of a target.
    pub fn is_further_portion(&self) -> bool {
        self.workload.portion.is_some_and(|portion| !portion.is_first)
    }
}
