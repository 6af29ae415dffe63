//! Page-aligned memory for I/O.

mod large_pages;

pub use large_pages::{LargePages, NoLargePages};

use std::io;

/// Anonymous private memory, page aligned, zeroed, unmapped when dropped.
#[derive(Debug)]
pub struct Buffer {
    start: std::ptr::NonNull<u8>,
    length: usize,
    /// Bytes that are mapped: the length, rounded up to whole large pages where it consists of those.
    mapped: usize,
}

// SAFETY: the mapping is owned by the value alone, wherever it moves.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Maps `length` bytes (0 is allowed) and touches every page, so that no page fault falls into measured time.
    ///
    /// # Errors
    /// What `mmap(2)` answers, normally `ENOMEM`.
    pub fn new(length: usize) -> io::Result<Buffer> {
        Buffer::map(length, length, libc::MAP_POPULATE)
    }

    /// The same of large pages (`MAP_HUGETLB`) of the machine's default size, which the length is rounded up to; it
    /// stays what was asked for.
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
        // Touching them would end in SIGBUS where the pages that are reserved lie on NUMA nodes that the thread may
        // not use; this tells.
        buffer.populate().map_err(refused)?;
        Ok(buffer)
    }

    fn map(length: usize, mapped: usize, flags: libc::c_int) -> io::Result<Buffer> {
        if length == 0 {
            return Ok(Buffer { start: std::ptr::NonNull::dangling(), length, mapped });
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
        Ok(Buffer { start, length, mapped })
    }

    fn populate(&self) -> io::Result<()> {
        // SAFETY: the range is the mapping that the value owns; its content doesn't change.
        let answer =
            unsafe { libc::madvise(self.start.as_ptr().cast(), self.mapped, libc::MADV_POPULATE_WRITE) };
        if self.length == 0 || answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Bytes.
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

    /// The bytes, to look at.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: start and length describe the mapping that the value owns (or nothing, when the length is 0).
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    /// The bytes, to fill.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the exclusive borrow of the value is one of the mapping.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.length > 0 {
            // SAFETY: the mapping was made in `map` with this start and length, and nobody else knows it.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.mapped) };
        }
    }
}
