//! Clocks that the kernel stamps recorded events with.

/// A clock of recorded events that this program can read too. The kernel knows others, of which none tells
/// the time of day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StampClock {
    /// `CLOCK_MONOTONIC`, which this program's latencies are measured by.
    #[default]
    Monotonic,
    /// `CLOCK_MONOTONIC_RAW`: the processor's counter as it runs, not disciplined by NTP.
    Raw,
}

impl StampClock {
    /// Its name in clock_gettime(2).
    pub fn name(self) -> &'static str {
        match self {
            StampClock::Monotonic => "CLOCK_MONOTONIC",
            StampClock::Raw => "CLOCK_MONOTONIC_RAW",
        }
    }

    /// Its name in `trace_clock` of tracefs.
    pub fn trace_clock(self) -> &'static str {
        match self {
            StampClock::Monotonic => "mono",
            StampClock::Raw => "mono_raw",
        }
    }
}
