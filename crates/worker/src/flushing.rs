//! Flushes of a worker's targets (`--fsync-every`).

use super::{WorkerLedger, WorkerLoop};
use diskspd_engine::{CompletedIo, EngineError, Io, Operation};
use diskspd_sys::clock::Nanos;
use std::time::Duration;

impl WorkerLoop<'_> {
    /// Fills a batch with due flushes; returns false if there are none.
    #[inline]
    pub(super) fn draw_flushes(&mut self, books: &mut WorkerLedger) -> bool {
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

    pub(super) fn collect_flushes(&mut self) -> Result<(), EngineError> {
        match self.left {
            0 => self.wait_until(Nanos::MAX),
            // Others may go meanwhile.
            _ => self.engine.wait(0, Duration::ZERO, &mut self.done),
        }
    }

    /// Updates the flush schedule after successful I/Os: requests of writes followed by a flush or a zone
    /// reset are no longer idle.
    pub(super) fn count_writes(&mut self, books: &mut WorkerLedger, done: &[CompletedIo]) {
        if let Some(zones) = &mut self.zones {
            for ended in done {
                let flight = &books.requests.flights[ended.request as usize];
                if zones.ended(flight.target, &flight.io, ended.result as u64) {
                    books.idle.remove(ended.request);
                }
            }
        }
        let Some(flushes) = &mut self.flushes else { return };
        for ended in done {
            let flight = &books.requests.flights[ended.request as usize];
            if flight.io.op == Operation::Write && flushes.follows(flight.target) {
                books.idle.remove(ended.request);
                flushes.owed.push(ended.request);
                self.zones.iter_mut().for_each(|zones| zones.hold(ended.request));
            }
        }
    }
}
