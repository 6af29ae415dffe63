//! Meaning of figures: credibility (`truth`), conclusions from several runs (`lab`), and several hosts as
//! one (`merge`). Also reading of records and result XML (`record`), and causes of slow single I/Os
//! (`slow`).

#![forbid(unsafe_code)]
// Their macros panic when nobody can be told: sys::standard_error says what can be said.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod checks;
pub mod experiments;
pub mod merge;
pub mod record;
pub mod slow;
