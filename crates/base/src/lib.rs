//! Types that the other crates share: findings, operations, the table of engines, access to targets, paths,
//! limits of readers.
//!
//! Invariant: this crate opens no file and reads no clock, so it is the same on every system.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod access;
pub mod engines;
pub mod finding;
pub mod fio_log;
pub mod fnv;
pub mod io_error;
pub mod json_reader;
pub mod limits;
pub mod message_error;
pub mod operation;
pub mod path;
pub mod platform;
