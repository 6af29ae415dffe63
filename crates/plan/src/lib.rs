//! Profile x System -> Plan: assignment of workers to target areas and engines. Pure.
//!
//! All conflicts with the machine are found here together ([`PlanError`]), so runs can rely on the plan.
//!
//! Invariant: a plan has no conflict with its machine, so a run does not check it again.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod access;
mod affinity;
mod aux_plan;
mod buffers;
mod build;
mod engine;
mod error;
mod io_features;
mod job_rank;
mod nvme;
mod placement;
mod target;
mod tracing;
mod verify;
mod volume;
mod worker;
pub mod workload;
mod writing;
mod zone_share;
mod zones;

pub use affinity::effective_affinity;
pub use build::{PlanContext, plan};
pub use engine::{EngineRequest, completion_matters};
pub use error::{ErrorClass, PlanError};
pub use job_rank::JobRank;
pub use target::{can_be_made, creates};
pub use tracing::TracePlan;
pub use volume::VolumeGoal;

pub use diskspd_base::access::{AccessHint, Flush, IoPriority, MapOptions, OpenMode};
use diskspd_base::finding::Finding;
use diskspd_profile::{IoRing, RandomDataSource, RawText, TargetId};
use diskspd_trace::replay::{ReplayList, ReplayTurns};
use std::collections::HashMap;
use std::sync::Arc;
pub use worker::{SectorGrid, WorkerPlan, WorkerTarget, WriteContent};
pub use zone_share::ZoneShare;

#[derive(Debug, Clone, PartialEq)]
pub struct SpanPlan {
    /// Time before the measurement in s.
    pub warmup: u32,
    pub duration: u32,
    /// Time after the measurement in s.
    pub cooldown: u32,
    pub measure_latency: bool,
    /// Whether submission times of I/Os in flight are kept without latency measurement (`--stuck`,
    /// `--explain`).
    pub stamps: bool,
    /// Width of an IOPS interval in ms; `None` = not measured.
    pub iops_interval: Option<u32>,
    /// Number of a thread's I/Os per progress dot; 0 = no dots.
    pub progress: u32,
    /// Workers by thread number.
    pub workers: Vec<WorkerPlan>,
    /// Number of targets of the span, each with an interlocked position.
    pub targets: usize,
    /// Sources of write data (`-Z<size>`) by target, the indexes of [`WriteContent::Source`].
    pub sources: Vec<RandomDataSource>,
    pub wait_statistics: bool,
    pub trace: Option<TracePlan>,
    /// `-u`; `None` = batches of a suitable size.
    pub ring: Option<IoRing>,
    /// `-oc`: maximum number of completions taken at a time; `None` = all.
    pub completion_depth: Option<u32>,
    /// Whether completions per wait are counted (`-vs` of DISKSPD 2.3).
    pub wait_completions: bool,
    pub volumes: Vec<VolumeGoal>,
    /// Recorded I/Os that replace the workers' own workload; `None` = no replay.
    pub replay: Option<ReplayPlan>,
    pub warnings: Vec<Finding>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ReplayPlan {
    pub list: Arc<ReplayList>,
    /// Thousandths of the recorded speed; 0 = as fast as possible.
    pub speed_thousandths: u32,
}

impl ReplayPlan {
    pub fn turns(&self, thread: u32, threads: usize) -> ReplayTurns {
        ReplayTurns::new(Arc::clone(&self.list), self.speed_thousandths, thread, threads as u32)
    }
}

impl SpanPlan {
    pub fn is_timed(&self) -> bool {
        self.measure_latency || self.iops_interval.is_some()
    }

    /// Whether recorded I/Os start with the measurement, so that all are counted. Applies without a warm-up.
    pub fn waits_for_measuring(&self) -> bool {
        self.replay.is_some() && self.warmup == 0
    }

    /// Returns the paths of all targets as entered by the user.
    pub fn paths(&self) -> HashMap<TargetId, &RawText> {
        let targets = self.workers.iter().flat_map(|worker| &worker.targets);
        targets.map(|target| (target.id, &target.path)).collect()
    }

    /// The path of a target, as the user gave it; empty = no worker works on it.
    pub fn path_of(&self, id: TargetId) -> RawText {
        let mut targets = self.workers.iter().flat_map(|worker| &worker.targets);
        targets.find(|target| target.id == id).map(|target| target.path.clone()).unwrap_or_default()
    }
}
