//! The error of all commands.

/// A message with its cause.
pub type Failure = Box<dyn std::error::Error>;
