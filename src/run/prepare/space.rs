//! Whether there is room for what is ordered, found out while nothing has been changed yet.

use super::{PrepareError, Reason, State};
use rustix::fs::{FallocateFlags, SeekFrom, StatVfs};
use rustix::io::Errno;
use rustix::thread::{CapabilitySet, capabilities};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The room that was found for a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// Bytes ordered.
    size: u64,
    /// Bytes that can be had; `None` = the file system doesn't say.
    free: Option<u64>,
}

impl Room {
    /// What the kernel's answer to `doing` something means.
    pub fn explain(&self, error: io::Error, doing: &'static str) -> Reason {
        match error.raw_os_error() {
            Some(libc::ENOSPC) => Reason::Full { size: self.size, free: self.free.unwrap_or(0) },
            Some(libc::EDQUOT) => Reason::Quota { size: self.size },
            Some(libc::EFBIG) => Reason::TooLarge { size: self.size },
            Some(libc::EINTR) => Reason::Stopped,
            _ => Reason::Kernel { doing, source: error },
        }
    }
}

/// Whether a file can get this size when it gives back what it has. It is left as it is.
pub(super) fn check(file: &File, found: &Metadata, size: u64, stop: &AtomicBool) -> Result<Room, Reason> {
    // Only an offset beyond the largest possible one is refused; nothing is read or written by it.
    if rustix::fs::seek(file, SeekFrom::Start(size)) == Err(Errno::INVAL) {
        return Err(Reason::TooLarge { size });
    }
    let free = rustix::fs::fstatvfs(file).ok().and_then(free).map(|free| free.saturating_add(stored(found)));
    let room = Room { size, free };
    if free.is_some_and(|free| size > free) {
        return Err(room.explain(Errno::NOSPC.into(), ""));
    }
    // Quotas, and what the file system needs for itself, only show in an attempt: behind the end of an existing file,
    // where it changes nothing.
    let length = found.len();
    if length > 0 && size > length {
        allocate(file, FallocateFlags::KEEP_SIZE, length, size - length, stop).map_err(|error| {
            // Setting the size gives back what lies behind it.
            let _ = file.set_len(length);
            room.explain(error, "allocate space")
        })?;
    }
    Ok(room)
}

/// Allocates space in a file, where the file system can. Ends with `EINTR` when it is to stop.
pub(super) fn allocate(
    file: &File,
    flags: FallocateFlags,
    offset: u64,
    length: u64,
    stop: &AtomicBool,
) -> io::Result<()> {
    loop {
        match if length > 0 { rustix::fs::fallocate(file, flags, offset, length) } else { Ok(()) } {
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(()),
            Err(Errno::INTR) if !stop.load(Ordering::Relaxed) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Bytes that this process may still take of a file system; `None` = it doesn't say (tmpfs without a limit, some file
/// systems in user space).
fn free(found: StatVfs) -> Option<u64> {
    // What is kept back for the superuser is there for those who have his right to it.
    let privileged = rustix::process::geteuid().is_root()
        || capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_RESOURCE));
    let blocks = if privileged { found.f_bfree } else { found.f_bavail };
    (found.f_blocks > 0).then(|| blocks.saturating_mul(found.f_frsize))
}

/// Bytes that a file takes.
fn stored(found: &Metadata) -> u64 {
    found.blocks().saturating_mul(512)
}

/// What the files of a run need of one file system.
struct Need<'a> {
    device: u64,
    /// The first of them.
    path: &'a Path,
    files: usize,
    /// Bytes that can be had; `None` = the file system doesn't say.
    free: Option<u64>,
    /// Bytes they will have.
    size: u64,
}

/// Whether files of these sizes, bytes, all fit on their file systems: whoever comes last must not find out when the
/// others have been overwritten. Those that are there with their size don't count, unless they are written anew in any
/// case.
///
/// # Errors
/// The first one on a file system that is too small; nothing was changed.
pub fn all_fit<'a>(
    files: impl IntoIterator<Item = (&'a Path, u64)>,
    recreate: bool,
) -> Result<(), PrepareError> {
    let mut needs: Vec<Need> = Vec::new();
    for (path, size) in files {
        let there = std::fs::metadata(path).ok();
        let taken = match &there {
            Some(found) if !found.is_file() || found.len() == size && !recreate => continue,
            Some(found) => stored(found),
            None => 0,
        };
        // What is to be created will lie where the nearest directory is that exists.
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let Some(place) = absolute.ancestors().find(|place| place.exists()) else { continue };
        let (Ok(found), Ok(system)) = (place.metadata(), rustix::fs::statvfs(place)) else { continue };
        let known = needs.iter().position(|need| need.device == found.dev()).unwrap_or(needs.len());
        if known == needs.len() {
            needs.push(Need { device: found.dev(), path, files: 0, free: free(system), size: 0 });
        }
        let need = &mut needs[known];
        need.files += 1;
        need.free = need.free.map(|free| free.saturating_add(taken));
        need.size = need.size.saturating_add(size);
    }
    let too_much = |need: &Need| need.files > 1 && need.free.is_some_and(|free| need.size > free);
    match needs.into_iter().find(too_much) {
        None => Ok(()),
        Some(Need { path, files, free, size, .. }) => Err(PrepareError {
            path: path.to_owned(),
            reason: Reason::FullTogether { files, size, free: free.unwrap_or(0) },
            state: State::Untouched,
        }),
    }
}
