//! Missing standard input, output and error of the process. Rust drops output to them without an error
//! (`std::sys::stdio`).

use std::io;
use std::os::windows::io::AsRawHandle;

/// Whether this stream is missing, numbered as on other systems: 0 to 2.
pub(crate) fn is_closed(number: i32) -> bool {
    match number {
        0 => io::stdin().as_raw_handle().is_null(),
        1 => io::stdout().as_raw_handle().is_null(),
        2 => io::stderr().as_raw_handle().is_null(),
        _ => false,
    }
}
