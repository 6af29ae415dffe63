//! Figures: their units (`units`), and the statistics over them (`stats`).
//!
//! They are in a separate crate so that its loops over samples are optimized in tests too, which simulate
//! thousands of series. The dependent crates are not optimized in tests.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod json_lists;
pub mod stats;
pub mod units;
