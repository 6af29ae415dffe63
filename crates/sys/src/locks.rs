//! Detection of file locks by other programs: virtual machines lock their images.

use crate::fault_points::{FileStep, check_step};
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::Path;

/// Lock file of a folder where folders themselves cannot be locked; it is not part of the kept content.
pub const IN_USE: &str = ".in-use";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locked {
    /// Process of the lock, if known: open file description (OFD) locks and `flock` do not belong to a
    /// process.
    pub process: Option<u32>,
}

/// Returns a lock by another program on any byte of an open file, or on the whole of it. `None` = there is
/// no lock, or the file system does not support locks. The file stays unchanged.
pub fn lock(file: BorrowedFd<'_>) -> Option<Locked> {
    of_bytes(file).or_else(|| whole_file_lock(file))
}

/// Locks an open file or folder exclusively for this process until the file is closed or the process ends.
/// False = locked by another process.
pub fn hold(file: &File) -> std::io::Result<bool> {
    check_step(FileStep::Lock)?;
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Locks a folder for this process in the same way while the returned file lives. `None` = locked by another
/// process.
pub fn hold_folder(path: &Path) -> std::io::Result<Option<File>> {
    let folder = File::open(path)?;
    Ok(hold(&folder)?.then_some(folder))
}

/// Returns the first lock that prevents a write lock on all bytes.
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

/// Takes and releases a shared lock, because there is no query. Programs that inspect a device, such as
/// udev, also take shared locks, which do not conflict.
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
    fn locks_of_any_kind_are_visible_to_another_opening() {
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
