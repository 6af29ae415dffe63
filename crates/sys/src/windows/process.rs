//! The end of this process.

pub use super::left_behind::{has_left_behind, leave_behind};

/// Nothing is to be prepared: no signal ends the process without a word.
pub fn prepare() {}

/// Number of the user whose rights the process has: users have no numbers.
pub fn user() -> u32 {
    0
}

/// Ends the process now, whatever its threads are waiting for.
pub fn end(code: u8) -> ! {
    std::process::exit(code.into())
}
