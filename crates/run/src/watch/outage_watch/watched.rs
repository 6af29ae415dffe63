//! The watched time span, and the visible state of its workers.

use super::target::WatchedTarget;
use diskspd_plan::{SpanPlan, WorkerPlan};
use diskspd_profile::{RawText, RunOptions, TargetId};
use diskspd_worker::handoff::WorkerHandoff;
use diskspd_worker::telemetry::live::{self, Counters};
use diskspd_worker::{Control, RunReporter};
use std::collections::HashMap;
use std::slice;

/// Maximum number of attempts, because an active worker cannot be inspected.
pub(super) const MAX_TRIES: usize = 4;

#[derive(Clone, Copy)]
pub(crate) struct WatchedSpan<'a> {
    pub plan: &'a SpanPlan,
    pub live: &'a [Counters],
    pub desks: &'a [WorkerHandoff],
    pub control: &'a Control,
    pub voice: &'a RunReporter,
    pub run_options: &'a RunOptions,
}

impl WatchedSpan<'_> {
    pub(crate) fn workers(&self) -> impl Iterator<Item = (usize, &WorkerPlan)> {
        self.plan.workers.iter().enumerate()
    }

    /// Returns the I/Os in flight of a worker by path; `None` = it is active.
    fn in_flight(&self, index: usize) -> Option<FlightCounts> {
        let (worker, desk) = (self.plan.workers.get(index)?, self.desks.get(index)?);
        let flying = (0..MAX_TRIES).find_map(|_| desk.inspect(|books| books.in_flight(worker, &[], &[])))?;
        let mut counts = FlightCounts::new();
        flying.into_iter().for_each(|io| *counts.entry(io.path).or_default() += 1);
        Some(counts)
    }
}

/// Number of I/Os in flight by path.
type FlightCounts = HashMap<RawText, u64>;

/// Counts of all targets; inspects each worker once.
pub(super) struct TargetCounts {
    workers: Vec<CountedWorker>,
    /// Completed I/Os by target; `None` = currently unknown.
    ios: Vec<Option<u64>>,
    in_flight: HashMap<usize, Option<FlightCounts>>,
}

struct CountedWorker {
    /// Index of each target of the worker.
    places: Vec<usize>,
    is_shared: bool,
}

impl TargetCounts {
    pub(super) fn new(plan: &SpanPlan, targets: &[WatchedTarget]) -> TargetCounts {
        let places: HashMap<TargetId, usize> =
            targets.iter().enumerate().map(|(place, target)| (target.id, place)).collect();
        let worker = |worker: &WorkerPlan| {
            let entries = worker.targets.iter();
            let places: Vec<usize> = entries.filter_map(|entry| places.get(&entry.id).copied()).collect();
            let is_shared = places.iter().any(|place| targets[*place].shares);
            CountedWorker { places, is_shared }
        };
        let workers = plan.workers.iter().map(worker).collect();
        TargetCounts { workers, ios: Vec::with_capacity(targets.len()), in_flight: HashMap::new() }
    }

    /// Returns the completed I/Os of each target; `None` = currently unknown.
    pub(super) fn read_ios(&mut self, span: &WatchedSpan, targets: usize) -> &[Option<u64>] {
        self.in_flight.clear();
        self.ios.clear();
        self.ios.resize(targets, Some(0));
        for (index, worker) in self.workers.iter().enumerate() {
            let ios = &mut self.ios;
            let mut add = |place: usize, done: Option<u64>| {
                ios[place] = ios[place].zip(done).map(|(sum, done)| sum + done);
            };
            if !worker.is_shared {
                let live = span.live.get(index).map(|live| live::totals(slice::from_ref(live)).0);
                worker.places.first().into_iter().for_each(|place| add(*place, live));
                continue;
            }
            let desk = span.desks.get(index);
            let mut count = || {
                desk?.inspect(|books| {
                    let counts = worker.places.iter().zip(books.recorder.ios());
                    counts.for_each(|(place, done)| add(*place, Some(done)));
                })
            };
            // It is at work.
            if (0..MAX_TRIES).find_map(|_| count()).is_none() {
                worker.places.iter().for_each(|place| self.ios[*place] = None);
            }
        }
        &self.ios
    }

    /// Returns the I/Os in flight on a target at the last reading; `None` if a worker is active.
    pub(super) fn in_flight(&mut self, span: &WatchedSpan, target: &WatchedTarget) -> Option<u64> {
        let of_worker = |index: &usize| {
            let counts = self.in_flight.entry(*index).or_insert_with(|| span.in_flight(*index));
            counts.as_ref().map(|counts| counts.get(&target.path).copied().unwrap_or(0))
        };
        target.workers.iter().map(of_worker).sum()
    }
}
