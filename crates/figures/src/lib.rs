//! Figures: their units (`units`), and the statistics over them (`stats`).
//!
//! They are in a separate crate so that its loops over samples are optimized in tests too, which simulate
//! thousands of series. The dependent crates are not optimized in tests.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// Their macros panic when nobody can be told: sys::standard_error says what can be said.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod json_lists;
pub mod stats;
pub mod units;
