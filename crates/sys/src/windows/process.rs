//! The end of this process.

pub use super::left_behind::{has_left_behind, leave_behind};
use std::io;

/// Nothing is to be prepared: no signal ends the process without a word.
pub fn prepare() {}

/// Number of the user whose rights the process has: users have no numbers.
pub fn user() -> u32 {
    0
}

/// Does nothing, because no other process waits for a report.
pub fn will_end(_code: u8, _patience_s: u16) {}

/// Ends the process now, whatever its threads are waiting for.
pub fn end(code: u8) -> ! {
    let _ = io::Write::flush(&mut io::stdout());
    leave(code)
}

/// Ends the process as [`end`] does, but does not flush.
pub fn leave(code: u8) -> ! {
    std::process::exit(code.into())
}
