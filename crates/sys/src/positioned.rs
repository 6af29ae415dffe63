//! Reading and writing at an offset, independent of the file's position.

use crate::memory::Slot;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::FileExt;

/// Writes all bytes at an offset.
///
/// # Errors
/// Fails with the kernel's error; a part may have been written.
pub fn write_all(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(bytes, offset)
}

/// Fills all bytes from an offset on.
///
/// # Errors
/// Fails with the kernel's error, or [`io::ErrorKind::UnexpectedEof`] at the end of the file.
pub fn read_exact(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    file.read_exact_at(bytes, offset)
}

/// Writes the bytes of a slot at an offset; returns the number of bytes written. The kernel reads them by
/// address, because no Rust slice may refer to shared memory.
///
/// # Errors
/// Fails with the errors of `pwrite(2)`, except `EINTR`.
#[inline]
pub fn write_slot(file: impl AsFd, data: Slot<'_>, offset: u64) -> io::Result<usize> {
    let file = file.as_fd().as_raw_fd();
    loop {
        // The system call itself: the function of the C library prepares for the thread's cancellation.
        // SAFETY: the kernel only reads the slot's bytes, which are mapped as long as the slot lives.
        #[cfg(target_pointer_width = "64")]
        let written = unsafe { libc::syscall(libc::SYS_pwrite64, file, data.as_ptr(), data.len(), offset) };
        // SAFETY: as above.
        #[cfg(not(target_pointer_width = "64"))]
        let written = unsafe { libc::pwrite64(file, data.as_ptr().cast(), data.len(), offset as i64) };
        match usize::try_from(written) {
            Ok(written) => return Ok(written),
            Err(_) => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
}
