//! Flushes (`--fsync-every`): after every so many writes on a target the request of the last one flushes the
//! target before it does its next I/O. So flushes take places in the queue, and nothing else.

use super::failure::Failed;
use super::{Books, Loop};
use crate::control::Phase;
use diskspd_engine::{Done, EngineError, Io};
use diskspd_model::engines::Direction;
use diskspd_model::plan::WorkerPlan;
use diskspd_sys::clock::Nanos;
use diskspd_sys::problem::usual_cause;
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
    /// Whether what a request has in flight is a flush.
    flying: Vec<bool>,
}

impl Flushes {
    /// `None` = nothing is ever flushed.
    pub fn new(plan: &WorkerPlan) -> Option<Flushes> {
        let every = plan.flush_every?;
        let depth = plan.depth as usize;
        Some(Flushes {
            every,
            left: vec![every; plan.targets.len()],
            leaders: plan.leaders(),
            owed: Vec::with_capacity(depth),
            flying: vec![false; depth],
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
        let now = self.clock.now();
        self.batch.clear();
        for request in flushes.owed.drain(..) {
            let flight = &mut books.requests.flights[request as usize];
            flight.started = now;
            flight.io = Io { request, file: flight.io.file, ..Io::NONE };
            self.batch.push(flight.io);
        }
        self.left = books.idle.len();
        self.checker.iter_mut().for_each(|checker| checker.flushing(&self.batch));
        true
    }

    /// Hands that batch over, and takes what has completed. The books have been put down.
    pub(super) fn hand_flushes_over(&mut self) -> Result<(), EngineError> {
        for flush in &self.batch {
            self.engine.flush(flush.request, flush.file)?;
        }
        match self.left {
            0 => self.wait_until(Nanos::MAX),
            // Others may go meanwhile.
            _ => self.engine.wait(0, Duration::ZERO, &mut self.done),
        }
    }

    /// Takes the flushes out of what has completed, and counts them.
    pub(super) fn flushed(
        &mut self,
        books: &mut Books,
        done: &mut Vec<Done>,
        phase: Phase,
        now: Nanos,
    ) -> Result<(), Failed> {
        let Some(flushes) = &mut self.flushes else { return Ok(()) };
        let mut failed = None;
        done.retain(|ended| {
            let flying = &mut flushes.flying[ended.request as usize];
            if !std::mem::take(flying) {
                return true;
            }
            let flight = &books.requests.flights[ended.request as usize];
            if ended.result < 0 {
                failed = Some((flight.target, (-ended.result) as i32));
                books.idle.push(ended.request);
                return false;
            }
            self.checker.iter_mut().for_each(|checker| checker.flushed(ended.request));
            if phase == Phase::Measure {
                books.recorder.flushed(flight.target as usize, now.saturating_sub(flight.started));
            }
            books.idle.push(ended.request);
            false
        });
        match failed {
            Some((target, errno)) => Err(self.flush_failed(target, errno)),
            None => Ok(()),
        }
    }

    /// Of I/Os that ended well: the requests of writes that are followed by a flush are no longer idle.
    pub(super) fn count_writes(&mut self, books: &mut Books, done: &[Done]) {
        let Some(flushes) = &mut self.flushes else { return };
        for ended in done {
            let flight = &books.requests.flights[ended.request as usize];
            if flight.io.direction == Direction::Write && flushes.follows(flight.target) {
                books.idle.remove(ended.request);
                flushes.flying[ended.request as usize] = true;
                flushes.owed.push(ended.request);
            }
        }
    }

    #[cold]
    fn flush_failed(&self, target: u32, errno: i32) -> Failed {
        let path = &self.plan.targets[target as usize].path;
        let what = format!("flushing '{path}' (--fsync-every) failed{}", usual_cause(errno));
        Failed::Engine(EngineError { what, source: Some(std::io::Error::from_raw_os_error(errno)) })
    }
}
