//! What figures mean: whether they can be believed (`truth`), what follows from several runs (`lab`), several
//! hosts as one (`merge`); records and result XML, read (`record`); why single I/Os were slow (`slow`).

#![forbid(unsafe_code)]
// Their macros panic when nobody can be told: sys::standard_error says what can be said.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod lab;
pub mod merge;
pub mod record;
pub mod slow;
pub mod truth;
