//! The end of a span: a short wait for I/Os in flight.

use super::ledger::WorkerLedger;
use super::{TICK, WorkerLoop};
use diskspd_sys::clock;
use diskspd_sys::clock::Nanos;
use std::time::Duration;

/// Wait of a worker for I/Os in flight before its engine cancels them.
const SETTLE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(1);

impl WorkerLoop<'_> {
    /// Waits a little for I/Os in flight at the end of a span. Most return at once, and are then not
    /// classified as stuck.
    pub(super) fn settle(&mut self, books: &WorkerLedger) {
        if self.phases.are_virtual() {
            return;
        }
        let deadline = clock::monotonic() + SETTLE.as_nanos() as Nanos;
        let mut open = books.in_flight(self.plan, &self.done, &self.given_up).len();
        while open > 0 && clock::monotonic() < deadline {
            let before = self.done.len();
            if self.engine.wait(1, TICK, &mut self.done).is_err() {
                return;
            }
            match self.done.len() - before {
                0 => std::thread::sleep(PAUSE),
                returned => open = open.saturating_sub(returned),
            }
        }
    }
}
