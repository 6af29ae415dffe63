//! Mutexes with always consistent content, so that a panicking holder leaves no partial change.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locking that ignores poisoning. The panic is reported elsewhere, and the other threads must end in
/// order.
pub trait LockUnpoisoned<T> {
    /// Waits for the mutex and locks it.
    fn lock_anyway(&self) -> MutexGuard<'_, T>;
}

impl<T> LockUnpoisoned<T> for Mutex<T> {
    fn lock_anyway(&self) -> MutexGuard<'_, T> {
        self.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
