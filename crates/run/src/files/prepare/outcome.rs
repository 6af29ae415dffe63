//! Result of preparing a file, for messages.

use diskspd_figures::units;
use diskspd_host::claims::ClaimError;
use diskspd_sys::target_error::{TargetError, TargetErrorKind};
use std::fmt;
use std::io;
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// The file existed with this size and was written completely, and a sample of blocks showed no
    /// contradiction.
    Kept,
    Created,
    Rewritten(RewriteReason),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewriteReason {
    Asked,
    /// Actual size in bytes, which differs.
    Size(u64),
    /// The file had holes or unwritten extents.
    Unwritten,
    /// The file had data instead of the requested zeros, or the reverse.
    Content {
        zero: bool,
    },
    /// The file system cannot report whether the file is fully written (tmpfs, network file systems).
    Unknown,
}

impl fmt::Display for Preparation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Preparation::Kept => f.write_str("kept: it has this size and is fully written"),
            Preparation::Created => f.write_str("created"),
            Preparation::Rewritten(RewriteReason::Asked) => f.write_str("rewritten, as requested"),
            Preparation::Rewritten(RewriteReason::Size(size)) => write!(f, "rewritten: it had {size} bytes"),
            Preparation::Rewritten(RewriteReason::Unwritten) => {
                f.write_str("rewritten: parts of it were never written")
            }
            Preparation::Rewritten(RewriteReason::Content { zero: true }) => {
                f.write_str("rewritten: it held data instead of the requested zeros (-Z)")
            }
            Preparation::Rewritten(RewriteReason::Content { zero: false }) => f.write_str(
                "rewritten: it held zeros instead of the requested data, and many devices answer zeros \
                 faster",
            ),
            Preparation::Rewritten(RewriteReason::Unknown) => {
                f.write_str("rewritten: its file system cannot report whether it was fully written")
            }
        }
    }
}

/// Reason for a failed preparation, and the resulting state of the file.
#[derive(Debug, thiserror::Error)]
#[error("{}: the file was not prepared: {reason}; {state}", path.display())]
pub struct PrepareError {
    pub path: PathBuf,
    pub reason: Reason,
    pub state: State,
}

#[derive(Debug, thiserror::Error)]
pub enum Reason {
    #[error("{0}")]
    Target(TargetErrorKind),
    /// Writing is forbidden; complete message with the path.
    #[error("{0}")]
    Denied(ClaimError),
    /// `ENOSPC`
    #[error(
        "the file system is full: {} are needed, {} are free; use a smaller -c, or free some space",
        units::amount(*size),
        units::amount(*free)
    )]
    Full {
        size: u64,
        /// 94 Free bytes for this user before, including the file's space.
        free: u64,
    },
    /// `ENOSPC` although there was enough space.
    #[error(
        "there is no space for {}, though {} were free: a project quota or a thin pool is exhausted, or the \
         file system needs more for itself; use a smaller -c, or make room there",
        units::amount(*size),
        units::amount(*free)
    )]
    Refused {
        size: u64,
        /// Free bytes for this user before, including the file's space.
        free: u64,
    },
    /// Each file might fit, but not all of them.
    #[error(
        "the file system is full: its {files} files need {} together, {} are free; use a smaller -c, or free \
         some space",
        units::amount(*size),
        units::amount(*free)
    )]
    FullTogether {
        files: usize,
        size: u64,
        /// Free bytes for this user before, including the space of the files.
        free: u64,
    },
    /// Holes that `--prefill` fills do not fit.
    #[error(
        "the file system is full: the holes of {files} {} need {}, {} are free; free some space, or leave \
         out --prefill",
        if *files == 1 { "file" } else { "files" },
        units::amount(*size),
        units::amount(*free)
    )]
    FullOfHoles {
        files: usize,
        size: u64,
        /// Bytes that were free for this user before.
        free: u64,
    },
    /// `EDQUOT`
    #[error(
        "this user's disk quota is exhausted, {} are needed; use a smaller -c, or free some space",
        units::amount(*size)
    )]
    Quota { size: u64 },
    /// `EFBIG`
    #[error("{} exceed the largest file of this file system; use a smaller -c", units::amount(*size))]
    TooLarge { size: u64 },
    /// `RLIMIT_FSIZE`
    #[error(
        "{} exceed the shell's file size limit of {}; raise it (ulimit -f)",
        units::amount(*size),
        units::amount(*limit)
    )]
    Limit { size: u64, limit: u64 },
    #[error("stopped")]
    Stopped,
    #[error("cannot {doing}: {source}")]
    Kernel { doing: &'static str, source: io::Error },
}

impl From<TargetError> for Reason {
    fn from(error: TargetError) -> Reason {
        Reason::Target(error.problem)
    }
}

impl From<ClaimError> for Reason {
    fn from(denial: ClaimError) -> Reason {
        match denial {
            ClaimError::Target(error) => error.into(),
            refused @ ClaimError::Refused(_) => Reason::Denied(refused),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Untouched,
    /// This run created the unfinished file, and removed it.
    Removed,
    /// An existing file with its content lost. It was truncated after the written part, or emptied if it
    /// did not fit.
    Unfinished {
        size: u64,
    },
    /// This run created the unfinished file, but could not remove it.
    LeftOver,
}

impl State {
    pub fn is_changed(self) -> bool {
        matches!(self, State::Unfinished { .. } | State::LeftOver)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            State::Untouched => f.write_str("no file was changed"),
            State::Removed => f.write_str("the incomplete file was removed"),
            State::Unfinished { size } => {
                write!(f, "the existing file was overwritten and is incomplete: it has {size} bytes now")
            }
            State::LeftOver => f.write_str("the incomplete file could not be removed"),
        }
    }
}
