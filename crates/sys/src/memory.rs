//! Page-aligned memory for I/O.

#[cfg_attr(windows, path = "windows/memory/huge_page.rs")]
mod huge_page;
#[cfg_attr(windows, path = "windows/memory/large_pages.rs")]
mod large_pages;
#[cfg_attr(windows, path = "windows/memory/pages.rs")]
mod pages;
#[cfg_attr(windows, path = "windows/memory/shared.rs")]
mod shared;
mod slot;
#[cfg(test)]
mod tests;
mod with_shared;

pub use diskspd_base::access::HugePages;
pub use large_pages::{LargePages, LargePagesError};
use pages::{BufferPages, page_size};
pub use shared::Shared;
pub use slot::{Slot, SlotMut};
use std::io;

/// I/O memory, page aligned and freed on drop: private zeroed bytes, optionally followed by [`Shared`] ones.
#[derive(Debug)]
pub struct Buffer {
    /// Memory, rounded up to whole pages.
    pages: BufferPages,
    length: usize,
    /// Bytes owned by this buffer; the others are read-only.
    private: usize,
}

// SAFETY: the memory is owned by the value alone, wherever it moves.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Takes `length` bytes (0 is allowed) and touches every page, so that no page fault falls into measured
    /// time. A large buffer uses huge pages where the kernel has some free.
    ///
    /// # Errors
    /// Fails with the error of `mmap(2)`, normally `ENOMEM`.
    pub fn new(length: usize) -> io::Result<Buffer> {
        Buffer::of_usual_pages(length, HugePages::AskedFor)
    }

    fn of_usual_pages(length: usize, huge: HugePages) -> io::Result<Buffer> {
        let huge = huge_page::granted(huge, length);
        let mapped = huge.mapped(length as u64, page_size() as u64);
        let mapped = mapped.and_then(|mapped| usize::try_from(mapped).ok());
        let mapped = mapped.ok_or(io::ErrorKind::OutOfMemory)?;
        let mut pages = BufferPages::reserve_aligned(mapped, huge_page::alignment(huge, mapped))?;
        pages.make_private(mapped, huge)?;
        Ok(Buffer { pages, length, private: length })
    }

    /// Creates the same with large pages (`MAP_HUGETLB`, `MEM_LARGE_PAGES`) of the machine's default size.
    /// The mapping is rounded up to that size; the length stays as requested.
    ///
    /// # Errors
    /// Fails if there are too few, with the necessary number and how to reserve them.
    pub(crate) fn of_large_pages(length: usize) -> Result<Buffer, LargePagesError> {
        let pages = LargePages::now();
        let refused = |source| LargePagesError { bytes: length as u64, pages, source };
        let size = usize::try_from(pages.size).unwrap_or(0);
        if size == 0 {
            return Err(refused(io::ErrorKind::Unsupported.into()));
        }
        let mapped = length.checked_next_multiple_of(size);
        let mapped = mapped.ok_or_else(|| refused(io::ErrorKind::OutOfMemory.into()))?;
        let pages = BufferPages::large(mapped).map_err(refused)?;
        Ok(Buffer { pages, length, private: length })
    }

    /// Returns the size in bytes of a buffer of `private` bytes followed by shared parts of these lengths.
    pub fn length_with(private: u64, shared: impl Iterator<Item = u64>) -> u64 {
        let page = page_size() as u64;
        let pages = |length: u64| length.div_ceil(page).saturating_mul(page);
        shared.fold(pages(private), |length, shared| length.saturating_add(pages(shared)))
    }

    /// Returns the number of bytes, including shared ones.
    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub fn as_ptr(&self) -> *mut u8 {
        self.pages.start().as_ptr()
    }

    /// Returns `length` bytes from `start` on, for reading while I/Os are in flight; `None` if out of
    /// range.
    #[inline]
    pub fn slot(&self, start: usize, length: usize) -> Option<Slot<'_>> {
        let within = start.checked_add(length).is_some_and(|end| end <= self.length);
        // SAFETY: the range lies within the mapping, which can't go as long as the value is borrowed.
        within.then(|| unsafe { Slot::new(self.pages.start().as_ptr().add(start), length) })
    }

    /// Returns the usable length for an I/O from the first byte on. Reads may only use the private bytes,
    /// because the kernel writes to them, and the shared bytes have other readers.
    #[inline]
    pub fn usable(&self, write: bool) -> usize {
        debug_assert!(self.private <= self.length);
        if write { self.length } else { self.private }
    }

    /// Returns the private bytes for writing.
    #[inline]
    pub fn private_mut(&mut self) -> SlotMut<'_> {
        // SAFETY: as above, and the exclusive borrow of the value is one of its private mapping.
        unsafe { SlotMut::new(self.pages.start().as_ptr(), self.private) }
    }

    /// Returns a range of the slots; `None` = not all are private.
    #[inline]
    pub fn slot_mut(&mut self, start: usize, length: usize) -> Option<SlotMut<'_>> {
        self.private_mut().part(start, length)
    }

    /// Returns the private bytes. With I/Os in flight on the buffer, and for shared bytes, use
    /// [`Buffer::slot`].
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: start and length describe the private mapping that the value owns (or nothing, when the
        // length is 0).
        unsafe { std::slice::from_raw_parts(self.pages.start().as_ptr(), self.private) }
    }

    /// Returns the private bytes, for filling. With I/Os in flight on the buffer, use
    /// [`Buffer::slot_mut`].
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the exclusive borrow of the value is one of its private mapping.
        unsafe { std::slice::from_raw_parts_mut(self.pages.start().as_ptr(), self.private) }
    }
}
