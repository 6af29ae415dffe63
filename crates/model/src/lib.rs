//! What the other crates of diskspd speak of, as plain data: what is asked for (`profile`), how it is planned
//! (`plan`, `access`, `workload`), what machines are (`machine`) and what was measured (`results`).
//!
//! Nothing here asks a machine or opens a file: it is the same on every system.

#![forbid(unsafe_code)]
// Their macros panic when nobody can be told: sys::standard_error says what can be said.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod access;
pub mod engines;
pub mod finding;
pub mod fnv;
pub mod io_error;
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

pub use diskspd_figures::{stats, units};
