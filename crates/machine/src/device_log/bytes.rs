//! Numbers in device log pages.

/// Returns a little-endian number at a position of a page; `None` if the page is too short.
pub(super) fn number<const BYTES: usize>(page: &[u8], at: usize) -> Option<u64> {
    let bytes: &[u8; BYTES] = page.get(at..)?.first_chunk()?;
    let mut wide = [0; 8];
    wide.get_mut(..BYTES)?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(wide))
}
