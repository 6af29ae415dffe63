//! Addresses and their memory, mapped by the kernel.

use super::{HugePages, huge_page};
use std::io;
use std::ptr::NonNull;

/// Whole pages owned by the value, and unmapped on drop.
#[derive(Debug)]
pub(super) struct BufferPages {
    start: NonNull<u8>,
    mapped: usize,
}

pub(super) fn page_size() -> usize {
    rustix::param::page_size()
}

impl BufferPages {
    fn empty_pages() -> BufferPages {
        BufferPages { start: NonNull::dangling(), mapped: 0 }
    }

    #[inline]
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Maps this number of bytes (0 is allowed) in whole large pages, all of them touched.
    ///
    /// # Errors
    /// Fails with the error of `mmap(2)`.
    pub(super) fn large(mapped: usize) -> io::Result<BufferPages> {
        let pages = BufferPages::map(mapped, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_HUGETLB)?;
        // Touching them would end in SIGBUS where the pages that are reserved lie on NUMA nodes that the
        // thread may not use; this tells.
        pages.populate(mapped)?;
        Ok(pages)
    }

    fn map(mapped: usize, access: libc::c_int, flags: libc::c_int) -> io::Result<BufferPages> {
        if mapped == 0 {
            return Ok(BufferPages::empty_pages());
        }
        // SAFETY: a new anonymous mapping touches no existing memory.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                access,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast::<u8>()).ok_or_else(io::Error::last_os_error)?;
        Ok(BufferPages { start, mapped })
    }

    fn populate(&self, length: usize) -> io::Result<()> {
        // SAFETY: the range is the mapping that the value owns; its content doesn't change.
        let answer = unsafe { libc::madvise(self.start.as_ptr().cast(), length, libc::MADV_POPULATE_WRITE) };
        if length == 0 || answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Reserves addresses without memory, aligned to `step` (a power of two); `length` is whole pages.
    ///
    /// # Errors
    /// Fails with the error of `mmap(2)`, normally `ENOMEM`.
    pub(super) fn reserve_aligned(length: usize, step: usize) -> io::Result<BufferPages> {
        let more = length.checked_add(step).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(BufferPages::reserve(more)?.cut_to_multiple(step, length))
    }

    fn cut_to_multiple(self, step: usize, length: usize) -> BufferPages {
        let front = self.start.as_ptr().align_offset(step);
        assert!(front.saturating_add(length) <= self.mapped);
        let whole = std::mem::ManuallyDrop::new(self);
        // SAFETY: the part lies within the reservation.
        let start = unsafe { whole.start.add(front) };
        let behind = whole.mapped - front - length;
        for (from, bytes) in [(whole.start.as_ptr(), front), (start.as_ptr().wrapping_add(length), behind)] {
            if bytes > 0 {
                // SAFETY: pages of the reservation that nothing refers to; they are no part of the new value.
                unsafe { libc::munmap(from.cast(), bytes) };
            }
        }
        BufferPages { start, mapped: length }
    }

    /// Reserves addresses without memory.
    ///
    /// # Errors
    /// Fails with the error of `mmap(2)`, normally `ENOMEM`.
    pub(super) fn reserve(length: usize) -> io::Result<BufferPages> {
        BufferPages::map(length, libc::PROT_NONE, libc::MAP_NORESERVE)
    }

    /// Maps private, zeroed memory at the first addresses, and touches all of it.
    ///
    /// # Errors
    /// Fails with the error of `mmap(2)` or `madvise(2)`, normally `ENOMEM`.
    pub(super) fn make_private(&mut self, length: usize, huge: HugePages) -> io::Result<()> {
        assert!(length <= self.mapped);
        if length == 0 {
            return Ok(());
        }
        // SAFETY: the addresses are within the reservation that the value owns, and nothing refers to them
        // yet.
        let start = unsafe {
            libc::mmap(
                self.start.as_ptr().cast(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        huge_page::advise(huge, self.start.as_ptr(), length);
        self.populate(length)
    }
}

impl Drop for BufferPages {
    fn drop(&mut self) {
        if self.mapped > 0 {
            // SAFETY: the mappings were made over this range, and nobody else knows it.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.mapped) };
        }
    }
}
