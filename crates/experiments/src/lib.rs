//! The lab: conclusions from runs. It is pure: completed runs determine the next run and the conclusion.
//!
//! Invariant: completed runs alone determine the next run and the answer.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod answer_format;
pub mod compare;
mod line;
pub mod precondition;
pub mod repeat;
pub mod repetition;
mod run_columns;
pub mod selection;
pub mod suite;
pub mod sweep;

pub use answer_format::{AnswerFormat, StoredAnswer};
pub use line::{HostRate, LatencyRow, RunFinding, RunRow};
