//! Why a target can't be filled (`--prefill`).

use diskspd_host::claims::Denial;
use diskspd_model::profile::RawText;
use diskspd_model::units::Size;
use diskspd_sys::problem::TargetError;
use std::io;

/// Why a target can't be filled before the run.
#[derive(Debug, thiserror::Error)]
pub enum PrefillError {
    /// It can't be looked at.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// It can't be opened for writing.
    #[error("--prefill: {0}")]
    Open(#[source] TargetError),
    /// It may not be written to.
    #[error(transparent)]
    Denied(#[from] Denial),
    /// A block device, and nobody said that it may be overwritten.
    #[error(
        "'{path}' is a block device: --prefill would overwrite {:#} of it; pass --destroy to allow it",
        Size(*.bytes)
    )]
    NeedsDestroy {
        /// As the user gave it.
        path: RawText,
        /// How much would be overwritten.
        bytes: u64,
    },
    /// A file that nobody may write to.
    #[error(
        "'{path}' is read-only, so --prefill can't fill it: make it writable (chmod u+w), or leave out \
         --prefill"
    )]
    ReadOnly {
        /// As the user gave it.
        path: RawText,
    },
    /// There is no room for what would be written.
    #[error(
        "'{path}': --prefill: the file system is full: the holes need {:#}, {:#} were free; free some space, \
         or leave out --prefill",
        Size(*.needed), Size(*.free)
    )]
    Full {
        /// As the user gave it.
        path: RawText,
        /// Bytes that are to be written.
        needed: u64,
        /// Bytes that were free before.
        free: u64,
    },
    /// The user may not have more.
    #[error("'{path}': --prefill: this user's disk quota is exhausted")]
    Quota {
        /// As the user gave it.
        path: RawText,
    },
    /// What this program couldn't do, in its own words.
    #[error("'{path}': --prefill: {source}")]
    Own {
        /// As the user gave it.
        path: RawText,
        /// What.
        source: io::Error,
    },
    /// What the kernel refused.
    #[error("'{path}': --prefill can't {doing}: {source}")]
    Kernel {
        /// As the user gave it.
        path: RawText,
        /// What was tried, behind "can't".
        doing: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
    /// The user has ended it.
    #[error("'{path}': --prefill was interrupted")]
    Interrupted {
        /// As the user gave it.
        path: RawText,
    },
}
