//! Why a worker can't be set up.

use diskspd_model::units::Size;
use diskspd_worker::Failure;
use std::io;
use std::num::TryFromIntError;

/// The memory that a worker lacks.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The kernel gave no memory.
    #[error("can't allocate {} for I/O buffers: {source}; lower -b or -o", Size(*.bytes))]
    Memory {
        /// How much was asked for.
        bytes: u64,
        /// What the kernel said.
        source: io::Error,
    },
    /// More memory than this system can address.
    #[error("can't allocate {} for I/O buffers: {source}; lower -b or -o", Size(*.bytes))]
    TooLarge {
        /// How much was asked for.
        bytes: u64,
        /// By how it doesn't fit.
        source: TryFromIntError,
    },
    /// There aren't enough large pages, in the words of who counted them.
    #[error("{0}")]
    LargePages(String),
}

/// Memory lacks for all threads alike.
impl From<SetupError> for Failure {
    fn from(error: SetupError) -> Failure {
        error.to_string().into()
    }
}
