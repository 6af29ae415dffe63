//! DISKSPD for Linux: one pipeline of plain data.
//!
//! ```text
//! argv ──cli──▶ Profile, RunOptions  what the user asked for, in DISKSPD's nouns; and how it is done
//! Profile + System ──plan──▶ Plan    fully decided: who works on which bytes, with what
//! Plan ──run──▶ Results          raw counters, histograms, series per thread and target
//! Profile + RunOptions + System + Results = Record
//! Record ──summarize──▶ Summary ──report──▶ bytes
//! Record ──judge──▶ Judgement ──report──▶ bytes      whether the figures can be believed
//! ```
//!
//! This crate is the program: its command line ([`cli`]) and commands ([`commands`]), above the crates that
//! do the work. This crate exports the modules of all of them.
//!
//! Programs that run profiles start at the [`prelude`]; `examples/library` shows six of them.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that. commands::output
// the reports.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]
// Of what commands have in common some is used only by those that make runs.
#![cfg_attr(windows, allow(dead_code))]

pub mod cli;
pub mod commands;
pub mod prelude;
pub mod report_formats;

pub use diskspd_base::{
    access, engines, finding, fnv, io_error, json_reader, limits, message_error, operation, path, platform,
};
pub use diskspd_checks as checks;
pub use diskspd_engine as engine;
pub use diskspd_experiments as experiments;
pub use diskspd_figures::{stats, units};
pub use diskspd_fio_jobs as fio_jobs;
pub use diskspd_formats as formats;
pub use diskspd_host as host;
pub use diskspd_integrity as integrity;
pub use diskspd_machine as machine;
pub use diskspd_merge as merge;
pub use diskspd_output as output;
pub use diskspd_page as page;
pub use diskspd_plan::{self as plan, workload};
pub use diskspd_profile::{self as profile, presets};
pub use diskspd_ranks as ranks;
pub use diskspd_report as report;
pub use diskspd_results as results;
pub use diskspd_run as run;
pub use diskspd_store as store;
pub use diskspd_sys::{self as sys, clock};
pub use diskspd_trace as trace;
