//! Page-aligned memory for I/O.

mod huge_page;
mod large_pages;
mod shared;
mod slot;
mod with_shared;

pub use huge_page::HugePages;
pub use large_pages::{LargePages, NoLargePages};
pub use shared::Shared;
pub use slot::{Slot, SlotMut};

use std::io;

/// Memory for I/O, page aligned, unmapped when dropped: private, zeroed bytes, behind which [`Shared`] ones
/// may lie.
#[derive(Debug)]
pub struct Buffer {
    start: std::ptr::NonNull<u8>,
    /// Bytes in all.
    length: usize,
    /// Bytes that are mapped: the length, rounded up to whole large pages where it consists of those.
    mapped: usize,
    /// Bytes that are this buffer's own; the others are only read.
    private: usize,
}

// SAFETY: the mapping is owned by the value alone, wherever it moves.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Maps `length` bytes (0 is allowed) and touches every page, so that no page fault falls into measured
    /// time. From 64 KiB on it lies in huge pages where the kernel has some
    /// free.
    ///
    /// # Errors
    /// What `mmap(2)` answers, normally `ENOMEM`.
    pub fn new(length: usize) -> io::Result<Buffer> {
        Buffer::of_usual_pages(length, HugePages::AskedFor)
    }

    /// The same, of whichever pages.
    fn of_usual_pages(length: usize, huge: HugePages) -> io::Result<Buffer> {
        let mapped = huge.extended(length).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut buffer = Buffer::reserve_aligned(mapped, huge.alignment(mapped))?;
        buffer.make_private(mapped, huge)?;
        (buffer.length, buffer.private) = (length, length);
        Ok(buffer)
    }

    /// The same of large pages (`MAP_HUGETLB`) of the machine's default size, which the length is rounded
    /// up to; it stays what was asked for.
    ///
    /// # Errors
    /// There are none, or too few: how many are needed and how to reserve them.
    pub fn of_large_pages(length: usize) -> Result<Buffer, NoLargePages> {
        let pages = LargePages::now();
        let refused = |source| NoLargePages { bytes: length as u64, pages, source };
        let size = usize::try_from(pages.size).unwrap_or(0);
        if size == 0 {
            return Err(refused(io::ErrorKind::Unsupported.into()));
        }
        let mapped = length.checked_next_multiple_of(size);
        let mapped = mapped.ok_or_else(|| refused(io::Error::from_raw_os_error(libc::ENOMEM)))?;
        let buffer = Buffer::map(length, mapped, libc::MAP_HUGETLB).map_err(refused)?;
        // Touching them would end in SIGBUS where the pages that are reserved lie on NUMA nodes that the
        // thread may not use; this tells.
        buffer.populate(buffer.mapped).map_err(refused)?;
        Ok(buffer)
    }

    fn map(length: usize, mapped: usize, flags: libc::c_int) -> io::Result<Buffer> {
        if length == 0 {
            return Ok(Buffer { start: std::ptr::NonNull::dangling(), length, mapped, private: 0 });
        }
        // SAFETY: a new anonymous mapping touches no existing memory.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = std::ptr::NonNull::new(start.cast::<u8>()).ok_or_else(io::Error::last_os_error)?;
        Ok(Buffer { start, length, mapped, private: length })
    }

    /// Touches the first `length` bytes.
    fn populate(&self, length: usize) -> io::Result<()> {
        // SAFETY: the range is the mapping that the value owns; its content doesn't change.
        let answer = unsafe { libc::madvise(self.start.as_ptr().cast(), length, libc::MADV_POPULATE_WRITE) };
        if self.length == 0 || answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Bytes of a buffer of `private` bytes with shared ones of these lengths behind them.
    pub fn length_with(private: u64, shared: impl Iterator<Item = u64>) -> u64 {
        let page = rustix::param::page_size() as u64;
        let pages = |length: u64| length.div_ceil(page).saturating_mul(page);
        shared.fold(pages(private), |length, shared| length.saturating_add(pages(shared)))
    }

    /// Addresses without memory, the first of them a multiple of `step` (a power of two); `length` is whole
    /// pages.
    fn reserve_aligned(length: usize, step: usize) -> io::Result<Buffer> {
        let more = length.checked_add(step).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Buffer::reserve(more)?.cut_to_multiple(step, length))
    }

    /// Gives back what lies before the first multiple of `step`, and what is behind `length` bytes from
    /// there on.
    fn cut_to_multiple(self, step: usize, length: usize) -> Buffer {
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
        Buffer { start, length, mapped: length, private: 0 }
    }

    /// Addresses without memory.
    fn reserve(length: usize) -> io::Result<Buffer> {
        // SAFETY: a new anonymous mapping touches no existing memory.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = std::ptr::NonNull::new(start.cast::<u8>()).ok_or_else(io::Error::last_os_error)?;
        Ok(Buffer { start, length, mapped: length, private: 0 })
    }

    /// Puts private memory behind the first addresses.
    fn make_private(&mut self, length: usize, huge: HugePages) -> io::Result<()> {
        assert!(length <= self.length);
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
        huge.advise(self.start.as_ptr(), length);
        self.populate(length)
    }

    /// Bytes, the shared ones included.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Address of the first byte, for the kernel.
    pub fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// So many bytes from `start` on, to look at while I/Os are in flight; `None` = the buffer isn't as
    /// long as that.
    #[inline]
    pub fn slot(&self, start: usize, length: usize) -> Option<Slot<'_>> {
        let within = start.checked_add(length).is_some_and(|end| end <= self.length);
        // SAFETY: the range lies within the mapping, which can't go as long as the value is borrowed.
        within.then(|| unsafe { Slot::new(self.start.as_ptr().add(start), length) })
    }

    /// How many bytes from the first on an I/O may use: of one that reads from its file the private ones
    /// alone, because the kernel writes to them, and others read what is shared.
    #[inline]
    pub fn usable(&self, write: bool) -> usize {
        debug_assert!(self.private <= self.length);
        if write { self.length } else { self.private }
    }

    /// The private bytes, to fill.
    #[inline]
    pub fn private_mut(&mut self) -> SlotMut<'_> {
        // SAFETY: as above, and the exclusive borrow of the value is one of its private mapping.
        unsafe { SlotMut::new(self.start.as_ptr(), self.private) }
    }

    /// Some of them; `None` = not all of these are private.
    #[inline]
    pub fn slot_mut(&mut self, start: usize, length: usize) -> Option<SlotMut<'_>> {
        self.private_mut().part(start, length)
    }

    /// The bytes, to look at, the shared ones included. Whoever has I/Os in flight on the buffer has
    /// [`Buffer::slot`].
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: start and length describe the mapping that the value owns (or nothing, when the length is
        // 0). Of shared memory nobody has a mutable view any more.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    /// The private bytes, to fill. Whoever has I/Os in flight on the buffer has [`Buffer::slot_mut`].
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the exclusive borrow of the value is one of its private mapping.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.private) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.length > 0 {
            // SAFETY: the mappings were made by `map` or `with_shared` over this range, and nobody else
            // knows it.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.mapped) };
        }
    }
}
