//! What became of a file that was to be prepared, as it is told.

use crate::sys::problem::{Problem, TargetError};
use crate::system::claims::Denial;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// What was done, for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prepared {
    /// It was there with this size, all of it written, and a few blocks showed nothing that speaks against
    /// it.
    Kept,
    /// It did not exist.
    Created,
    /// It existed and was truncated and written anew.
    Rewritten(Why),
}

/// Why an existing file was written anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It was asked for.
    Asked,
    /// It had another size, bytes.
    Size(u64),
    /// It had holes, or parts that were allocated but not written.
    Unwritten,
    /// It held data where zeros are ordered, or the reverse.
    Content {
        /// What is ordered.
        zero: bool,
    },
    /// The file system can't tell whether it was written in full (tmpfs, network file systems).
    Unknown,
}

impl fmt::Display for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Prepared::Kept => f.write_str("kept: it has this size, and all of it is written"),
            Prepared::Created => f.write_str("created"),
            Prepared::Rewritten(Why::Asked) => f.write_str("written anew, as asked"),
            Prepared::Rewritten(Why::Size(size)) => write!(f, "written anew: it had {size} bytes"),
            Prepared::Rewritten(Why::Unwritten) => {
                f.write_str("written anew: parts of it were never written")
            }
            Prepared::Rewritten(Why::Content { zero: true }) => {
                f.write_str("written anew: it held data, and zeros are ordered (-Z)")
            }
            Prepared::Rewritten(Why::Content { zero: false }) => f.write_str(
                "written anew: it held zeros, which many devices answer faster than the data that is ordered",
            ),
            Prepared::Rewritten(Why::Unknown) => {
                f.write_str("written anew: its file system can't tell whether it was written in full")
            }
        }
    }
}

/// Why a file could not be prepared, and what became of it.
#[derive(Debug, thiserror::Error)]
#[error("{}: the file was not prepared: {reason}; {state}", path.display())]
pub struct PrepareError {
    /// As the user gave it.
    pub path: PathBuf,
    /// What went wrong, and what to do.
    pub reason: Reason,
    /// What is there now.
    pub state: State,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// The path can't be used.
    #[error("{0}")]
    Target(Problem),
    /// It must not be written to: the whole message, with the path.
    #[error("{0}")]
    Denied(Denial),
    /// `ENOSPC`
    #[error(
        "the file system is full: {size} bytes are needed, {free} can be had; choose a smaller -c, or make room"
    )]
    Full {
        /// Bytes asked for.
        size: u64,
        /// Bytes that were free for this user before, and those of the file itself.
        free: u64,
    },
    /// Each of them might fit, but not all of them.
    #[error(
        "the file system is full: the {files} files on it need {size} bytes together, {free} can be had; choose a \
         smaller -c, or make room"
    )]
    FullTogether {
        /// How many files.
        files: usize,
        /// Bytes asked for.
        size: u64,
        /// Bytes that were free for this user before, and those of the files themselves.
        free: u64,
    },
    /// `EDQUOT`
    #[error(
        "the disk quota of this user is used up, {size} bytes are needed; choose a smaller -c, or make room"
    )]
    Quota {
        /// Bytes asked for.
        size: u64,
    },
    /// `EFBIG`
    #[error("{size} bytes are more than a file can have on this file system; choose a smaller -c")]
    TooLarge {
        /// Bytes asked for.
        size: u64,
    },
    /// `RLIMIT_FSIZE`
    #[error("{size} bytes are more than the limit of {limit} that the shell sets for files; see ulimit -f")]
    Limit {
        /// Bytes asked for.
        size: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The stop flag was set.
    #[error("stopped")]
    Stopped,
    /// Anything else.
    #[error("can't {doing}: {source}")]
    Kernel {
        /// What was being done.
        doing: &'static str,
        /// What the kernel answered.
        source: io::Error,
    },
}

impl From<TargetError> for Reason {
    fn from(error: TargetError) -> Reason {
        Reason::Target(error.problem)
    }
}

impl From<Denial> for Reason {
    fn from(denial: Denial) -> Reason {
        match denial {
            Denial::Target(error) => error.into(),
            refused @ Denial::Refused(_) => Reason::Denied(refused),
        }
    }
}

/// What is at the path after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// What was there before, if anything.
    Untouched,
    /// Nothing: the unfinished file was created here, and removed again.
    Removed,
    /// A file that existed before; what it held is gone. It was cut off behind what is written, and emptied
    /// when there was no room for it.
    Unfinished {
        /// Bytes it has now.
        size: u64,
    },
    /// The unfinished file was created here and could not be removed.
    LeftOver,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            State::Untouched => f.write_str("nothing was changed"),
            State::Removed => f.write_str("the unfinished file was removed again"),
            State::Unfinished { size } => write!(
                f,
                "the file existed before, its former content is overwritten, and it is unfinished: it has {size} bytes \
                 now"
            ),
            State::LeftOver => f.write_str("the unfinished file could not be removed"),
        }
    }
}
