//! Windows' clocks, as [`crate::clock`] reads them.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::SystemInformation::GetTickCount64;
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes};

/// Nanoseconds since an arbitrary, fixed origin.
pub type Nanos = u64;

pub const SECOND: Nanos = 1_000_000_000;

/// Returns the performance counter, through the standard library.
pub fn monotonic() -> Nanos {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    whole_nanos(ORIGIN.get_or_init(Instant::now).elapsed())
}

/// Equal to the monotonic clock, because the counter is not slewed.
pub fn raw() -> Nanos {
    monotonic()
}

/// Returns the CPU time of all threads of this process.
pub fn process_cpu() -> Nanos {
    let mut times = [FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 }; 4];
    let [began, ended, kernel, user] = &mut times;
    // SAFETY: the handle stands for this process, always; the four structures live on this stack.
    let answer = unsafe { GetProcessTimes(GetCurrentProcess(), began, ended, kernel, user) };
    // In 100 ns.
    let nanos = |time: &FILETIME| {
        ((u64::from(time.dwHighDateTime) << 32) | u64::from(time.dwLowDateTime)).saturating_mul(100)
    };
    if answer == 0 { 0 } else { nanos(kernel).saturating_add(nanos(user)) }
}

/// Returns the time since boot, including suspended time; exact to about 16 ms.
pub(crate) fn since_boot() -> Nanos {
    // SAFETY: takes nothing, and always answers.
    unsafe { GetTickCount64() }.saturating_mul(1_000_000)
}

/// Returns the wall-clock time: seconds since 1970-01-01 00:00 UTC, which may be negative, and nanoseconds of
/// the second.
pub fn wall() -> (i64, i64) {
    let seconds = |time: Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => (seconds(since), since.subsec_nanos().into()),
        Err(before) => (-seconds(before.duration()), 0),
    }
}

pub fn sleep_until(time: Nanos) {
    std::thread::sleep(Duration::from_nanos(time.saturating_sub(monotonic())));
}

fn whole_nanos(time: Duration) -> Nanos {
    Nanos::try_from(time.as_nanos()).unwrap_or(Nanos::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_monotonic() {
        let before = (monotonic(), since_boot(), process_cpu());
        sleep_until(monotonic() + 20_000_000);
        assert!(monotonic() >= before.0 + 20_000_000 && since_boot() > before.1 && process_cpu() >= before.2);
        // 2020, as the machine's clock is set at all.
        assert!(wall().0 > 1_577_836_800 && wall().1 < SECOND as i64);
    }
}
