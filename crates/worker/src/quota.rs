//! `--until-written`, `--until-read`: remaining volume that may be submitted. The workers share it and
//! stop automatically, because the controlling thread only checks occasionally, and a device writes a lot
//! between checks.

use super::WorkerLedger;
use diskspd_base::engines::Direction;
use diskspd_plan::{SpanPlan, VolumeGoal};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

/// Wait before the next check without I/Os in flight or work, in ns.
pub(super) const NAP: u64 = 500_000;

#[derive(Debug)]
pub struct VolumeQuota {
    goals: Vec<VolumeTarget>,
}

#[derive(Debug)]
struct VolumeTarget {
    direction: Direction,
    /// Bytes that may still be submitted; negative if several threads exceed it with their last I/Os.
    left: AtomicI64,
    /// Bytes completed in the measurement, as counted by the results.
    done: AtomicU64,
}

impl VolumeQuota {
    /// Returns `None` if no volume ends the span, or its count begins at the start signal.
    pub fn for_plan(plan: &SpanPlan) -> Option<Arc<VolumeQuota>> {
        let goals: Vec<&VolumeGoal> = plan.volumes.iter().filter(|goal| !goal.from_start).collect();
        (!goals.is_empty()).then(|| Arc::new(VolumeQuota::new(goals)))
    }

    pub fn new<'a>(goals: impl IntoIterator<Item = &'a VolumeGoal>) -> VolumeQuota {
        let of = |goal: &VolumeGoal| VolumeTarget {
            direction: goal.direction,
            left: AtomicI64::new(i64::try_from(goal.bytes).unwrap_or(i64::MAX)),
            done: AtomicU64::new(0),
        };
        VolumeQuota { goals: goals.into_iter().map(of).collect() }
    }

    fn has_room(&self) -> bool {
        self.goals.iter().all(|goal| goal.left.load(Relaxed) > 0)
    }

    fn of_direction(&self, direction: Direction) -> impl Iterator<Item = &VolumeTarget> {
        self.goals.iter().filter(move |goal| goal.direction == direction)
    }

    pub fn done_bytes(&self, direction: Direction) -> u64 {
        self.of_direction(direction).map(|goal| goal.done.load(Relaxed)).sum()
    }

    pub fn came_back(&self, direction: Direction, bytes: u64) {
        for goal in self.of_direction(direction) {
            goal.done.fetch_add(bytes, Relaxed);
        }
    }

    /// Takes this number of bytes of a direction; a negative number returns bytes.
    #[inline]
    pub(super) fn take(&self, direction: Direction, bytes: i64) {
        for goal in self.of_direction(direction) {
            goal.left.fetch_sub(bytes, Relaxed);
        }
    }
}

/// Share of a worker in the quota.
pub(super) struct WorkerQuota {
    pub(super) quota: Arc<VolumeQuota>,
    pub(super) counts: bool,
}

impl WorkerQuota {
    pub(super) fn new(quota: Arc<VolumeQuota>) -> WorkerQuota {
        WorkerQuota { quota, counts: false }
    }

    #[inline]
    pub(super) fn has_room(&self) -> bool {
        !self.counts || self.quota.has_room()
    }

    #[inline]
    pub(super) fn note_drawn(&self, direction: Direction, length: u32) {
        if self.counts {
            self.quota.take(direction, length.into());
        }
    }

    /// Starts the measurement of this worker, including its I/Os in flight.
    pub(super) fn begin(&mut self, books: &WorkerLedger) {
        self.counts = true;
        for direction in [Direction::Read, Direction::Write] {
            let of = |request: &u32| {
                let io = &books.requests.flights[*request as usize].io;
                if io.op == direction.into() { i64::from(io.length) } else { 0 }
            };
            let all: i64 = (0..books.requests.flights.len() as u32).map(|request| of(&request)).sum();
            let idle: i64 = books.idle.waiting().iter().map(of).sum();
            self.quota.take(direction, all - idle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submitted_io_counts_from_measuring_start() {
        let goal = VolumeGoal { direction: Direction::Write, bytes: 8192, from_start: false };
        let quota = Arc::new(VolumeQuota::new([&goal]));
        let mut share = WorkerQuota::new(Arc::clone(&quota));
        share.note_drawn(Direction::Write, 1 << 20);
        assert!(share.has_room(), "a warm-up is not limited");
        share.counts = true;
        share.note_drawn(Direction::Write, 4096);
        share.note_drawn(Direction::Read, 1 << 20);
        assert!(share.has_room());
        share.note_drawn(Direction::Write, 4096);
        assert!(!share.has_room());
        quota.take(Direction::Write, -512);
        assert!(share.has_room(), "512 bytes of it were not written");
    }
}
