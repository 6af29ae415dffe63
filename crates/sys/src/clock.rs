//! Monotonic and virtual time: the only place that reads a clock.
//!
//! All times are nanoseconds in a `u64` ([`Nanos`]) from an arbitrary origin, so only differences are
//! meaningful.

mod counter;

use crate::fault_points;
use crate::kernel_clock as kernel;
#[cfg(target_os = "linux")]
pub use crate::kernel_clock::thread_cpu_time;
pub use crate::kernel_clock::{Nanos, SECOND, monotonic, process_cpu, raw};
use counter::Counter;
pub use counter::prepare;
use std::cell::Cell;
use std::rc::Rc;

/// Clock of a worker thread.
///
/// A clone of a virtual clock shares its hand with the original: the simulated engine moves it on,
/// the worker reads it.
#[derive(Debug, Clone)]
pub enum Clock {
    /// `CLOCK_MONOTONIC` of the kernel, read through the vDSO.
    Monotonic,
    /// The monotonic time from the CPU's time-stamp counter: see [`Clock::fastest`].
    Counter(Rc<Counter>),
    /// Virtual time, only advanced by [`Clock::advance_to`], for deterministic simulations.
    Virtual(Rc<Cell<Nanos>>),
}

impl Clock {
    /// `CLOCK_MONOTONIC` by the cheapest way there is: by the time-stamp counter where it is reliable,
    /// which is compared with the kernel's clock all the time, else through the vDSO. For the calling
    /// thread.
    pub fn fastest() -> Clock {
        Counter::new().map_or(Clock::Monotonic, |counter| Clock::Counter(Rc::new(counter)))
    }

    pub fn source(&self) -> String {
        match self {
            Clock::Monotonic => "kernel clock (vDSO)".into(),
            Clock::Virtual(_) => "virtual time".into(),
            Clock::Counter(counter) => match counter.megahertz() {
                Some(megahertz) => format!("time-stamp counter at {megahertz:.0} MHz"),
                None => "kernel clock (vDSO), because the time-stamp counter went wrong".into(),
            },
        }
    }

    pub fn simulated(start: Nanos) -> Clock {
        Clock::Virtual(Rc::new(Cell::new(start)))
    }

    #[inline]
    pub fn now(&self) -> Nanos {
        match self {
            Clock::Monotonic => monotonic(),
            Clock::Counter(counter) => counter.now(),
            Clock::Virtual(hand) => hand.get(),
        }
    }

    /// Sleeps until `time`, or until a signal arrives; a virtual clock is set to `time`.
    #[inline]
    pub fn sleep_until(&self, time: Nanos) {
        match self {
            Clock::Virtual(_) => self.advance_to(time),
            Clock::Monotonic | Clock::Counter(_) => kernel::sleep_until(time),
        }
    }

    /// Moves a virtual clock forward to `time`. It never moves backwards, and the monotonic clock is not
    /// changed.
    #[inline]
    pub fn advance_to(&self, time: Nanos) {
        if let Clock::Virtual(hand) = self
            && time > hand.get()
        {
            hand.set(time);
        }
    }
}

/// Returns the wall-clock time in seconds since 1970-01-01 00:00 UTC.
pub fn wall_seconds() -> i64 {
    wall_nanos().div_euclid(SECOND as i64)
}

/// Returns the wall-clock time in ms since 1970-01-01 00:00 UTC.
pub fn wall_millis() -> i64 {
    wall_nanos().div_euclid(1_000_000)
}

/// Returns the wall-clock time in ns since 1970-01-01 00:00 UTC.
pub fn wall_nanos() -> i64 {
    let (seconds, nanos) = kernel::wall();
    seconds.wrapping_mul(SECOND as i64).wrapping_add(nanos).wrapping_add(fault_points::ahead_ns())
}

/// Returns the total suspended time of the machine since boot, in which `CLOCK_MONOTONIC` does not
/// advance.
pub fn suspended() -> Nanos {
    kernel::since_boot().saturating_sub(monotonic())
}

/// Milliseconds that random numbers are seeded with (`-z` without a value): since the machine was started,
/// suspended time included, as in DISKSPD.
pub fn seed_millis() -> u64 {
    kernel::since_boot() / 1_000_000
}
