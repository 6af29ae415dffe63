//! What every engine promises, tried on every engine: one suite over the table, and io_uring once more with the
//! features of older kernels.
// Clippy grants these to test functions, but not to the functions they call.
#![allow(clippy::expect_used, clippy::panic)]

mod aio;
#[path = "../common/mod.rs"]
mod common;
mod data;
mod ending;
mod faults;
mod mapped;
mod nowait;
mod nvme;
mod os;
mod polled;
mod queue;
mod sim;
mod subjects;
