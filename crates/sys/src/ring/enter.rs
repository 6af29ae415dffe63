//! The system call that submits and waits.

use io_uring::{EnterFlags, types};
use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

/// Timeouts from this one on are taken as none. The kernel adds the present time, which must not overflow.
pub(super) const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// How a ring is named to the kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entrance {
    /// Its index when the ring is registered, else its descriptor.
    pub(super) ring: RawFd,
    /// Flags that go with it.
    pub(super) flags: EnterFlags,
}

impl Entrance {
    /// `io_uring_enter(2)`. Returns how many entries it took.
    pub(super) fn call(&self, submit: u32, min: u32, timeout: Duration) -> io::Result<u32> {
        let time = types::Timespec::from(timeout.min(FOREVER));
        let time: *const types::Timespec = if timeout < FOREVER { &time } else { std::ptr::null() };
        let argument = WaitArgument { sigmask: 0, sigmask_size: 0, min_wait: 0, time: time as u64 };
        // SAFETY: the argument and the time live until the call returns; the entries were made by `push`
        // and `cancel`.
        let taken = unsafe {
            libc::syscall(
                libc::SYS_io_uring_enter,
                self.ring,
                submit,
                min,
                self.flags.bits(),
                &raw const argument,
                size_of::<WaitArgument>(),
            )
        };
        u32::try_from(taken).map_err(|_| io::Error::last_os_error())
    }
}

/// `struct io_uring_getevents_arg` of the kernel.
#[repr(C)]
struct WaitArgument {
    sigmask: u64,
    sigmask_size: u32,
    min_wait: u32,
    time: u64,
}
