//! System calls for mapped files on Linux, and the meaning of their errors.

use crate::EngineError;
pub(super) use crate::errno::negated;
use crate::errno::priority_refused;
use diskspd_base::access::IoPriority;
use diskspd_sys::io_priority::ThreadIoPriority;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

/// Error number of an I/O whose data is outside the private memory.
pub(super) const NO_MEMORY: i32 = libc::EFAULT;

#[derive(Debug, Default)]
pub(crate) struct ThreadPriority(ThreadIoPriority);

impl ThreadPriority {
    /// Sets the I/O priority of the calling thread.
    #[inline]
    pub(super) fn set(&mut self, priority: IoPriority) -> Result<(), EngineError> {
        self.0.set(priority).map_err(priority_refused)
    }
}

pub(super) fn name_of(file: &OwnedFd) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

/// Returns the reason and the remedy for a failed mapping.
pub(super) fn explain(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EOPNOTSUPP) => {
            "-Nn and -Ni need directly mapped persistent memory: a file on a file system mounted with -o dax \
             on a pmem device; use -Nv here"
        }
        None if error.kind() == io::ErrorKind::Unsupported => {
            "-Nn and -Ni are not possible on processors of this architecture; use -Nv"
        }
        Some(libc::ENODEV) => "its file system or device does not support mmap; leave out -Sm",
        Some(libc::EACCES | libc::EPERM) => {
            "it must be open for reading and writing, on a file system that allows mapping"
        }
        Some(libc::ENOMEM) => {
            "there is not enough address space, or too many mappings (vm.max_map_count): use fewer threads \
             or targets"
        }
        _ => "the kernel refused",
    }
}
