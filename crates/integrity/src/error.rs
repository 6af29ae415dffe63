//! Why nothing can be verified, or kept in a journal.

use super::system::NotOpened;
use diskspd_model::profile::RawText;
use diskspd_model::units::Size;
use std::io;
use std::sync::Arc;

/// Why the journal is at its end. It is told to all who wait for it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum JournalFailure {
    /// Its device hangs.
    #[error("its device hasn't completed I/O for {0} s")]
    Unanswered(u64),
    /// It can't be written.
    #[error(transparent)]
    Io(#[from] Arc<io::Error>),
}

/// Why a time span can't be verified.
#[derive(Debug, thiserror::Error)]
pub enum IntegrityError {
    /// The journal has no more of it.
    #[error("--journal: can't be written: {0}; later durable writes are missing from it")]
    Journal(#[from] JournalFailure),
    /// Versions of all its places don't fit into memory.
    #[error(
        "--verify: can't allocate {} for the versions of '{path}'; verify a part of it (-f), or use larger \
         blocks (-b)", Size(*.bytes)
    )]
    TooLarge {
        /// What they take, bytes.
        bytes: u64,
        /// The target.
        path: RawText,
    },
    /// Two targets are one.
    #[error(
        "--verify: '{other}' and '{path}' are the same file or device, so each would report the other's \
         writes as damage; name it once, and use more threads (-t)"
    )]
    SameTarget {
        /// The first.
        other: RawText,
        /// The second.
        path: RawText,
    },
}

/// Why a target can't be read back.
#[derive(Debug, thiserror::Error)]
pub enum NotReadBack {
    /// There is no memory.
    #[error("can't allocate memory: {0}")]
    NoMemory(#[source] io::Error),
    /// It can't be opened.
    #[error(transparent)]
    NotOpened(#[from] NotOpened),
}
