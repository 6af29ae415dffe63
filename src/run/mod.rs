//! The run: a plan becomes results.
