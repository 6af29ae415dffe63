//! The kernel's metadata of a file: its kind, location and owner.

use super::anchor::descriptor_path;
use rustix::fs::FileType;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    Directory,
    BlockDevice,
    Pipe,
    Socket,
    /// Character device, or a link that was not followed.
    Other,
}

impl Kind {
    pub(super) fn from_mode(mode: u32) -> Kind {
        match FileType::from_raw_mode(mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Directory,
            FileType::BlockDevice => Kind::BlockDevice,
            FileType::Fifo => Kind::Pipe,
            FileType::Socket => Kind::Socket,
            _ => Kind::Other,
        }
    }

    pub fn from_metadata(found: &Metadata) -> Kind {
        Kind::from_mode(found.mode())
    }
}

/// Returns (device, inode), which is equal for all names of a file.
pub fn identity(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

pub fn identity_of_open(file: &std::fs::File) -> Option<(u64, u64)> {
    file.metadata().ok().map(|found| identity(&found))
}

/// Opens a regular file again, for reading from its start. Another object, such as a pipe, could wait.
pub fn reopen_to_read(file: &std::fs::File) -> Option<std::fs::File> {
    let is_file = file.metadata().is_ok_and(|found| found.is_file());
    let opened = is_file.then(|| std::fs::File::open(descriptor_path(file)));
    opened?.ok()
}

/// Returns the identity of the object at a path.
///
/// # Errors
/// Fails if it does not exist, or is inaccessible.
pub fn identity_at(path: &Path) -> std::io::Result<(u64, u64)> {
    std::fs::metadata(path).map(|found| identity(&found))
}

pub fn device_number(found: &Metadata) -> u64 {
    found.rdev()
}

pub fn file_system(found: &Metadata) -> u64 {
    found.dev()
}

/// Returns the allocated bytes of the file.
pub fn stored(found: &Metadata) -> u64 {
    found.blocks().saturating_mul(512)
}

/// Returns the number of the owner.
pub fn owner(found: &Metadata) -> u32 {
    found.uid()
}

/// Whether users other than the owner may put files into a folder of this mode: all users, or the group of
/// a folder with the sticky bit. The kernel protects by the same rule (`fs.protected_symlinks`,
/// `fs.protected_regular`).
pub(super) fn others_may_write(mode: u32) -> bool {
    const WORLD_WRITABLE: u32 = 0o002;
    const STICKY_AND_GROUP_WRITES: u32 = 0o1020;
    mode & WORLD_WRITABLE != 0 || mode & STICKY_AND_GROUP_WRITES == STICKY_AND_GROUP_WRITES
}

pub use std::os::unix::fs::symlink;

/// Creates a named pipe, for tests of other crates.
pub fn make_pipe(path: &std::path::Path) -> std::io::Result<()> {
    Ok(rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RUSR)?)
}
