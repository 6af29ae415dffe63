//! Why a worker doesn't get a target.

use diskspd_host::claims::ClaimError;
use diskspd_profile::RawText;
use diskspd_sys::target_error::TargetError;
use diskspd_worker::WorkerFailure;
use std::io;

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A target may not be written to.
    #[error(transparent)]
    Denied(#[from] ClaimError),
    #[error(
        "{option}: '{path}': its file system cannot {what}: {source}; leave out {option}, or use a file \
         elsewhere (ext4, xfs, btrfs)"
    )]
    Operation { option: &'static str, path: RawText, what: &'static str, source: io::Error },
}

impl From<OpenError> for WorkerFailure {
    fn from(error: OpenError) -> WorkerFailure {
        error.to_string().into()
    }
}
