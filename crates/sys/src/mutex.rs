//! Mutexes whose content is whole at every moment, so that a thread that panicked while it held one left
//! nothing half done.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locking without asking whether a thread panicked meanwhile: its panic is told elsewhere, and the others
/// have to end in order.
pub trait LockAnyway<T> {
    /// Waits for the mutex and locks it.
    fn lock_anyway(&self) -> MutexGuard<'_, T>;
}

impl<T> LockAnyway<T> for Mutex<T> {
    fn lock_anyway(&self) -> MutexGuard<'_, T> {
        self.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
