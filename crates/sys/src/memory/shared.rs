//! Memory that several buffers have in common.

use super::{Buffer, BufferPages, SlotMut};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// Bytes that are filled once and then follow the private bytes of any number of [`Buffer`]s. All threads
/// that write them to their targets share one copy in memory.
///
/// The memory file keeps its size (`F_SEAL_SHRINK`, `F_SEAL_GROW`), so no access ends in SIGBUS. Another
/// process of the user can still write to it through `/proc/PID/fd`: its bytes are copied by address, and
/// no Rust slice refers to them.
#[derive(Debug)]
pub struct Shared {
    memory: OwnedFd,
    length: usize,
}

impl Shared {
    /// Creates `length` bytes (at least 1), zeroed, then filled by `fill`.
    ///
    /// # Errors
    /// Fails without memory (as `E`), or with the error of `fill`.
    pub fn new<E: From<io::Error>>(
        length: usize,
        fill: impl FnOnce(SlotMut<'_>) -> Result<(), E>,
    ) -> Result<Shared, E> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let memory = memfd_create("write data", flags).map_err(io::Error::from)?;
        ftruncate(&memory, length as u64).map_err(io::Error::from)?;
        let seals = SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
        fcntl_add_seals(&memory, seals).map_err(io::Error::from)?;
        let shared = Shared { memory, length };
        let mut view = Buffer { pages: BufferPages::reserve(length)?, length, private: length };
        shared.put_into(&mut view, 0)?;
        fill(view.private_mut())?;
        Ok(shared)
    }

    pub fn len(&self) -> usize {
        self.length
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_memory_keeps_its_size() {
        let shared = Shared::new(5000, |mut bytes| -> io::Result<()> {
            bytes.fill_with(|| [5]);
            Ok(())
        });
        let shared = shared.unwrap();
        for (length, kind) in [(0, "shorter"), (4999, "shorter"), (5001, "longer"), (1 << 20, "longer")] {
            assert_eq!(ftruncate(&shared.memory, length).unwrap_err(), rustix::io::Errno::PERM, "{kind}");
        }
        assert_eq!(ftruncate(&shared.memory, 5000), Ok(()));
        assert!(fcntl_add_seals(&shared.memory, SealFlags::WRITE).is_err(), "seals are final");
    }
}
