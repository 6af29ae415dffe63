//! Whether another program has locked a file: as virtual machines do with their images.

use crate::steps::{FileStep, before};
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::Path;

/// The file by which a folder is taken, where folders themselves can't be: it is none of what is kept there.
pub const IN_USE: &str = ".in-use";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locked {
    /// Its process, where the kernel tells: locks of open files (OFD) and `flock` belong to none.
    pub process: Option<u32>,
}

/// A lock by another program on any byte of an open file, or on the whole of it; `None` = there is none, or
/// the file system knows no locks. The file is left as it is.
pub fn lock(file: BorrowedFd<'_>) -> Option<Locked> {
    of_bytes(file).or_else(|| whole_file_lock(file))
}

/// Takes the lock of an open file or folder for this process, which no other then gets until the file is
/// closed or the process ends, however it ends. False = another one has it.
///
/// # Errors
/// What the kernel says.
pub fn hold(file: &File) -> std::io::Result<bool> {
    before(FileStep::Lock)?;
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Takes a folder for this process, in the same way: for as long as what is returned lives. `None` = another
/// one has it.
///
/// # Errors
/// What the kernel says.
pub fn hold_folder(path: &Path) -> std::io::Result<Option<File>> {
    let folder = File::open(path)?;
    Ok(hold(&folder)?.then_some(folder))
}

/// The first lock that would keep us from locking all bytes for writing.
fn of_bytes(file: BorrowedFd<'_>) -> Option<Locked> {
    // SAFETY: `flock` is made of integers, for which all bytes zero are a value: from the start, up to the
    // end, by no process.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK as _;
    lock.l_whence = libc::SEEK_SET as _;
    // SAFETY: the descriptor is open as long as it is borrowed; the request reads and writes one `flock`,
    // which lives on this stack, and changes no lock.
    let answer = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &raw mut lock) };
    let held = answer == 0 && lock.l_type != libc::F_UNLCK as libc::c_short;
    held.then(|| Locked { process: u32::try_from(lock.l_pid).ok().filter(|pid| *pid > 0) })
}

/// There is no request that only asks: a shared lock is taken and given back. Programs that look at a
/// device, as udev does, take shared ones too, which are in nobody's way.
fn whole_file_lock(file: BorrowedFd<'_>) -> Option<Locked> {
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => {
            let _ = rustix::fs::flock(file, FlockOperation::Unlock);
            None
        }
        Err(Errno::WOULDBLOCK) => Some(Locked { process: None }),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn locks_of_any_kind_are_seen_through_another_opening_of_the_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let seen = || lock(File::open(file.path()).unwrap().as_fd());
        assert_eq!(seen(), None);
        let other = File::options().read(true).write(true).open(file.path()).unwrap();
        rustix::fs::flock(&other, FlockOperation::NonBlockingLockShared).unwrap();
        assert_eq!(seen(), None, "who reads is in nobody's way");
        rustix::fs::flock(&other, FlockOperation::NonBlockingLockExclusive).unwrap();
        assert_eq!(seen(), Some(Locked { process: None }));
        rustix::fs::flock(&other, FlockOperation::Unlock).unwrap();
        // As QEMU does it: single bytes, for reading.
        // SAFETY: see above.
        let mut bytes: libc::flock = unsafe { std::mem::zeroed() };
        (bytes.l_type, bytes.l_start, bytes.l_len) = (libc::F_RDLCK as _, 100, 1);
        // SAFETY: see above.
        assert_eq!(unsafe { libc::fcntl(other.as_raw_fd(), libc::F_OFD_SETLK, &raw const bytes) }, 0);
        assert_eq!(seen(), Some(Locked { process: None }));
        drop(other);
        assert_eq!(seen(), None);
    }
}
