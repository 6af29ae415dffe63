//! One run on many hosts: what the processes of a job, the ranks, say to each other, and what follows
//! from it.
//!
//! ```text
//! RankGroup              messages of bytes between ranks, none of which waits: MPI, or threads of a test
//! RankLink = group + time  signs of life, who is lost, rounds: rank 0 gathers an answer of each and decides
//! ```
//!
//! A run is a sequence of such rounds (`commands::cluster` has them). All of them are outside of the measured
//! time: while I/O is measured no rank says anything that another waits for.
//!
//! MPI's own collectives are not used: they wait for ever for a rank that died, and can't be given up.

pub mod cpus;
mod error;
mod frame;
pub mod in_process;
pub mod launcher;
mod link;
mod link_clocks;
pub mod offset;
pub mod part;
pub mod place;

mod mpi;
pub use error::GroupError;
pub use mpi::{Mpi, NoGroup, join};

pub use link::{RankLink, Separated, WaitLimits};

use diskspd_sys::clock::{self, Nanos};
use std::time::Duration;

pub type RankMessage = (usize, Vec<u8>);

/// The processes of a job, and messages between them. Only rank 0 and another one speak to each other.
///
/// Nothing here waits: neither for another rank nor for the network.
pub trait RankGroup {
    /// Number of this process, from 0.
    fn rank(&self) -> usize;

    fn size(&self) -> usize;

    /// Sends a message to another rank; those to the same one arrive in their order.
    ///
    /// # Errors
    /// It can't be sent, and neither can anything else to that rank.
    fn post(&mut self, to: usize, bytes: &[u8]) -> Result<(), GroupError>;

    /// The next message that is there, and whom it is of; `None` = there is none yet.
    ///
    /// # Errors
    /// From whom nothing will come any more, and why. Told once of a rank.
    fn take(&mut self) -> Result<Option<RankMessage>, (usize, GroupError)>;

    /// This rank's monotonic clock. A group that is simulated has a clock of its own.
    fn now(&self) -> Nanos {
        clock::monotonic()
    }

    /// This rank's wall clock, ns since 1970.
    fn wall(&self) -> i64 {
        clock::wall_nanos()
    }

    /// Does nothing for so long; zero lets others have the CPU.
    fn pause(&mut self, time: Duration) {
        match time.is_zero() {
            true => std::thread::yield_now(),
            false => std::thread::sleep(time),
        }
    }
}
