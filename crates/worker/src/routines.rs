//! Completion routines (`-x`): every completion is stamped, accounted for and reissued separately.

use super::failed_io::WorkerError;
use super::{WorkerLedger, WorkerLoop};
use crate::control::Phase;
use diskspd_engine::CompletedIo;
use diskspd_sys::clock::Nanos;
use diskspd_sys::handover_cell::HandoverOwner;
use std::time::Duration;

impl WorkerLoop<'_> {
    /// Handles completions one at a time until the phase is [`Phase::Stop`]. A failed I/O stops its
    /// request; the other requests continue.
    pub(super) fn routines(&mut self, owner: &mut HandoverOwner<WorkerLedger>) -> Result<(), WorkerError> {
        let mut stopped = 0;
        let mut handled = Vec::with_capacity(self.plan.depth as usize);
        if let Some(books) = owner.get() {
            self.fill_queue(books);
        }
        self.stamp();
        self.submit(owner)?;
        while stopped < self.plan.depth {
            if self.done.is_empty() {
                self.wait_until(Nanos::MAX)?;
            }
            let Some(mut books) = owner.pick_up() else { return Ok(()) };
            // What completes meanwhile is handled after what is there.
            std::mem::swap(&mut self.done, &mut handled);
            if handled.is_empty() {
                return Ok(());
            }
            for (index, completed) in handled.iter().enumerate() {
                let now = if self.timed { self.clock.now() } else { 0 };
                let phase = self.phases.phase_at(now);
                if phase == Phase::Stop {
                    self.done.extend_from_slice(&handled[index..]);
                    return Ok(());
                }
                let accounted = self.account(books, &[*completed], phase, now);
                self.check(&[*completed]);
                if accounted.is_err() {
                    stopped += 1;
                    self.abandon_io(books, completed);
                    continue;
                }
                self.fill_queue(books);
                self.stamp();
                self.submit(owner)?;
                // The last one is submitted by the wait that follows.
                if index + 1 == handled.len() {
                    break;
                }
                self.engine.wait(0, Duration::ZERO, &mut self.done)?;
                books = match owner.pick_up() {
                    Some(books) => books,
                    None => return Ok(()),
                };
            }
            handled.clear();
        }
        Ok(())
    }

    #[cold]
    fn abandon_io(&mut self, books: &mut WorkerLedger, completed: &CompletedIo) {
        self.given_up.push(completed.request);
        let failed = books.failed(completed);
        self.count_error(books, failed);
        let what = self.describe(failed).message;
        self.voice.warn(&format!("{what}. With -x this request stops; the others continue"));
    }
}
