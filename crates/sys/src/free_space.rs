//! Free space of file systems, and its allocation.

use rustix::fs::{FallocateFlags, StatVfs};
use rustix::io::Errno;
use rustix::thread::{CapabilitySet, capabilities};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Bytes available to this process; `None` if the file system does not report them (tmpfs without a
    /// limit, some file systems in user space).
    pub ours: Option<u64>,
}

pub fn read_free_space(path: &Path) -> Option<Room> {
    rustix::fs::statvfs(path).ok().map(free_room)
}

pub fn space_of_file(file: impl AsFd) -> Option<Room> {
    rustix::fs::fstatvfs(file).ok().map(free_room)
}

fn free_room(found: StatVfs) -> Room {
    let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    // Space reserved for the superuser is available to users with that right.
    let privileged = rustix::process::geteuid().is_root()
        || capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_RESOURCE));
    let ours = if privileged { found.f_bfree } else { found.f_bavail };
    Room { ours: (found.f_blocks > 0).then(|| bytes(ours)) }
}

/// Effect of a space allocation on the size of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeChange {
    /// The file grows to the end of the space.
    Grows,
    Stays,
}

/// Frees the space of a part of a file, which then reads as zeros. Its size stays.
///
/// # Errors
/// Fails if the file system does not support it.
pub fn punch(file: impl AsFd, offset: u64, length: u64) -> io::Result<()> {
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    Ok(rustix::fs::fallocate(file, flags, offset, length)?)
}

/// Allocates space in a file, if the file system supports it; otherwise it succeeds without an effect.
///
/// # Errors
/// Fails without space, or with [`io::ErrorKind::Interrupted`] by a signal.
pub fn allocate(file: &File, size: SizeChange, offset: u64, length: u64) -> io::Result<()> {
    let flags = match size {
        SizeChange::Grows => FallocateFlags::empty(),
        SizeChange::Stays => FallocateFlags::KEEP_SIZE,
    };
    match if length > 0 { rustix::fs::fallocate(file, flags, offset, length) } else { Ok(()) } {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
