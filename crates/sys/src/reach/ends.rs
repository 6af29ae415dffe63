//! The last name of a path, and reasons why it is not reached.

use std::io;
use std::path::PathBuf;

/// Whether the last name of a path may be a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastName {
    Followed,
    /// A link is the object itself.
    AsItIs,
}

#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// A link that another user may have put there to redirect this one.
    #[error(
        "'{}' is a link of another user (number {owner}) in a folder that is open to others; it is not \
         followed", .link.display()
    )]
    Planted { link: PathBuf, owner: u32 },
    /// A folder of the program that another user can exchange.
    #[error("it is a link of another user (number {owner})")]
    Foreign { owner: u32 },
    /// The path ends with a folder.
    #[error("it is a directory")]
    Directory,
    #[error(transparent)]
    Io(#[from] io::Error),
}
