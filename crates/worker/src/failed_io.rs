//! Handling of failed I/Os.

use super::WorkerLedger;
use diskspd_engine::{Done, EngineError, Io};

pub(crate) enum Failed {
    Engine(EngineError),
    /// The target answered with an error.
    Io(FailedIo),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct FailedIo {
    pub(super) errno: i32,
    pub(super) io: Io,
    pub(super) target: u32,
}

impl From<EngineError> for Failed {
    fn from(error: EngineError) -> Self {
        Failed::Engine(error)
    }
}

impl WorkerLedger {
    /// The I/O of a completion that says that it failed.
    pub(super) fn failed(&self, done: &Done) -> FailedIo {
        let flight = &self.requests.flights[done.request as usize];
        FailedIo { errno: (-done.result) as i32, io: flight.io, target: flight.target }
    }
}
