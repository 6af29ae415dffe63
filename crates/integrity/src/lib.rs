//! Verification of written data (`--verify`): every sector has a stamp, reads are checked, and a journal
//! lists the durable data for a check after a power cut. docs/reference/integrity.md has rules and formats.
//!
//! ```text
//! worker ──begin(batch)──▶ SectorChecker ──ended(done)──▶ IntegrityResults, by thread
//!                            │      ▲
//!                      Generations  │ possible versions of each place; one per target, shared by all threads
//!                            │      │
//!                        AckJournal ──file──▶ read_back        durable data, after a reboot
//! ```

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod checker;
mod classify;
mod damaged;
mod durable;
mod error;
mod generations;
pub mod journal;
mod order;
mod read_back;
mod shared;
mod stamp;
#[cfg_attr(windows, path = "system/windows.rs")]
mod system;

pub use checker::SectorChecker;
pub use error::{IntegrityError, JournalError};
pub use order::TargetOrder;
pub use read_back::{Power, TargetReadBack, read_back, same_target};
pub use shared::Integrity;
pub use stamp::{SectorChecksums, SectorStamp};
pub use system::{DURABLE_FLUSHES, DURABLY_MAPPED};
