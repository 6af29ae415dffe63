//! The last name of a path, and reasons why it is not reached.

use std::io;
use std::path::PathBuf;

/// Whether the last name of a path may be a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastName {
    Followed,
    /// The link itself is the object.
    AsItIs,
}

#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// Link of another user, which may redirect the access.
    #[error(
        "'{}' is a link of another user (number {owner}) in a folder that is open to others; it is not \
         followed", .link.display()
    )]
    Planted { link: PathBuf, owner: u32 },
    /// Folder of the program that another user can replace.
    #[error("it is a link of another user (number {owner})")]
    Foreign { owner: u32 },
    #[error("it is a directory")]
    Directory,
    #[error(transparent)]
    Io(#[from] io::Error),
}
