//! Numbers in pages that devices answer with.

/// A number of so many bytes at a place of a page, least byte first; `None` = the page is too short.
pub(super) fn number<const BYTES: usize>(page: &[u8], at: usize) -> Option<u64> {
    let bytes: &[u8; BYTES] = page.get(at..)?.first_chunk()?;
    let mut wide = [0; 8];
    wide.get_mut(..BYTES)?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(wide))
}
