//! Starting and awaiting the writing back of a part of a file (`sync_file_range`).

use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// Starts to write the dirty pages of the range, bytes, to the device, without waiting.
///
/// # Errors
/// Fails with `EINVAL` or `ENOSYS` if unsupported, or with a write error.
pub fn start(file: impl AsFd, offset: u64, length: u64) -> io::Result<()> {
    sync_range(file, offset, length, libc::SYNC_FILE_RANGE_WRITE)
}

/// Writes the dirty pages of the range (in bytes), and waits until the device has them. It does not flush
/// the device, which requires `fdatasync`.
pub fn complete(file: impl AsFd, offset: u64, length: u64) -> io::Result<()> {
    let all =
        libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    sync_range(file, offset, length, all)
}

/// Returns the error number of a writeback failure since the file was opened or last checked, for any part
/// and any writer. It only waits for writeback of the first page.
pub fn failed(file: impl AsFd) -> Option<i32> {
    let answer = sync_range(file, 0, 1, libc::SYNC_FILE_RANGE_WAIT_BEFORE);
    let number = answer.err()?.raw_os_error()?;
    matches!(number, libc::EIO | libc::ENOSPC | libc::EDQUOT).then_some(number)
}

/// Whether each write to the file waits until it is durable, by an attribute of the file (`chattr +S`). False
/// where the file system has no attributes.
pub fn is_synchronous(file: impl AsFd) -> bool {
    rustix::fs::ioctl_getflags(file).is_ok_and(|flags| flags.contains(rustix::fs::IFlags::SYNC))
}

/// Whether that is the answer of a file system, or of a kernel, that writes nothing back on request.
pub fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS | libc::ESPIPE))
}

/// Returns the number of a write error for the record; `EIO` if it has no number.
pub fn error_number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

fn sync_range(file: impl AsFd, offset: u64, length: u64, flags: libc::c_uint) -> io::Result<()> {
    let too_far = |_| io::Error::from_raw_os_error(libc::EFBIG);
    let offset = offset.try_into().map_err(too_far)?;
    let length = length.try_into().map_err(too_far)?;
    // SAFETY: takes numbers only, no memory.
    let result = unsafe { libc::sync_file_range(file.as_fd().as_raw_fd(), offset, length, flags) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
