//! Page-aligned memory for I/O.

use std::io;

/// Anonymous private memory, page aligned, zeroed, unmapped when dropped.
#[derive(Debug)]
pub struct Buffer {
    start: std::ptr::NonNull<u8>,
    length: usize,
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
            return Ok(Buffer { start: std::ptr::NonNull::dangling(), length });
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
        Ok(Buffer { start, length })
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
            // SAFETY: the mapping was made in `new` with this start and length, and nobody else knows it.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
        }
    }
}
