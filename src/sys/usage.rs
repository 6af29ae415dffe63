//! What a thread has cost.

use std::time::Duration;

/// CPU time of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadUsage {
    /// In the program.
    pub user: Duration,
    /// In the kernel.
    pub system: Duration,
}

/// CPU time of the calling thread so far, `getrusage(2)`. How the kernel divides it into user and system time may be
/// sampled (some 4 ms): only long stretches are meaningful.
///
/// # Errors
/// None is known; what the kernel answers.
pub fn thread_usage() -> std::io::Result<ThreadUsage> {
    let usage = of_thread()?;
    let duration = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    Ok(ThreadUsage { user: duration(usage.ru_utime), system: duration(usage.ru_stime) })
}

/// How often the calling thread has gone to sleep so far, because what it asked for was not there yet (`ru_nvcsw`).
/// When others took its CPU is not counted.
///
/// # Errors
/// None is known; what the kernel answers.
pub fn sleeps() -> std::io::Result<u64> {
    Ok(of_thread()?.ru_nvcsw as u64)
}

fn of_thread() -> std::io::Result<libc::rusage> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a value of the type that the call fills.
    if unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: zeroed is a valid rusage, and the call has filled it.
    Ok(unsafe { usage.assume_init() })
}
