//! Limits of this process (getrlimit(2)).

use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    /// The size of a file, in bytes.
    FileSize,
    /// Memory that is locked, in bytes.
    LockedMemory,
}

/// The soft limit of a resource; `None` = it is unlimited.
///
/// # Errors
/// The kernel or a system-call filter refuses the call: the limit is unknown.
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
