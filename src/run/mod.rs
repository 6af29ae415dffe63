//! The run: a plan becomes results.

pub mod prepare;
