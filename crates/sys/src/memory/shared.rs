//! Memory that several buffers have in common.

use super::{Buffer, BufferPages};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// Bytes that are filled once, when they are made, and from then on lie behind the private bytes of any
/// number of [`Buffer`]s: one copy in memory, whatever the number of threads that write it to their
/// targets.
#[derive(Debug)]
pub struct Shared {
    memory: OwnedFd,
    length: usize,
}

impl Shared {
    /// `length` bytes (at least 1), zeroed, then filled by `fill`.
    ///
    /// # Errors
    /// No memory, as `E` says it, or what `fill` answers.
    pub fn new<E: From<io::Error>>(
        length: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<Shared, E> {
        let memory = memfd_create("write data", MemfdFlags::CLOEXEC).map_err(io::Error::from)?;
        ftruncate(&memory, length as u64).map_err(io::Error::from)?;
        let shared = Shared { memory, length };
        // Nobody else has mapped it yet: while it is filled this view is like a private one.
        let mut view = Buffer { pages: BufferPages::reserve(length)?, length, private: length };
        shared.put_into(&mut view, 0)?;
        fill(view.as_mut_slice())?;
        Ok(shared)
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Maps the bytes over the reserved addresses of a buffer, from the byte `place` on, and touches every
    /// page.
    pub(super) fn put_into(&self, buffer: &mut Buffer, place: usize) -> io::Result<()> {
        assert!(place.checked_add(self.length).is_some_and(|end| end <= buffer.length));
        // SAFETY: the addresses are within the reservation that the buffer owns, and nothing refers to them
        // yet. They are writable because the kernel pins registered memory as if it read into it;
        // as_mut_slice keeps us off.
        let start = unsafe {
            libc::mmap(
                buffer.pages.start().as_ptr().add(place).cast(),
                self.length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_POPULATE | libc::MAP_FIXED,
                self.memory.as_raw_fd(),
                0,
            )
        };
        if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}
