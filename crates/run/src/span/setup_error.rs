//! Why a worker can't be set up.

use diskspd_figures::units::Size;
use diskspd_worker::WorkerFailure;
use std::io;
use std::num::TryFromIntError;

/// The memory that a worker lacks.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The kernel gave no memory.
    #[error("cannot allocate {} for I/O buffers: {source}; lower -b or -o", Size(*.bytes))]
    Memory { bytes: u64, source: io::Error },
    /// The memory exceeds the address space.
    #[error("cannot allocate {} for I/O buffers: {source}; lower -b or -o", Size(*.bytes))]
    TooLarge { bytes: u64, source: TryFromIntError },
    /// Too few large pages; contains the message of the counter.
    #[error("{0}")]
    LargePages(String),
}

impl From<SetupError> for WorkerFailure {
    fn from(error: SetupError) -> WorkerFailure {
        error.to_string().into()
    }
}
