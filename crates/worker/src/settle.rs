//! The end of a span: waiting a little for what is in flight.

use super::books::Books;
use super::{Loop, TICK};
use diskspd_sys::clock;
use diskspd_sys::clock::Nanos;
use std::time::Duration;

/// How long a worker waits for I/Os in flight by itself, before its engine gives up what can be given up.
const SETTLE: Duration = Duration::from_millis(500);
/// Before an engine is asked again that came back with nothing.
const PAUSE: Duration = Duration::from_millis(1);

impl Loop<'_> {
    /// The span is over: waits a little for what is in flight. Most of it comes back at once, and is then
    /// no longer taken for stuck.
    pub(super) fn settle(&mut self, books: &Books) {
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
