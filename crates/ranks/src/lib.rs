//! One run on many hosts: the messages between the processes of a job (ranks), and their effects.
//!
//! ```text
//! RankGroup              messages of bytes between ranks, none of which waits: MPI, or threads of a test
//! RankLink = group + time  signs of life, who is lost, rounds: rank 0 gathers an answer of each and decides
//! ```
//!
//! A run is a sequence of such rounds, defined in `commands::cluster`. All rounds are outside the measured
//! time: during I/O measurement no rank waits for another.
//!
//! MPI's own collectives are not used, because they wait forever for a dead rank and cannot be cancelled.
//!
//! Invariant: no rank waits for another during the measurement of I/O.

// MPI is loaded on Linux only.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod cpus;
mod error;
mod frame;
pub mod in_process;
pub mod launcher;
mod link;
mod link_clocks;
pub mod offset;
pub mod part;
pub mod target_location;

mod job_group;
mod mpi;
pub mod relay;
pub use error::GroupError;
pub use job_group::{JobGroup, join};
pub use mpi::{GroupJoinError, Mpi};

pub use link::{RankLink, SeparationError, WaitLimits};

use diskspd_sys::clock::{self, Nanos};
use std::time::Duration;

pub type RankMessage = (usize, Vec<u8>);

/// The processes of a job, and messages between them. Other ranks exchange messages only with rank 0.
///
/// Nothing here waits: neither for another rank nor for the network.
pub trait RankGroup {
    fn rank(&self) -> usize;

    fn size(&self) -> usize;

    /// Sends a message to another rank; messages to the same rank arrive in order.
    ///
    /// # Errors
    /// Fails if the message, and every later one to that rank, cannot be sent.
    fn post(&mut self, to: usize, bytes: &[u8]) -> Result<(), GroupError>;

    /// Returns the next available message with its sender; `None` = no message yet.
    ///
    /// # Errors
    /// Fails with a rank that sends no more messages, and the reason. Reported once per rank.
    fn take(&mut self) -> Result<Option<RankMessage>, (usize, GroupError)>;

    /// Returns this rank's monotonic clock. A simulated group has a separate clock.
    fn now(&self) -> Nanos {
        clock::monotonic()
    }

    /// Returns this rank's wall clock in ns since 1970.
    fn wall(&self) -> i64 {
        clock::wall_nanos()
    }

    /// Sleeps; zero yields the CPU.
    fn pause(&mut self, time: Duration) {
        match time.is_zero() {
            true => std::thread::yield_now(),
            false => std::thread::sleep(time),
        }
    }
}
