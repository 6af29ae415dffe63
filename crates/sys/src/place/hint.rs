//! What an error of a place most likely comes from.

use std::io;

pub(super) fn hint(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EPERM) => ", perhaps because it is immutable (lsattr shows an i or an a)",
        _ => "",
    }
}
