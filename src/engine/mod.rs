//! Engines: how an I/O reaches the storage.
//!
//! One engine is one queue, owned by one worker thread. It owns the buffers too and drains when dropped, so
//! that the kernel never writes into freed memory. Engines know nothing of profiles, patterns or
//! statistics.
//!
//! Which engines there are is known everywhere ([`ENGINES`]); making one is Linux's.

mod table;

pub use table::{Direction, ENGINES, EngineKind, EngineRow};

#[cfg(target_os = "linux")]
pub mod aio;
#[cfg(target_os = "linux")]
mod at_once;
#[cfg(target_os = "linux")]
mod contract;
#[cfg(target_os = "linux")]
mod file;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod making;
#[cfg(target_os = "linux")]
mod mixed;
#[cfg(target_os = "linux")]
mod mmap;
#[cfg(target_os = "linux")]
mod null;
#[cfg(target_os = "linux")]
pub mod sim;
#[cfg(target_os = "linux")]
mod sync;
#[cfg(target_os = "linux")]
pub mod uring;

#[cfg(target_os = "linux")]
pub use self::{
    contract::{Done, Engine, EngineError, Io, NotPinned, Setup},
    file::File,
    making::{Unavailable, describe_all},
};
#[cfg(target_os = "linux")]
use self::{
    contract::{negated, no_discards, priority_refused},
    limits::Limits,
};
/// Most bytes of one I/O; engines refuse anything longer.
#[cfg(target_os = "linux")]
pub use crate::sys::transfer::MAX_LENGTH;
