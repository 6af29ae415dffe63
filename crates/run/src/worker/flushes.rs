//! Flushes (`--fsync-every`): after every so many writes on a target the request of the last one flushes the
//! target before it does its next I/O. So flushes take places in the queue, and nothing else.

use super::{Books, Loop};
use diskspd_engine::{Done, EngineError, Io, Operation};
use diskspd_model::plan::WorkerPlan;
use diskspd_sys::clock::Nanos;
use std::time::Duration;

/// Which writes are followed by a flush, and which requests do one.
#[derive(Debug)]
pub struct Flushes {
    every: u32,
    /// Writes until the next flush, by target.
    left: Vec<u32>,
    /// Of each entry of the worker's list its target, whose writes all count.
    leaders: Vec<usize>,
    /// Requests that have to flush their target before their next I/O.
    owed: Vec<u32>,
}

impl Flushes {
    /// `None` = nothing is ever flushed.
    pub fn new(plan: &WorkerPlan) -> Option<Flushes> {
        let every = plan.flush_every?;
        Some(Flushes {
            every,
            left: vec![every; plan.targets.len()],
            leaders: plan.leaders(),
            owed: Vec::with_capacity(plan.depth as usize),
        })
    }

    /// Counts a write on a target; true = a flush follows it.
    fn follows(&mut self, target: u32) -> bool {
        let left = &mut self.left[self.leaders[target as usize]];
        *left -= 1;
        if *left > 0 {
            return false;
        }
        *left = self.every;
        true
    }
}

impl Loop<'_> {
    /// Makes a batch of the flushes that are owed; false = none are.
    #[inline]
    pub(super) fn draw_flushes(&mut self, books: &mut Books) -> bool {
        let Some(flushes) = self.flushes.as_mut().filter(|flushes| !flushes.owed.is_empty()) else {
            return false;
        };
        self.batch.clear();
        for request in flushes.owed.drain(..) {
            let flight = &mut books.requests.flights[request as usize];
            flight.io = Io { request, file: flight.io.file, op: Operation::Flush, ..Io::NONE };
            self.batch.push(flight.io);
        }
        self.left = books.idle.len();
        self.checker.iter_mut().for_each(|checker| checker.flushing(&self.batch));
        true
    }

    /// Takes what has completed when flushes have been handed over.
    pub(super) fn collect_flushes(&mut self) -> Result<(), EngineError> {
        match self.left {
            0 => self.wait_until(Nanos::MAX),
            // Others may go meanwhile.
            _ => self.engine.wait(0, Duration::ZERO, &mut self.done),
        }
    }

    /// Of I/Os that ended well: the requests of writes that are followed by a flush are no longer idle.
    pub(super) fn count_writes(&mut self, books: &mut Books, done: &[Done]) {
        let Some(flushes) = &mut self.flushes else { return };
        for ended in done {
            let flight = &books.requests.flights[ended.request as usize];
            if flight.io.op == Operation::Write && flushes.follows(flight.target) {
                books.idle.remove(ended.request);
                flushes.owed.push(ended.request);
            }
        }
    }
}
