//! Threads that are waited for no longer.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether threads of this process may still wait for storage that doesn't answer.
static LEFT_BEHIND: AtomicBool = AtomicBool::new(false);

/// A thread is waited for no longer: it may never come back.
pub fn leave_behind() {
    LEFT_BEHIND.store(true, Ordering::SeqCst);
}

/// Whether [`leave_behind`] was called: the process is to be ended by [`super::process::end`], so that nobody
/// else waits.
pub fn has_left_behind() -> bool {
    LEFT_BEHIND.load(Ordering::SeqCst)
}
