//! Clocks that the kernel stamps recorded events with.

/// A clock of recorded events that this program can read too. The kernel knows others, of which none tells
/// the time of day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StampClock {
    #[default]
    Monotonic,
    /// `CLOCK_MONOTONIC_RAW`: the processor's counter as it runs, not disciplined by NTP.
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
