//! Tests of the common guarantees of every engine: one suite over the table, and io_uring again with the
//! features of older kernels. Windows runs the portable part.
// Clippy grants these to test functions, but not to the functions they call.
#![allow(clippy::expect_used, clippy::panic)]

#[cfg(target_os = "linux")]
mod aio;
#[cfg(target_os = "linux")]
#[path = "../common/mod.rs"]
mod common;
mod data;
#[cfg(target_os = "linux")]
mod ending;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod mapped;
#[cfg(target_os = "linux")]
mod nowait;
#[cfg(target_os = "linux")]
mod nvme;
mod os;
#[cfg(target_os = "linux")]
mod polled;
mod queue;
mod sim;
mod subjects;

#[cfg(not(target_os = "linux"))]
mod common {
    /// Prints why a test cannot run here. The caller must return after it.
    pub fn skip(reason: &str) {
        eprintln!("SKIPPED: {reason}");
    }
}
