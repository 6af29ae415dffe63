//! Plain data types shared by the other crates: the request (`profile`), its plan (`plan`, `access`,
//! `workload`), machines (`machine`) and results (`results`).
//!
//! This crate does not query a machine or open a file, so it is the same on every system.

#![forbid(unsafe_code)]
// Their macros panic when nobody can be told: sys::standard_error says what can be said.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod access;
pub mod engines;
pub mod finding;
pub mod fnv;
pub mod io_error;
pub mod json_reader;
pub mod limits;
pub mod machine;
pub mod operation;
pub mod path;
pub mod plan;
pub mod presets;
pub mod profile;
pub mod results;
pub mod trace;
pub mod workload;

pub use diskspd_figures::{json_lists, stats, units};
