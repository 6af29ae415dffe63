//! The group of a job: by MPI, or by the streams of `diskspd hosts`.

use super::error::GroupError;
use super::launcher::Launcher;
use super::mpi::{self, GroupJoinError, Mpi};
use super::relay::Relay;
use super::{RankGroup, RankMessage};
use diskspd_sys::clock::{self, Nanos, SECOND};
use std::path::Path;

/// Maximum duration of the request to end all ranks.
const ABORTING: Nanos = SECOND;

#[derive(Debug)]
pub enum JobGroup {
    Mpi(Mpi),
    Relay(Relay),
}

/// Joins the ranks that were started together with this one. `named`: the library of MPI to use.
///
/// # Errors
/// Fails with the cause and a remedy.
pub fn join(launcher: &Launcher, named: Option<&Path>) -> Result<JobGroup, GroupJoinError> {
    match launcher.relays_messages() && named.is_none() {
        true => match Relay::join(launcher) {
            Ok(relay) => Ok(JobGroup::Relay(relay)),
            Err(why) => Err(GroupJoinError::NoStream(why.to_string())),
        },
        false => mpi::join(launcher, named).map(JobGroup::Mpi),
    }
}

impl JobGroup {
    fn group(&mut self) -> &mut dyn RankGroup {
        match self {
            JobGroup::Mpi(mpi) => mpi,
            JobGroup::Relay(relay) => relay,
        }
    }

    /// Sends pending messages while `patience` returns true.
    pub fn flush(&mut self, patience: impl FnMut() -> bool) {
        match self {
            JobGroup::Mpi(mpi) => mpi.flush(patience),
            JobGroup::Relay(relay) => relay.flush(patience),
        }
    }

    /// Makes the launcher end all remaining ranks, including unresponsive ones.
    pub fn abort(&mut self, exit_code: u8) {
        let until = clock::monotonic() + ABORTING;
        match self {
            JobGroup::Mpi(mpi) => mpi.abort(exit_code),
            JobGroup::Relay(relay) => relay.abort(|| clock::monotonic() < until),
        }
    }

    /// Leaves in order; MPI waits for all other ranks.
    ///
    /// # Errors
    /// Fails with MPI's error.
    pub fn finalize(self) -> Result<(), GroupError> {
        match self {
            JobGroup::Mpi(mpi) => Ok(mpi.finalize()?),
            JobGroup::Relay(_) => Ok(()),
        }
    }
}

impl RankGroup for JobGroup {
    fn rank(&self) -> usize {
        match self {
            JobGroup::Mpi(mpi) => mpi.rank(),
            JobGroup::Relay(relay) => relay.rank(),
        }
    }

    fn size(&self) -> usize {
        match self {
            JobGroup::Mpi(mpi) => mpi.size(),
            JobGroup::Relay(relay) => relay.size(),
        }
    }

    fn post(&mut self, to: usize, bytes: &[u8]) -> Result<(), GroupError> {
        self.group().post(to, bytes)
    }

    fn take(&mut self) -> Result<Option<RankMessage>, (usize, GroupError)> {
        self.group().take()
    }
}
