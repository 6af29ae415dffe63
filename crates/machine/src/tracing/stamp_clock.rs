//! The kernel's clocks for time stamps of recorded events.

/// A time stamp clock that this program can read too. The kernel has other clocks, but none with the time
/// of day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StampClock {
    #[default]
    Monotonic,
    /// `CLOCK_MONOTONIC_RAW`: the CPU's counter without corrections by NTP.
    Raw,
}

impl StampClock {
    pub fn name(self) -> &'static str {
        match self {
            StampClock::Monotonic => "CLOCK_MONOTONIC",
            StampClock::Raw => "CLOCK_MONOTONIC_RAW",
        }
    }

    pub fn trace_clock(self) -> &'static str {
        match self {
            StampClock::Monotonic => "mono",
            StampClock::Raw => "mono_raw",
        }
    }
}
