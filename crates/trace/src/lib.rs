//! Recorded I/Os: their formats, their figures, and an equivalent profile (`diskspd trace`,
//! docs/reference/trace.md).
//!
//! ```text
//! a device (run) ─┐
//! a file (formats) ┴─▶ IoCollector ─▶ IoTrace ─▶ IoFigures ─▶ FittedProfile
//! ```
//!
//! Invariant: readers get bytes. Other crates open the files.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod collect;
mod depth;
mod figures;
mod fit;
mod fit_text;
pub mod formats;
mod ranges;
pub mod replay;
mod sequences;

pub use collect::{DiscardCount, IoCollector, IoTrace, MAX_IOS, TracedIo};
pub use figures::{IoFigures, SizeCount, TracedPart};
pub use fit::{FittedProfile, RateChoice, TraceFit, fit};
pub use fit_text::{TraceSource, text};
