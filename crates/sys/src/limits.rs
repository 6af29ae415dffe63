//! Limits of this process (getrlimit(2)).

use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    /// File size in bytes.
    FileSize,
    /// Locked memory in bytes.
    LockedMemory,
}

/// Divisor of the hard limit of CPU time that gives the time for the report.
const REPORT_SHARE: u64 = 20;

/// Lowers the soft limit of CPU time if it equals the hard limit, as after `ulimit -t`: the kernel kills a
/// process at its hard limit, without the signal of the soft limit.
pub fn lead_cpu_limit() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes one `rlimit`, which lives on this stack.
    let read = unsafe { libc::getrlimit(libc::RLIMIT_CPU, &raw mut limit) };
    if read != 0 || limit.rlim_cur == libc::RLIM_INFINITY || limit.rlim_cur < limit.rlim_max {
        return;
    }
    limit.rlim_cur = limit.rlim_max.saturating_sub((limit.rlim_max / REPORT_SHARE).max(1)).max(1);
    // Without it the process is killed as before.
    // SAFETY: the call reads one `rlimit`, which lives on this stack.
    let _ = unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) };
}

/// The soft limit of a resource; `None` = it is unlimited.
///
/// # Errors
/// Fails if the kernel or a system-call filter refuses the call.
pub(crate) fn current(resource: Resource) -> io::Result<Option<u64>> {
    let number = match resource {
        Resource::FileSize => libc::RLIMIT_FSIZE,
        Resource::LockedMemory => libc::RLIMIT_MEMLOCK,
    };
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes one `rlimit`, which lives on this stack.
    match unsafe { libc::getrlimit(number, &raw mut limit) } {
        0 => Ok((limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)),
        _ => Err(io::Error::last_os_error()),
    }
}
