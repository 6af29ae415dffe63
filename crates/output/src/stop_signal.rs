//! The wish of the user to end a command.

use diskspd_sys::clock::{Nanos, SECOND};

/// Limit for I/Os and calls after Ctrl-C, in nanoseconds.
pub const INTERRUPTED: Nanos = 5 * SECOND;
/// Limit for I/Os and calls after a second Ctrl-C, in nanoseconds.
pub const RAPID_REPEAT_NS: Nanos = SECOND;

/// Knows whether the user wants a command to end.
pub trait StopSignal: std::fmt::Debug + Send + Sync {
    /// Returns the time that a command waits for storage now, in nanoseconds.
    fn patience_ns(&self) -> Nanos;
}
