//! Threads that the process has stopped to wait for.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether threads of this process may wait for unresponsive storage forever.
static LEFT_BEHIND: AtomicBool = AtomicBool::new(false);

/// Records that a thread was abandoned, because it may never return.
pub fn abandon_thread() {
    LEFT_BEHIND.store(true, Ordering::SeqCst);
}

/// Whether [`abandon_thread`] was called, so that the process must end with [`super::process::end`], which
/// does not wait.
pub fn has_left_behind() -> bool {
    LEFT_BEHIND.load(Ordering::SeqCst)
}
