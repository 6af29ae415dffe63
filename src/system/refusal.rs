//! Whether writing is refused: because what is written to is in use, or because there is something on it.

use super::device::{Device, block_number};
use super::holdings::Identity;
pub use super::holdings::Unknown;
use super::root::Root;
use super::signatures;
pub use super::usage::{How, Use};
use crate::sys::problem::{Problem, TargetError};
use crate::sys::{block, files, locks};
use crate::units::visible::line;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

/// Why a device or file isn't written to. The text is for the user: what is in use or would be lost, and
/// what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Never allowed.
    #[error("{}: not written to, because it is in use:{}", line(&path.to_string_lossy()), lines(uses))]
    InUse {
        /// As the user gave it.
        path: PathBuf,
        /// At least one.
        uses: Vec<Use>,
    },
    /// Never allowed.
    #[error(
        "{}: not written to, because it can't be found out whether it is in use: {}; {}",
        path.display(),
        unknown.why,
        next_step(unknown)
    )]
    Unknown {
        /// As the user gave it.
        path: PathBuf,
        /// What is missing for that.
        unknown: Unknown,
    },
    /// Never allowed: reports, streams and logs are files.
    #[error("{}: is a block device, which would be overwritten; name a file", path.display())]
    NoOutput {
        /// As the user gave it.
        path: PathBuf,
    },
    /// Allowed with `--destroy`.
    #[error(
        "{}: not written to, because the test would destroy what is on it: {}; if that may be lost, say --destroy",
        line(&path.to_string_lossy()),
        found.join(", ")
    )]
    WouldDestroy {
        /// As the user gave it.
        path: PathBuf,
        /// What there is, as [`signatures::find`] names it; at least one.
        found: Vec<signatures::Name>,
    },
}

fn lines(uses: &[Use]) -> String {
    uses.iter().map(|each| format!("\n  {each}")).collect()
}

fn next_step(unknown: &Unknown) -> &'static str {
    match unknown.absent {
        true => {
            "writing to a device takes /proc and /sys of the machine: mount them, or run outside of the container"
        }
        false => "mend that, or run as root",
    }
}

/// Why the target at the path must not be written to; `None` = nothing against it, or there is nothing.
/// `destroy` permits to overwrite what lies on a device, not to write to one in use. What regular files
/// hold is nobody's concern.
///
/// The answer is a snapshot, for telling. What is written to goes through [`super::claims::protect`], which
/// lets the kernel keep others away, and knows uses that leave no trace in /proc and /sys (ZFS, other mount
/// namespaces).
///
/// # Errors
/// The device can't be read, so that it isn't known what is on it.
pub fn write_refusal(path: &Path, destroy: bool) -> Result<Option<Refusal>, TargetError> {
    let Some(number) = block_number(path) else { return Ok(file_refusal(path)) };
    if let Some(refusal) = use_refusal(path, number) {
        return Ok(Some(refusal));
    }
    if destroy {
        return Ok(None);
    }
    let found = found_on(path, &files::look_into(path)?.into())?;
    Ok((!found.is_empty()).then(|| Refusal::WouldDestroy { path: path.to_owned(), found }))
}

/// Why the device must not be written to whatever is on it.
pub(super) fn use_refusal(path: &Path, number: (u32, u32)) -> Option<Refusal> {
    let path = path.to_owned();
    match uses(&Root::live(), number) {
        Ok(uses) if uses.is_empty() => None,
        Ok(uses) => Some(Refusal::InUse { path, uses }),
        Err(unknown) => Some(Refusal::Unknown { path, unknown }),
    }
}

/// Why the regular file at the path must not be written to; `None` = nothing against it, or there is none.
pub(super) fn file_refusal(path: &Path) -> Option<Refusal> {
    let found = rustix::fs::stat(path).ok()?;
    // Locks are asked for through a descriptor; one who can't read a file can't ask.
    let opened = files::peek(path);
    match opened.as_ref().and_then(|opened| Some((opened, rustix::fs::fstat(opened).ok()?))) {
        Some((opened, found)) => refusal_of(path, &found, Some(opened.as_fd())),
        None => refusal_of(path, &found, None),
    }
}

/// Why the regular file that is open must not be written to. Anything else that is open isn't looked at.
pub(super) fn open_file_refusal(path: &Path, opened: BorrowedFd<'_>) -> Option<Refusal> {
    refusal_of(path, &rustix::fs::fstat(opened).ok()?, Some(opened))
}

