//! Engines: how an I/O reaches the storage.
//!
//! One engine is one queue, owned by one worker thread. It owns the buffers too and drains when dropped, so
//! that the kernel never writes into freed memory. Engines know nothing of profiles, patterns or
//! statistics.
//!
//! Every system has the table of engines ([`ENGINES`]) and the models. Engines that use the kernel are in
//! `kernel`, on Windows in `windows`.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub use diskspd_base::engines::{ENGINES, EngineKind, EngineRow};
pub use diskspd_base::operation::{Direction, Operation};
pub use diskspd_sys::pin_error::PinError;

// The same everywhere.
mod at_once;
mod buffers;
mod contract;
mod factory;
mod file;
mod limits;
mod mixed;
mod mmap;
mod null;
pub mod sim;
mod unavailable;

// Engines that use the system, each in a different way.
#[cfg_attr(windows, path = "windows/errno.rs")]
mod errno;
#[cfg_attr(windows, path = "windows/kernel.rs")]
mod kernel;

#[cfg(target_os = "linux")]
pub use self::kernel::{aio, nvme, uring};
use self::{contract::cannot, limits::Limits};
pub use self::{
    contract::{CompletedIo, Engine, EngineError, EngineInfo, Io, Setup},
    factory::{MakeEngine, describe_all},
    file::File,
    unavailable::AvailabilityError,
};
/// Maximum size of an I/O in bytes; engines reject larger ones.
pub use diskspd_sys::transfer::MAX_LENGTH;
