//! Files open at program start.

use crate::closed_at_start;
use diskspd_base::limits::InputLimit;
use std::fs::File;
use std::io;
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::path::Path;
use windows_sys::Win32::Foundation::ERROR_INVALID_HANDLE;

pub type FileHandle = OwnedHandle;

/// Another handle of standard output or standard error, by the number that they have elsewhere: 1 and 2.
///
/// # Errors
/// Fails if it is not open, or not a standard stream, because Windows does not inherit handles by number.
pub fn duplicate_inherited(number: i32) -> io::Result<OwnedHandle> {
    if closed_at_start::is_closed(number) {
        return Err(io::Error::from_raw_os_error(ERROR_INVALID_HANDLE.cast_signed()));
    }
    match number {
        1 => io::stdout().as_handle().try_clone_to_owned(),
        2 => io::stderr().as_handle().try_clone_to_owned(),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Opens a file of the user for reading.
///
/// # Errors
/// It can't be opened.
pub fn open_input(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Reads a file of the user, up to its limit.
///
/// # Errors
/// As [`open_input`] and [`InputLimit::read`].
pub fn read_input(path: &Path, limit: InputLimit) -> io::Result<Vec<u8>> {
    limit.read(open_input(path)?)
}

/// Whether a path leads to a regular file.
pub fn has_data(path: &Path) -> bool {
    path.is_file()
}
