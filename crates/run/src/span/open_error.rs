//! Why a worker doesn't get a target.

use diskspd_host::claims::Denial;
use diskspd_model::profile::RawText;
use diskspd_sys::problem::TargetError;
use diskspd_worker::Failure;
use std::io;

/// What is wrong with a target.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
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
}

/// A target lacks for all threads alike.
impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        error.to_string().into()
    }
}
