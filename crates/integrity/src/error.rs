//! Reasons why nothing can be verified, or written to a journal.

use diskspd_figures::units::Size;
use diskspd_profile::RawText;
use std::io;
use std::sync::Arc;

#[derive(Debug, Clone, thiserror::Error)]
pub enum JournalError {
    #[error("its device has not completed I/O for {0} s")]
    Unanswered(u64),
    #[error(transparent)]
    Io(#[from] Arc<io::Error>),
}

#[derive(Debug, thiserror::Error)]
pub enum IntegrityError {
    #[error("--journal: cannot be written: {0}; later durable writes are missing from it")]
    Journal(#[from] JournalError),
    /// The versions of all units do not fit into memory.
    #[error(
        "--verify: cannot allocate {} for the versions of '{path}'; verify a part of it (-f), or use \
         larger blocks (-b)", Size(*.bytes)
    )]
    TooLarge { bytes: u64, path: RawText },
    #[error(
        "--verify: '{other}' and '{path}' are the same file or device, so each would report the other's \
         writes as damage; name it once, and use more threads (-t)"
    )]
    SameTarget {
        other: RawText,
        /// Path of the second file.
        path: RawText,
    },
}
