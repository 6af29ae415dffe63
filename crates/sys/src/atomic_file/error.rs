//! Reasons why a file cannot replace another.

use super::hint::hint;
use std::io;

/// Reason why no file can be placed somewhere; its text follows the file's name.
#[derive(Debug, thiserror::Error)]
pub enum FileTargetError {
    #[error("cannot be created: {}{}", .0, hint(.0))]
    Folder(io::Error),
    /// The existing file is not writable.
    #[error("cannot be replaced: {}{}; name another file", .0, hint(.0))]
    Earlier(io::Error),
    #[error("cannot be replaced: {0}")]
    Guarded(io::Error),
    /// A folder, a pipe, or a link created in the meantime.
    #[error("cannot be replaced: it is not a regular file; name another one")]
    NotAFile,
    #[error(
        "cannot be replaced: it is a separate mount (a bind mount, as in containers); name a file in a \
         mounted folder"
    )]
    MountPoint,
    /// The file would change its owner.
    #[error(
        "cannot be replaced: it belongs to another user or group (number {0}), and this process cannot \
         create files for them; name another file"
    )]
    NotOurs(u32),
}
