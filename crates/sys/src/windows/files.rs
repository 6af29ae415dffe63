//! What the program was started with open.

use std::io;
use std::os::windows::io::{AsHandle, OwnedHandle};

/// What is open, for engines.
pub type FileHandle = OwnedHandle;

/// Another handle of standard output or standard error, by the number that they have elsewhere: 1 and 2.
///
/// # Errors
/// It is not open, or of another number: handles are not handed down by number here.
pub fn inherited(number: i32) -> io::Result<OwnedHandle> {
    match number {
        1 => io::stdout().as_handle().try_clone_to_owned(),
        2 => io::stderr().as_handle().try_clone_to_owned(),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}
