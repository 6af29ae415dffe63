//! Why a target can't be filled (`--prefill`).

use diskspd_figures::units::Size;
use diskspd_host::claims::ClaimError;
use diskspd_profile::RawText;
use diskspd_sys::target_error::TargetError;
use std::io;

#[derive(Debug, thiserror::Error)]
pub(crate) enum PrefillError {
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error("--prefill: {0}")]
    Open(#[source] TargetError),
    #[error(transparent)]
    Denied(#[from] ClaimError),
    #[error(
        "'{path}' is a block device: --prefill would overwrite {:#} of it; pass --destroy to allow it",
        Size(*.bytes)
    )]
    NeedsDestroy { path: RawText, bytes: u64 },
    #[error(
        "'{path}' is read-only, so --prefill cannot fill it: make it writable (chmod u+w), or leave out \
         --prefill"
    )]
    ReadOnly { path: RawText },
    #[error(
        "'{path}': --prefill: the file system is full: the holes need {:#}, {:#} were free; free some space, \
         or leave out --prefill",
        Size(*.needed), Size(*.free)
    )]
    Full {
        path: RawText,
        needed: u64,
        /// Bytes that were free before.
        free: u64,
    },
    /// The user's limit is exceeded.
    #[error("'{path}': --prefill: this user's disk quota is exhausted")]
    Quota { path: RawText },
    #[error("'{path}': --prefill: {source}")]
    Own { path: RawText, source: io::Error },
    #[error("'{path}': --prefill cannot {doing}: {source}")]
    Kernel { path: RawText, doing: &'static str, source: io::Error },
    #[error("'{path}': --prefill was interrupted")]
    Interrupted { path: RawText },
}
