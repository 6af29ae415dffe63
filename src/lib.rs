//! DISKSPD for Linux: one pipeline of plain data.
//!
//! ```text
//! argv ──cli──▶ Profile, Method  what the user asked for, in DISKSPD's nouns; and how it is done
//! Profile + System ──plan──▶ Plan    fully decided: who works on which bytes, with what
//! Plan ──run──▶ Results          raw counters, histograms, series per thread and target
//! Profile + Method + System + Results = Record
//! Record ──summarize──▶ Summary ──report──▶ bytes
//! Record ──judge──▶ Judgement ──report──▶ bytes      whether the figures can be believed
//! ```
//!
//! Each arrow is one module. Imports point one way, from [`commands`] down to [`units`].
//!
//! Who wants to run profiles from a program of their own starts at the [`prelude`].

// Their macros panic when nobody can be told: sys::standard_error says what can be said, commands::output
// the reports.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod cli;
pub mod clock;
pub mod cluster;
#[cfg(target_os = "linux")]
pub mod commands;
pub mod engine;
pub mod finding;
#[cfg(target_os = "linux")]
pub mod integrity;
pub mod lab;
pub mod merge;
pub mod plan;
pub mod prelude;
pub mod presets;
pub mod profile;
pub mod report;
pub mod results;
#[cfg(target_os = "linux")]
pub mod run;
pub mod stats;
#[cfg(target_os = "linux")]
pub mod store;
pub mod sys;
pub mod system;
pub mod trace;
pub mod truth;
pub mod units;
pub mod workload;
