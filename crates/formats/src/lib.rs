//! Records and run summaries. `json` is the stored form of a record; `formats` reads other programs'
//! results (result XML, text reports, fio's JSON). `known` and `index` provide the data for lists and
//! comparisons.
//!
//! Invariant: the content of a file decides its format.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod answers;
pub mod decode;
pub mod error;
mod figures;
pub mod fio;
pub mod index;
pub mod json;
pub mod known;
mod number;
pub mod table;

pub mod result_text;
pub mod result_xml;
mod short;
