//! Most likely causes of a place's errors.

use std::io;

pub(super) fn hint(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EPERM) => ", perhaps because it is immutable (lsattr shows an i or an a)",
        _ => "",
    }
}
