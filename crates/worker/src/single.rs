//! The loop for one I/O at a time: depth 1, or a thread that does its I/Os itself. Without batches and
//! look-asides it takes two thirds of the instructions.

use super::failed_io::WorkerError;
use super::{TICK, WorkerLedger, WorkerLoop};
use crate::control::Phase;
use diskspd_engine::{EngineError, Io};
use diskspd_sys::clock::Nanos;
use diskspd_sys::handover_cell::HandoverOwner;

impl WorkerLoop<'_> {
    /// Whether the worker submits one I/O at a time and decides only its address in advance.
    pub(super) fn is_single(&self) -> bool {
        let one = self.plan.depth == 1 || self.batches.is_single();
        let rare = [self.is_special, self.flushes.is_some(), self.counting.is_some(), self.awaited > 1];
        one && !rare.contains(&true)
    }

    pub(super) fn single<const TIMED: bool>(
        &mut self,
        owner: &mut HandoverOwner<WorkerLedger>,
    ) -> Result<(), WorkerError> {
        let waits = u64::from(!self.batches.is_single());
        // The request of the last I/O, if it is the only idle one: it need not go through the queue.
        let mut free = None;
        let mut held = owner.get();
        while let Some(books) = held {
            if let Some(request) = free.take().or_else(|| books.idle.pop()) {
                let io = books.requests.next(&mut self.workload, request);
                self.left = books.idle.len();
                if TIMED {
                    self.submitted = self.clock.now();
                    books.requests.flights[request as usize].started = self.submitted;
                }
                owner.put_down();
                self.submit_one(&io)?;
            } else {
                owner.put_down();
            }
            self.waits.completion_waits += waits;
            self.wait_until(Nanos::MAX)?;
            let Some(books) = owner.pick_up() else { return Ok(()) };
            let now = if TIMED { self.clock.now() } else { 0 };
            let phase = self.phases.phase_at(now);
            if phase == Phase::Stop {
                return Ok(());
            }
            if let Some(&ended) = self.done.first() {
                if phase == Phase::Measure && ended.result >= 0 {
                    self.count_one(books, ended, now);
                    match books.idle.is_empty() {
                        true => free = Some(ended.request),
                        false => books.idle.push(ended.request),
                    }
                } else if let Err(first) = self.account_many(books, &[ended], phase, now) {
                    return Err(self.drain(books, first));
                }
                self.done.clear();
            }
            held = Some(books);
        }
        Ok(())
    }

    #[inline(always)]
    fn submit_one(&mut self, io: &Io) -> Result<(), EngineError> {
        while self.engine.submit(std::slice::from_ref(io))? == 0 {
            self.engine.wait(1, TICK, &mut self.done)?;
        }
        Ok(())
    }
}
