//! Threads that are waited for no longer.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether threads of this process may still wait for storage that doesn't answer.
static LEFT_BEHIND: AtomicBool = AtomicBool::new(false);

/// Records that a thread was abandoned, because it may never return.
pub fn abandon_thread() {
    LEFT_BEHIND.store(true, Ordering::SeqCst);
}

/// Whether [`abandon_thread`] was called, so that the process must end by [`super::process::end`] to avoid
/// waiting.
pub fn has_left_behind() -> bool {
    LEFT_BEHIND.load(Ordering::SeqCst)
}