fn refusal_of(path: &Path, found: &rustix::fs::Stat, opened: Option<BorrowedFd<'_>>) -> Option<Refusal> {
    if rustix::fs::FileType::from_raw_mode(found.st_mode) != rustix::fs::FileType::RegularFile {
        return None;
    }
    let name = path.display().to_string();
    let mut uses = match super::usage::uses_of_file(&Root::live(), &Identity::of(found), &name) {
        Ok(uses) => uses,
        // Files are written to in containers too.
        Err(unknown) if unknown.absent => Vec::new(),
        Err(unknown) => return Some(Refusal::Unknown { path: path.to_owned(), unknown }),
    };
    if let Some(lock) = opened.and_then(locks::lock)
        && !is_own(found)
    {
        uses.push(Use { device: name, how: How::Locked { process: lock.process } });
    }
    (!uses.is_empty()).then(|| Refusal::InUse { path: path.to_owned(), uses })
}

/// Why the open block device must not be written to because of a lock.
pub(super) fn lock_refusal(path: &Path, device: &File) -> Option<Refusal> {
    let lock = locks::lock(device.as_fd())?;
    if rustix::fs::fstat(device).is_ok_and(|found| is_own(&found)) {
        return None;
    }
    let how = How::Locked { process: lock.process };
    let uses = vec![Use { device: path.display().to_string(), how }];
    Some(Refusal::InUse { path: path.to_owned(), uses })
}

/// Whether the program was started for holding the lock: with the file open, as `flock FILE diskspd ..`
/// does, or by a program that holds it, as `udevadm lock` does.
fn is_own(found: &rustix::fs::Stat) -> bool {
    files::at_start().contains(&(found.st_dev, found.st_ino)) || is_held_above(&Root::live(), found.st_ino)
}

/// Whether a process that this one descends from holds a lock on a file with this inode. A line of
/// /proc/locks is `1: FLOCK  ADVISORY  WRITE <process> <major>:<minor>:<inode> <from> <to>`.
fn is_held_above(root: &Root, inode: u64) -> bool {
    let locks = root.text("/proc/locks").unwrap_or_default();
    let holder = |line: &str| {
        let mut words = line.split_ascii_whitespace().skip(4);
        let (process, place) = (words.next()?, words.next()?);
        (place.rsplit(':').next()? == inode.to_string()).then(|| process.to_owned())
    };
    let holders: Vec<String> = locks.lines().filter_map(holder).collect();
    let parent = |process: &String| {
        let status = root.text(format!("/proc/{process}/status"))?;
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().to_owned();
        (parent != "0").then_some(parent)
    };
    let own = std::process::id().to_string();
    !holders.is_empty()
        && std::iter::successors(Some(own), parent).skip(1).take(64).any(|above| holders.contains(&above))
}

/// What is on an open block device, as [`signatures::find`] names it.
pub(super) fn found_on(path: &Path, device: &File) -> Result<Vec<signatures::Name>, TargetError> {
    let fail = |error: io::Error| match error.raw_os_error() {
        // Claimed for writing, because we may not read it.
        Some(libc::EBADF) => TargetError::new(path, Problem::Permission { access: "read what is on it" }),
        _ => TargetError::from_io(path, "read what is on it", "read", error),
    };
    let size = block::capacity(device.as_fd()).map_err(fail)?;
    signatures::find(device, size).map_err(fail)
}

/// The uses of a device, by (major, minor), of the machine whose files lie in a directory.
///
/// # Errors
/// They can't be found out; the machine doesn't know the device.
pub fn uses(root: &Root, number: (u32, u32)) -> Result<Vec<Use>, Unknown> {
    let (major, minor) = number;
    let unknown = || Unknown::absent(format!("/sys doesn't show the device {major}:{minor}"));
    super::usage::uses(root, &Device::of(root, number).ok_or_else(unknown)?)
}

/// The uses of a regular file, by its path on the machine whose files lie in a directory.
///
/// # Errors
/// They can't be found out.
pub fn uses_of_file(root: &Root, path: &Path) -> Result<Vec<Use>, Unknown> {
    super::usage::uses_of_file(root, &Identity::at(root, path), &path.display().to_string())
}
