//! Reading and writing at an offset, whatever the position of the file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Writes all bytes at an offset.
///
/// # Errors
/// What the kernel answers; a part may have been written.
pub fn write_all(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(bytes, offset)
}

/// Fills all bytes from an offset on.
///
/// # Errors
/// What the kernel answers, and [`io::ErrorKind::UnexpectedEof`] at the end of the file.
pub fn read_exact(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    file.read_exact_at(bytes, offset)
}
