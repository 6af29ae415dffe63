//! The error of all commands.

pub type Failure = Box<dyn std::error::Error>;
