//! Page-aligned memory for I/O.

mod shared;

pub use shared::Shared;

use std::io;

/// Memory for I/O, page aligned, unmapped when dropped: private, zeroed bytes, behind which [`Shared`] ones may lie.
#[derive(Debug)]
pub struct Buffer {
    start: std::ptr::NonNull<u8>,
    /// Bytes in all.
    length: usize,
    /// Bytes that are this buffer's own; the others are only read.
    private: usize,
}

// SAFETY: the mapping is owned by the value alone, wherever it moves.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Maps `length` bytes (0 is allowed) and touches every page, so that no page fault falls into measured time.
    ///
    /// # Errors
    /// What `mmap(2)` answers, normally `ENOMEM`.
    pub fn new(length: usize) -> io::Result<Buffer> {
        if length == 0 {
            return Ok(Buffer { start: std::ptr::NonNull::dangling(), length, private: 0 });
        }
        // SAFETY: a new anonymous mapping touches no existing memory.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = std::ptr::NonNull::new(start.cast::<u8>()).ok_or_else(io::Error::last_os_error)?;
        Ok(Buffer { start, length, private: length })
    }

    /// A buffer of `private` bytes with shared ones behind them, in order, each on a page: I/O is done from all of
    /// them as from one piece. Also returns where each of the shared ones begins, bytes from the start.
    ///
    /// # Errors
    /// What `mmap(2)` answers, normally `ENOMEM`.
    pub fn with_shared(private: usize, shared: &[&Shared]) -> io::Result<(Buffer, Vec<usize>)> {
        if shared.is_empty() {
            return Ok((Buffer::new(private)?, Vec::new()));
        }
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        let page = rustix::param::page_size();
        let own = private.checked_next_multiple_of(page).ok_or_else(too_large)?;
        let mut places = Vec::new();
        let mut length = own;
        for memory in shared {
            places.push(length);
            let pages = memory.len().checked_next_multiple_of(page).ok_or_else(too_large)?;
            length = length.checked_add(pages).ok_or_else(too_large)?;
        }
        let mut buffer = Buffer::reserve(length)?;
        buffer.make_private(own)?;
        buffer.private = private;
        for (memory, &place) in shared.iter().zip(&places) {
            memory.map_into(&mut buffer, place)?;
        }
        Ok((buffer, places))
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
        Ok(Buffer { start, length, private: 0 })
    }

    /// Puts private memory behind the first addresses.
    fn make_private(&mut self, length: usize) -> io::Result<()> {
        assert!(length <= self.length);
        if length == 0 {
            return Ok(());
        }
        // SAFETY: the addresses are within the reservation that the value owns, and nothing refers to them yet.
        let start = unsafe {
            libc::mmap(
                self.start.as_ptr().cast(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
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

    /// The bytes, to look at, the shared ones included.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: start and length describe the mapping that the value owns (or nothing, when the length is 0). Of
        // shared memory nobody has a mutable view any more.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    /// The private bytes, to fill.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the exclusive borrow of the value is one of its private mapping.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.private) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.length > 0 {
            // SAFETY: the mappings were made by `new` or `with_shared` over this range, and nobody else knows it.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
        }
    }
}
