//! Why a worker can't be set up.

use crate::failure::Failure;
use diskspd_host::claims::Denial;
use diskspd_model::profile::RawText;
use diskspd_model::units::Size;
use diskspd_sys::problem::TargetError;
use std::io;
use std::num::TryFromIntError;

/// What a worker lacks: a target, or memory.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A target can't be opened.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A target may not be written to.
    #[error(transparent)]
    Denied(#[from] Denial),
    /// What is beneath a target can't do one of the operations.
    #[error(
        "{option}: '{path}': its file system can't {what}: {source}; leave out {option}, or use a file \
         elsewhere (ext4, xfs, btrfs)"
    )]
    Operation {
        /// By which the operation was asked for.
        option: &'static str,
        /// As the user gave it.
        path: RawText,
        /// What a file system does for it, behind "can't".
        what: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
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

/// A target lacks for all threads alike.
impl From<SetupError> for Failure {
    fn from(error: SetupError) -> Failure {
        error.to_string().into()
    }
}
