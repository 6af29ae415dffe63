//! What figures are: their units (`units`), and the statistics that are made of them (`stats`).
//!
//! A crate of its own, because its loops over samples are optimized in the tests too, which simulate
//! thousands of series; all that stands above it is not.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// Their macros panic when nobody can be told: sys::standard_error says what can be said.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod stats;
pub mod units;
