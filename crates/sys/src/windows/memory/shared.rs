//! Memory that several buffers get copies of, on systems without a way here to map it more than once.

use super::{Buffer, SlotMut};
use std::io;

/// Bytes that are filled once, when they are made, and from then on lie behind the private bytes of any
/// number of [`Buffer`]s: each has a copy.
#[derive(Debug)]
pub struct Shared {
    bytes: Box<[u8]>,
}

impl Shared {
    /// `length` bytes (at least 1), zeroed, then filled by `fill`.
    ///
    /// # Errors
    /// Fails without memory (as `E`), or with the error of `fill`.
    pub fn new<E: From<io::Error>>(
        length: usize,
        fill: impl FnOnce(SlotMut<'_>) -> Result<(), E>,
    ) -> Result<Shared, E> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        bytes.resize(length, 0);
        fill(SlotMut::from(&mut bytes[..]))?;
        Ok(Shared { bytes: bytes.into_boxed_slice() })
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Copies the bytes to the buffer, from the byte `place` on, after its own bytes.
    pub(super) fn put_into(&self, buffer: &mut Buffer, place: usize) -> io::Result<()> {
        let private = std::mem::replace(&mut buffer.private, buffer.length);
        buffer.as_mut_slice()[place..][..self.len()].copy_from_slice(&self.bytes);
        buffer.private = private;
        Ok(())
    }
}

impl Buffer {
    /// Returns the bytes with the copies of shared ones, which belong to this buffer.
    pub fn with_copies(&self) -> &[u8] {
        // SAFETY: start and length describe the memory that the value owns (or nothing, when the length is
        // 0).
        unsafe { std::slice::from_raw_parts(self.pages.start().as_ptr(), self.length) }
    }
}
