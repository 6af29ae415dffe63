//! The watched time span, and the visible state of its workers.

use super::target::WatchedTarget;
use diskspd_model::plan::{SpanPlan, WorkerPlan};
use diskspd_model::profile::{RunOptions, TargetId};
use diskspd_worker::desk::WorkerHandoff;
use diskspd_worker::telemetry::live::{self, Counters};
use diskspd_worker::{Control, RunReporter};
use std::slice;

/// Number of attempts, because an active worker cannot be inspected.
pub const TRIES: usize = 4;

#[derive(Clone, Copy)]
pub struct WatchedSpan<'a> {
    pub plan: &'a SpanPlan,
    pub live: &'a [Counters],
    pub desks: &'a [WorkerHandoff],
    pub control: &'a Control,
    pub voice: &'a RunReporter,
    pub run_options: &'a RunOptions,
}

impl WatchedSpan<'_> {
    /// Workers with their index.
    pub fn workers(&self) -> impl Iterator<Item = (usize, &WorkerPlan)> {
        self.plan.workers.iter().enumerate()
    }

    /// Returns the I/Os in flight on a target; `None` if a worker is active.
    pub fn in_flight(&self, target: &WatchedTarget) -> Option<u64> {
        let of_worker = |index: &usize| {
            let (worker, desk) = (self.plan.workers.get(*index)?, self.desks.get(*index)?);
            let count = || {
                desk.look(|books| {
                    let flying = books.in_flight(worker, &[], &[]);
                    flying.iter().filter(|io| io.path == target.path).count() as u64
                })
            };
            (0..TRIES).find_map(|_| count())
        };
        target.workers.iter().map(of_worker).sum()
    }

    /// I/Os so far of a worker with several targets, on one of them; `None` = it is at work.
    fn ios_on(&self, index: usize, id: TargetId) -> Option<u64> {
        let (worker, desk) = (self.plan.workers.get(index)?, self.desks.get(index)?);
        let entries = || worker.targets.iter().map(move |target| target.id == id);
        let sum = || {
            desk.look(|books| {
                books.recorder.ios().zip(entries()).filter(|(_, is_it)| *is_it).map(|(ios, _)| ios).sum()
            })
        };
        (0..TRIES).find_map(|_| sum())
    }

    /// Returns the I/Os so far on a target; `None` if currently unknown.
    pub fn ios(&self, target: &WatchedTarget) -> Option<u64> {
        let of_worker = |index: &usize| match target.shares {
            true => self.ios_on(*index, target.id),
            false => Some(live::totals(slice::from_ref(self.live.get(*index)?)).0),
        };
        target.workers.iter().map(of_worker).sum()
    }
}
