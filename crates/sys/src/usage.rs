//! What a thread, or child processes, have cost.

use std::time::Duration;

/// CPU time of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadUsage {
    pub user: Duration,
    pub system: Duration,
}

/// CPU time of the calling thread so far, `getrusage(2)`. How the kernel divides it into user and system
/// time may be sampled (some 4 ms): only long stretches are meaningful.
///
/// # Errors
/// None is known; what the kernel answers.
pub fn thread_usage() -> std::io::Result<ThreadUsage> {
    let usage = usage_of(libc::RUSAGE_THREAD)?;
    Ok(ThreadUsage { user: to_duration(usage.ru_utime), system: to_duration(usage.ru_stime) })
}

/// How often the calling thread has gone to sleep so far, because what it asked for was not there yet
/// (`ru_nvcsw`). When others took its CPU is not counted.
///
/// # Errors
/// None is known; what the kernel answers.
pub fn sleeps() -> std::io::Result<u64> {
    Ok(usage_of(libc::RUSAGE_THREAD)?.ru_nvcsw as u64)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildrenUsage {
    /// CPU time, all threads together; its division is sampled as [`thread_usage`]'s.
    pub cpu: ThreadUsage,
    /// How often they gave up the CPU, to wait.
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
}

/// What the child processes that have ended, and were waited for, have cost so far, those that they waited
/// for included.
///
/// # Errors
/// None is known; what the kernel answers.
pub fn children_usage() -> std::io::Result<ChildrenUsage> {
    let usage = usage_of(libc::RUSAGE_CHILDREN)?;
    Ok(ChildrenUsage {
        cpu: ThreadUsage { user: to_duration(usage.ru_utime), system: to_duration(usage.ru_stime) },
        voluntary_switches: usage.ru_nvcsw as u64,
        involuntary_switches: usage.ru_nivcsw as u64,
    })
}

fn to_duration(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000)
}

fn usage_of(who: libc::c_int) -> std::io::Result<libc::rusage> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a value of the type that the call fills.
    if unsafe { libc::getrusage(who, usage.as_mut_ptr()) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: zeroed is a valid rusage, and the call has filled it.
    Ok(unsafe { usage.assume_init() })
}
