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
    /// More memory than this system can address.
    #[error("cannot allocate {} for I/O buffers: {source}; lower -b or -o", Size(*.bytes))]
    TooLarge { bytes: u64, source: TryFromIntError },
    /// There aren't enough large pages, in the words of who counted them.
    #[error("{0}")]
    LargePages(String),
}

impl From<SetupError> for WorkerFailure {
    fn from(error: SetupError) -> WorkerFailure {
        error.to_string().into()
    }
}
