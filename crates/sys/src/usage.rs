//! Resource usage of a thread, or of child processes.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadUsage {
    pub user: Duration,
    pub system: Duration,
}

/// Returns the CPU time of the calling thread so far, `getrusage(2)`. The kernel may sample its division
/// into user and system time (about 4 ms), so only long intervals are meaningful.
pub fn thread_usage() -> std::io::Result<ThreadUsage> {
    let usage = usage_of(libc::RUSAGE_THREAD)?;
    Ok(ThreadUsage { user: to_duration(usage.ru_utime), system: to_duration(usage.ru_stime) })
}

/// Returns how often the calling thread has slept so far, waiting for something (`ru_nvcsw`). Preemption
/// is not counted.
pub fn sleeps() -> std::io::Result<u64> {
    Ok(usage_of(libc::RUSAGE_THREAD)?.ru_nvcsw as u64)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildrenUsage {
    /// CPU time of all threads; its division is sampled like [`thread_usage`]'s.
    pub cpu: ThreadUsage,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
}

/// Returns the total usage of ended and awaited child processes, including their own awaited children.
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
