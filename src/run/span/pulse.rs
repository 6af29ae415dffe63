//! The controlling thread's pulse: it wakes ten times a second, and knows by that when the whole program
//! could not run.

use crate::clock::{self, Nanos, SECOND};
use crate::results::Delays;
use crate::sys::signals::Continued;

/// From one beat to the next. Ten wake-ups a second take less than a thousandth of a CPU.
const WIDTH: Nanos = SECOND / 10;
/// A busy machine wakes a thread some milliseconds late; from here on it is worth counting.
const LATE: Nanos = SECOND / 20;

/// Feels the pulse of one measured window.
#[derive(Debug)]
pub struct Pulse {
    start: Nanos,
    /// When the thread has to wake next.
    pub due: Nanos,
    /// When it was last awake.
    awake: Nanos,
    /// How far the clock that goes on in suspend was ahead of the other one.
    ahead: Nanos,
    /// What a delay is called in a finding is all that depends on it.
    continued: Continued,
    delays: Delays,
}

impl Pulse {
    /// Measuring begins at `start`.
    pub fn new(start: Nanos) -> Pulse {
        let continued = Continued::listen();
        let ahead = clock::suspended();
        Pulse { start, due: start + WIDTH, awake: start, ahead, continued, delays: Delays::default() }
    }

    /// The thread woke at `now`, and had meant to at `meant`.
    pub fn woke(&mut self, meant: Nanos, now: Nanos) {
        // What fell due while it could not run is not late once more.
        let late = now.saturating_sub(meant.max(self.awake));
        self.awake = now;
        if late >= LATE {
            let us = late / 1000;
            self.delays.times += 1;
            self.delays.total_us += us;
            if us > self.delays.longest_us {
                self.delays.longest_us = us;
                self.delays.longest_at_us = now.saturating_sub(self.start) / 1000;
            }
        }
        if self.due <= now {
            self.due = now + WIDTH;
        }
    }

    /// What was felt, when measuring has ended.
    pub fn finish(&mut self) -> Delays {
        self.delays.suspended_us = clock::suspended().saturating_sub(self.ahead) / 1000;
        self.delays.continued = self.continued.seen();
        self.delays
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_late_by_more_than_a_busy_machine_counts() {
        const MS: Nanos = 1_000_000;
        let mut pulse = Pulse::new(1000 * MS);
        // The end of the window was at 2000, the pulse at 2450: both had gone by already.
        let wakes = [(1100, 1101), (1201, 1250), (1350, 2350), (2000, 2351), (2450, 2550), (2460, 2551)];
        for (meant, now) in wakes {
            pulse.woke(meant * MS, now * MS);
            assert!(pulse.due > now * MS && pulse.due <= (now + 100) * MS);
        }
        let delays = Delays { continued: false, suspended_us: 0, ..pulse.finish() };
        let expected = Delays {
            times: 2,
            total_us: 1_100_000,
            longest_us: 1_000_000,
            longest_at_us: 1_350_000,
            ..Delays::default()
        };
        assert_eq!(delays, expected);
    }
}
