//! The end of this process.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Nothing is to be prepared: no signal ends the process without a word.
pub fn prepare() {}

/// Number of the user whose rights the process has: users have no numbers.
pub fn user() -> u32 {
    0
}

/// Whether threads of this process may still wait for storage that doesn't answer.
static LEFT_BEHIND: AtomicBool = AtomicBool::new(false);

/// A thread is waited for no longer: it may never come back.
pub fn leave_behind() {
    LEFT_BEHIND.store(true, Ordering::SeqCst);
}

/// Whether [`leave_behind`] was called: the process is to be ended by [`end`], so that nobody else waits.
pub fn has_left_behind() -> bool {
    LEFT_BEHIND.load(Ordering::SeqCst)
}

/// Ends the process now, whatever its threads are waiting for.
pub fn end(code: u8) -> ! {
    let _ = io::Write::flush(&mut io::stdout());
    std::process::exit(code.into())
}
