//! Engines: how an I/O reaches the storage.
//!
//! One engine is one queue, owned by one worker thread. It owns the buffers too and drains when dropped, so
//! that the kernel never writes into freed memory. Engines know nothing of profiles, patterns or
//! statistics.
//!
//! Which engines there are is known everywhere ([`ENGINES`]); making one is Linux's.

#![forbid(unsafe_code)]
// Their macros panic when nobody can be told: sys::standard_error says what can be said.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub use diskspd_model::engines::{ENGINES, EngineKind, EngineRow};
pub use diskspd_model::operation::{Direction, Operation};

pub mod aio;
mod at_once;
mod contract;
mod file;
mod limits;
mod making;
mod mixed;
mod mmap;
mod nowait;
mod null;
pub mod nvme;
pub mod sim;
mod sync;
mod unavailable;
pub mod uring;

pub use self::{
    contract::{AboutEngine, Done, Engine, EngineError, Io, NotPinned, Setup},
    file::File,
    making::{MakeEngine, describe_all},
    unavailable::Unavailable,
};
use self::{
    contract::{cannot, negated, priority_refused},
    limits::Limits,
};
/// Most bytes of one I/O; engines refuse anything longer.
pub use diskspd_sys::transfer::MAX_LENGTH;
