//! Completion routines (`-x`): every completion is stamped, accounted for and issued anew by itself.

use super::Loop;
use super::failure::Failed;
use crate::clock::Nanos;
use crate::run::control::Phase;
use std::time::Duration;

impl Loop<'_> {
    /// Handles completions one by one until the phase is [`Phase::Stop`]. The request of an I/O that fails stops; the
    /// others go on.
    pub(super) fn routines(&mut self) -> Result<(), Failed> {
        let mut stopped = 0;
        let mut handled = Vec::with_capacity(self.worker.plan.depth as usize);
        self.fill();
        self.hand_over()?;
        while stopped < self.worker.plan.depth {
            if self.done.is_empty() {
                self.wait_until(Nanos::MAX)?;
            }
            if !self.worker.books.pick_up() {
                return Ok(());
            }
            // What completes meanwhile is handled after what is there.
            std::mem::swap(&mut self.done, &mut handled);
            if handled.is_empty() {
                return Ok(());
            }
            for (index, completed) in handled.iter().enumerate() {
                let now = if self.timed { self.worker.clock.now() } else { 0 };
                let phase = self.worker.phases.at(now);
                if phase == Phase::Stop {
                    self.done.extend_from_slice(&handled[index..]);
                    return Ok(());
                }
                if self.account(&[*completed], phase, now).is_err() {
                    stopped += 1;
                    self.give_up(completed);
                    continue;
                }
                self.fill();
                self.hand_over()?;
                // The last one is handed over by the wait that follows.
                if index + 1 < handled.len() {
                    self.worker.engine.wait(0, Duration::ZERO, &mut self.done)?;
                    if !self.worker.books.pick_up() {
                        return Ok(());
                    }
                }
            }
            handled.clear();
        }
        Ok(())
    }

    #[cold]
    fn give_up(&mut self, completed: &crate::engine::Done) {
        self.given_up.push(completed.request);
        let failed = self.failed(completed);
        self.count_error(failed);
        let what = self.describe(failed).message;
        self.worker.console.warn(&format!("{what}. With -x this request stops and the others go on"));
    }
}
