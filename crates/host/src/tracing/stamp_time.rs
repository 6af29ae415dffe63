//! The clocks of recorded events, read by this program.

use diskspd_machine::tracing::StampClock;
use diskspd_sys::clock::{self, Nanos};

pub fn stamp_time(clock: StampClock) -> Nanos {
    match clock {
        StampClock::Monotonic => clock::monotonic(),
        StampClock::Raw => clock::raw(),
    }
}
