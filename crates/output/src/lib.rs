//! The single interface for files that a command writes in addition to its targets: reports, tables,
//! pages, streams, logs, journals. It rejects outputs that would destroy data before opening anything,
//! abandons hanging storage, and replaces files atomically. The same on every system.
//!
//! Invariant: a file appears complete, and does not replace data that must survive.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod destination;
pub mod guard;
mod io_timeout;
mod outlet;
mod output_error;
mod stop_signal;
mod streamed_file;

pub use destination::{JOURNAL_MAGIC, NamedOutput, OwnFiles, refuse_targets_of_command};
pub use io_timeout::{GRACE_TIME, HangGuard, SILENCE, TimeoutError, grace};
pub use outlet::{Outlet, OutputPolicy, PermittedOutput};
pub use output_error::{OutputError, OutputErrorKind, WriteError};
pub use stop_signal::{INTERRUPTED, RAPID_REPEAT_NS, StopSignal};
pub use streamed_file::{LateWriter, StreamedFile};
