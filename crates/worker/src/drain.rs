//! Handling of I/Os in flight when one fails.

use super::failed_io::{FailedIo, WorkerError};
use super::{TICK, WorkerFailure, WorkerLedger, WorkerLoop};
use crate::causes::usual_cause;
use diskspd_base::io_error;
use diskspd_sys::clock;
use diskspd_sys::clock::Nanos;
use std::time::Duration;

/// Maximum wait for I/O in flight after a failure, to count further failures.
const DRAIN: Duration = Duration::from_secs(2);

impl WorkerLoop<'_> {
    /// Counts the failed I/O `done[first]`, and further failures among the I/Os in flight.
    #[cold]
    pub(super) fn drain(&mut self, books: &mut WorkerLedger, first: usize) -> WorkerError {
        let failed = self.done[first];
        let failed = books.failed(&failed);
        // The completions behind it haven't been accounted for yet, those before it have become idle.
        let known = self.done.len() - first;
        let mut in_flight = (self.plan.depth as usize).saturating_sub(books.idle.len() + known);
        let deadline = clock::monotonic() + DRAIN.as_nanos() as Nanos;
        while in_flight > 0 && clock::monotonic() < deadline {
            let before = self.done.len();
            if self.engine.wait(1, TICK, &mut self.done).is_err() {
                break;
            }
            in_flight = in_flight.saturating_sub(self.done.len() - before);
        }
        for index in first..self.done.len() {
            let done = self.done[index];
            if done.result < 0 {
                let failed = books.failed(&done);
                self.count_error(books, failed);
            }
        }
        WorkerError::Io(failed)
    }

    pub(super) fn count_error(&mut self, books: &mut WorkerLedger, failed: FailedIo) {
        let FailedIo { errno, io, target } = failed;
        books.recorder.error(target as usize, io.op.direction(), errno, io.offset, self.clock.now());
    }

    pub(super) fn explain(&self, failed: WorkerError) -> WorkerFailure {
        match failed {
            WorkerError::Engine(error) => WorkerFailure::of_thread(self.plan.thread, error.to_string()),
            WorkerError::Io(failed) => self.describe(failed),
        }
    }

    pub(super) fn describe(&self, failed: FailedIo) -> WorkerFailure {
        let FailedIo { errno, io, target } = failed;
        let direction = io.op.row().name;
        let path = &self.plan.targets[target as usize].path;
        let error = io_error::describe(errno);
        let message = format!(
            "thread {}, request {}: {direction} of {} bytes at offset {} of '{path}' failed: {error}{}",
            self.plan.thread,
            io.request,
            io.length,
            io.offset,
            usual_cause(self.plan.engine, errno)
        );
        WorkerFailure::new(message, format!("{direction} of '{path}': {error}"))
    }
}
