//! The kernel's clocks. All other modules read them through `crate::clock`.
//!
//! All times are nanoseconds in a `u64` ([`Nanos`]) from an arbitrary origin, so only differences are
//! meaningful.

use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// Nanoseconds since an arbitrary, fixed origin.
pub type Nanos = u64;

pub const SECOND: Nanos = 1_000_000_000;

#[inline]
fn read(clock: ClockId) -> Nanos {
    let t = clock_gettime(clock);
    t.tv_sec as u64 * SECOND + t.tv_nsec as u64
}

/// Returns `CLOCK_MONOTONIC`.
#[inline]
pub fn monotonic() -> Nanos {
    read(ClockId::Monotonic)
}

/// Returns `CLOCK_MONOTONIC_RAW`: the hardware rate without NTP corrections.
pub fn raw() -> Nanos {
    read(ClockId::MonotonicRaw)
}

pub fn thread_cpu_time() -> Nanos {
    read(ClockId::ThreadCPUTime)
}

/// Returns the CPU time of all threads of this process.
pub fn process_cpu() -> Nanos {
    read(ClockId::ProcessCPUTime)
}

/// Returns the time since boot including suspend: `CLOCK_BOOTTIME`.
pub(crate) fn since_boot() -> Nanos {
    read(ClockId::Boottime)
}

/// Returns the wall-clock time: seconds since 1970-01-01 00:00 UTC, which may be negative, and nanoseconds of
/// the second.
pub fn wall() -> (i64, i64) {
    let t = clock_gettime(ClockId::Realtime);
    (t.tv_sec, t.tv_nsec)
}

/// Sleeps until [`monotonic`] reaches `time`, or until a signal arrives.
pub fn sleep_until(time: Nanos) {
    let at = Timespec { tv_sec: (time / SECOND) as i64, tv_nsec: (time % SECOND) as _ };
    // Whoever was interrupted looks at the time and sleeps again.
    let _ = clock_nanosleep_absolute(rustix::thread::ClockId::Monotonic, &at);
}
