//! Commands that make many runs and answer from them.

pub(crate) mod foreseen;
pub(crate) mod precondition;
pub(crate) mod run_backend;
pub(crate) mod suite;
pub(crate) mod sweep;
