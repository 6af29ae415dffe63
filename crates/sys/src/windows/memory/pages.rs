//! Memory of the standard library's allocator, for systems without a way of their own here: page aligned,
//! zeroed and touched. Large pages are Windows' own.

use super::HugePages;
use crate::large_pages::LargeMemory;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::io;
use std::ptr::NonNull;

/// Whole pages owned by the value, and freed on drop.
#[derive(Debug)]
pub(super) struct BufferPages {
    start: NonNull<u8>,
    from: From,
}

#[derive(Debug)]
enum From {
    /// Memory of the allocator, with its size and alignment.
    Allocator(Layout),
    /// Memory of the system, freed on drop.
    System { _memory: LargeMemory },
}

/// Page size of all processors that Windows supports, in bytes.
pub(super) const fn page_size() -> usize {
    4096
}

impl BufferPages {
    #[inline]
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// So many bytes (0 is allowed) of large pages: whole pages of that size, all of them there.
    pub(super) fn large(length: usize) -> io::Result<BufferPages> {
        if length == 0 {
            return BufferPages::reserve_aligned(0, page_size());
        }
        let memory = LargeMemory::take(length)?;
        Ok(BufferPages { start: memory.start(), from: From::System { _memory: memory } })
    }

    /// Zeroed memory, the first byte of it at a multiple of `step` (a power of two); `length` is whole pages.
    ///
    /// # Errors
    /// Fails with [`io::ErrorKind::OutOfMemory`].
    pub(super) fn reserve_aligned(length: usize, step: usize) -> io::Result<BufferPages> {
        let no_memory = || io::Error::from(io::ErrorKind::OutOfMemory);
        let layout = Layout::from_size_align(length, step.max(page_size())).map_err(|_| no_memory())?;
        let from = From::Allocator(layout);
        if length == 0 {
            return Ok(BufferPages { start: NonNull::dangling(), from });
        }
        // SAFETY: the layout has a size.
        let start = unsafe { alloc_zeroed(layout) };
        Ok(BufferPages { start: NonNull::new(start).ok_or_else(no_memory)?, from })
    }

    /// Touches the first `length` bytes, so that no page fault occurs during the measurement.
    pub(super) fn make_private(&mut self, length: usize, _: HugePages) -> io::Result<()> {
        assert!(matches!(&self.from, From::Allocator(layout) if length <= layout.size()));
        for page in (0..length).step_by(page_size()) {
            // SAFETY: within the allocation, which the value owns, and which is zero already. The compiler
            // can't know that nobody asks for it.
            unsafe { self.start.add(page).write_volatile(0) };
        }
        Ok(())
    }
}

impl Drop for BufferPages {
    fn drop(&mut self) {
        if let From::Allocator(layout) = &self.from
            && layout.size() > 0
        {
            // SAFETY: it was allocated with this layout, and nobody else knows it.
            unsafe { dealloc(self.start.as_ptr(), *layout) };
        }
    }
}
