//! Profile x System -> Plan: who works on which bytes of which target, with what. Pure.

use crate::engine::{Direction, EngineKind};
use crate::profile::RawText;
pub use crate::sys::files::{AccessHint, OpenMode};
use crate::workload::TargetWorkload;

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
    /// Requests in all: the largest number of I/Os in flight.
    pub depth: u32,
    /// Requests choose among all targets before each I/O (`-F -O`); else each belongs to one target.
    pub floating: bool,
    /// What it works on, in order.
    pub targets: Vec<WorkerTarget>,
}

/// One target of a worker.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerTarget {
    /// Index of the target in the time span.
    pub target: usize,
    /// As the user gave it.
    pub path: RawText,
    /// How it is opened.
    pub open: OpenMode,
    /// Size found when planning, bytes.
    pub size: u64,
    /// Requests bound to it; with a floating pool, those of the whole thread.
    pub requests: u32,
    /// Whether write buffers are zero-filled instead of the 0, 1, .. 255 pattern.
    pub zero_write_buffers: bool,
    /// Addresses and directions.
    pub workload: TargetWorkload,
}

impl OpenMode {
    /// Whether an I/O of this direction can occur.
    pub fn allows(&self, direction: Direction) -> bool {
        match direction {
            Direction::Read => self.read,
            Direction::Write => self.write,
        }
    }
}
