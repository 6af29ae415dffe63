//! Handling of failed I/Os.

use super::WorkerLedger;
use diskspd_engine::{CompletedIo, EngineError, Io};

pub(crate) enum WorkerError {
    Engine(EngineError),
    /// The target returned an error.
    Io(FailedIo),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct FailedIo {
    pub(super) errno: i32,
    pub(super) io: Io,
    pub(super) target: u32,
}

impl From<EngineError> for WorkerError {
    fn from(error: EngineError) -> Self {
        WorkerError::Engine(error)
    }
}

impl WorkerLedger {
    /// Returns the failed I/O of a completion.
    pub(super) fn failed(&self, done: &CompletedIo) -> FailedIo {
        let flight = &self.requests.flights[done.request as usize];
        FailedIo { errno: (-done.result) as i32, io: flight.io, target: flight.target }
    }
}
