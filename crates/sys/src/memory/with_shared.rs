//! Buffers with private bytes followed by shared bytes of several buffers.

use super::{Buffer, BufferPages, HugePages, LargePages, LargePagesError, Shared, huge_page, page_size};
use std::io;

impl Buffer {
    /// Creates a buffer of `private` bytes followed by shared ones in order, each page aligned, for
    /// contiguous I/O. Also returns the start of each shared part, in bytes from the beginning. Shared
    /// parts are never in huge pages.
    ///
    /// # Errors
    /// Fails with the error of `mmap(2)`, normally `ENOMEM`.
    pub fn with_shared(
        private: usize,
        shared: &[&Shared],
        huge: HugePages,
    ) -> io::Result<(Buffer, Vec<usize>)> {
        if shared.is_empty() {
            return Ok((Buffer::of_usual_pages(private, huge)?, Vec::new()));
        }
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        let page = page_size();
        let own = private.checked_next_multiple_of(page).ok_or_else(too_large)?;
        let mut places = Vec::new();
        let mut length = own;
        for memory in shared {
            places.push(length);
            let pages = memory.len().checked_next_multiple_of(page).ok_or_else(too_large)?;
            length = length.checked_add(pages).ok_or_else(too_large)?;
        }
        let mut pages = BufferPages::reserve_aligned(length, huge_page::alignment(huge, own))?;
        pages.make_private(own, huge)?;
        let mut buffer = Buffer { pages, length, private };
        for (memory, &place) in shared.iter().zip(&places) {
            memory.put_into(&mut buffer, place)?;
        }
        Ok((buffer, places))
    }

    /// Creates the same in large pages. They cannot hold the shared memory itself, so this buffer gets
    /// copies.
    pub fn of_large_pages_with(
        private: usize,
        shared: &[&Shared],
    ) -> Result<(Buffer, Vec<usize>), LargePagesError> {
        let refused = |source| LargePagesError { bytes: private as u64, pages: LargePages::now(), source };
        let too_large = || refused(io::ErrorKind::OutOfMemory.into());
        let (view, origins) = Buffer::with_shared(0, shared, HugePages::NotAskedFor).map_err(refused)?;
        let own = private.checked_next_multiple_of(page_size()).ok_or_else(too_large)?;
        let length = own.checked_add(view.len()).ok_or_else(too_large)?;
        let mut buffer = Buffer::of_large_pages(length)?;
        if let (Some(copies), Some(all)) = (buffer.as_mut_slice().get_mut(own..), view.slot(0, view.len())) {
            all.copy_to(copies);
        }
        Ok((buffer, origins.into_iter().map(|origin| own + origin).collect()))
    }

    /// Creates a buffer aligned to `separation` bytes (a power of two), followed by copies of the shared
    /// parts with the same alignment. Also returns the start of each part.
    ///
    /// # Errors
    /// Fails with the error of `mmap(2)`, normally `ENOMEM`.
    pub fn separated(
        private: usize,
        separation: usize,
        shared: &[&Shared],
        huge: HugePages,
    ) -> io::Result<(Buffer, Vec<usize>)> {
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        let page = page_size();
        let step = separation.max(page);
        let mut length = private;
        let mut places = Vec::new();
        for memory in shared {
            length = length.checked_next_multiple_of(step).ok_or_else(too_large)?;
            places.push(length);
            length = length.checked_add(memory.len()).ok_or_else(too_large)?;
        }
        let length = length.checked_next_multiple_of(page).ok_or_else(too_large)?;
        let mut pages = BufferPages::reserve_aligned(length, step)?;
        pages.make_private(length, huge)?;
        let mut buffer = Buffer { pages, length, private: length };
        for (memory, &place) in shared.iter().zip(&places) {
            let (view, _) = Buffer::with_shared(0, &[memory], huge)?;
            let copy = buffer.as_mut_slice().get_mut(place..place + memory.len());
            if let (Some(copy), Some(bytes)) = (copy, view.slot(0, memory.len())) {
                bytes.copy_to(copy);
            }
        }
        Ok((buffer, places))
    }
}
