//! The wish of the user to end a command.

use diskspd_sys::clock::{Nanos, SECOND};

/// Limit of I/Os and calls after Ctrl-C in ns.
pub const INTERRUPTED: Nanos = 5 * SECOND;
/// Limit of I/Os and calls after a second Ctrl-C in ns.
pub const RAPID_REPEAT_NS: Nanos = SECOND;

/// Source of the user's request to end a command.
pub trait StopSignal: std::fmt::Debug + Send + Sync {
    /// Returns the current limit of waits for storage in ns.
    fn patience_ns(&self) -> Nanos;
}
