//! Which of standard input, output and error the process has none of. Rust drops what is written to them then
//! without an error (`std::sys::stdio`).

use std::io;
use std::os::windows::io::AsRawHandle;

/// Whether there is none of this number, as they are numbered elsewhere: 0 to 2.
pub(crate) fn is(number: i32) -> bool {
    match number {
        0 => io::stdin().as_raw_handle().is_null(),
        1 => io::stdout().as_raw_handle().is_null(),
        2 => io::stderr().as_raw_handle().is_null(),
        _ => false,
    }
}
