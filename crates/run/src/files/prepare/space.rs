//! Check for sufficient space, before anything changes.

use super::{PrepareError, Reason, State};
use diskspd_sys::extents::{self, PieceKind, each_piece};
use diskspd_sys::free_space::{self, SizeChange};
use diskspd_sys::{inode, process};
use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Fraction of its capacity that a file system may use itself; a smaller shortage means that it is full.
const RESERVED_SPACE_SHARE: u64 = 8;

#[derive(Debug, Clone, Copy)]
pub(super) struct FileRoom {
    size: u64,
    /// 102 Available bytes; `None` = not reported.
    free: Option<u64>,
}

impl FileRoom {
    pub(super) fn explain(&self, error: io::Error, doing: &'static str) -> Reason {
        match error.kind() {
            ErrorKind::StorageFull => match self.free.unwrap_or(0) {
                free if free.saturating_sub(self.size) > self.size / RESERVED_SPACE_SHARE => {
                    Reason::Refused { size: self.size, free }
                }
                free => Reason::Full { size: self.size, free },
            },
            ErrorKind::QuotaExceeded => Reason::Quota { size: self.size },
            ErrorKind::FileTooLarge => Reason::TooLarge { size: self.size },
            ErrorKind::Interrupted => Reason::Stopped,
            _ => Reason::Kernel { doing, source: error },
        }
    }
}

pub(super) fn check(
    mut file: &File,
    found: &Metadata,
    size: u64,
    stop: &AtomicBool,
) -> Result<FileRoom, Reason> {
    // Only an offset beyond the largest possible one is refused; nothing is read or written by it.
    if file.seek(SeekFrom::Start(size)).is_err_and(|error| error.kind() == ErrorKind::InvalidInput) {
        return Err(Reason::TooLarge { size });
    }
    let free = free_space::space_of_file(file)
        .and_then(|room| room.ours)
        .map(|free| free.saturating_add(inode::stored(found)));
    let room = FileRoom { size, free };
    if free.is_some_and(|free| size > free) {
        return Err(room.explain(ErrorKind::StorageFull.into(), ""));
    }
    // Quotas, and what the file system needs for itself, only show in an attempt: behind the end of an
    // existing file, where it changes nothing.
    let length = found.len();
    if length > 0 && size > length {
        allocate(file, SizeChange::Stays, length, size - length, stop).map_err(|error| {
            // Setting the size gives back what lies behind it.
            let _ = file.set_len(length);
            room.explain(error, "allocate space")
        })?;
    }
    Ok(room)
}

/// Allocates space in a file, where the file system can. Ends as interrupted when it is to stop.
pub(super) fn allocate(
    file: &File,
    becomes: SizeChange,
    offset: u64,
    length: u64,
    stop: &AtomicBool,
) -> io::Result<()> {
    loop {
        match free_space::allocate(file, becomes, offset, length) {
            Err(error) if error.kind() == ErrorKind::Interrupted && !stop.load(Ordering::Relaxed) => {}
            answer => return answer,
        }
    }
}

/// Growth of a file before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// Creation with this size in bytes, or no change (`-c`).
    To(u64),
    /// Allocation of holes (`--prefill`).
    Filled,
}

struct SpaceNeed<'a> {
    device: u64,
    path: &'a Path,
    files: usize,
    /// Whether only holes are filled.
    filled: bool,
    /// Available bytes; `None` if the file system does not report them.
    free: Option<u64>,
    /// Total size of the files in bytes.
    size: u64,
}

/// Checks that all files fit on their file systems together, so that the last one does not fail after the
/// others were overwritten. Files that are kept need nothing; files that are rewritten give back their space.
///
/// # Errors
/// Fails with the first file that does not fit, or is too large for its file system. All files are unchanged.
pub fn all_fit<'a>(
    files: impl IntoIterator<Item = (&'a Path, Growth)>,
    recreate: bool,
) -> Result<(), PrepareError> {
    let untouched =
        |path: &Path, reason| PrepareError { path: path.to_owned(), reason, state: State::Untouched };
    let mut needs: Vec<SpaceNeed> = Vec::new();
    let mut folders = HashMap::new();
    for (path, growth) in files {
        let there = std::fs::metadata(path).ok();
        if there.as_ref().is_some_and(|found| !found.is_file()) {
            continue;
        }
        if let Growth::To(size) = growth {
            within_limits(size).map_err(|reason| untouched(path, reason))?;
        }
        let Some((size, taken)) = space_change(path, there.as_ref(), growth, recreate) else { continue };
        let found = match path.parent().filter(|_| there.is_none()) {
            Some(folder) => *folders.entry(folder).or_insert_with(|| find_room(path)),
            None => find_room(path),
        };
        let Some((device, free)) = found else { continue };
        let known = needs.iter().position(|need| need.device == device).unwrap_or(needs.len());
        if known == needs.len() {
            needs.push(SpaceNeed { device, path, files: 0, filled: true, free, size: 0 });
        }
        let need = &mut needs[known];
        need.files += 1;
        need.filled &= growth == Growth::Filled;
        need.free = need.free.map(|free| free.saturating_add(taken));
        need.size = need.size.saturating_add(size);
    }
    let too_much = |need: &SpaceNeed| need.free.is_some_and(|free| need.size > free);
    let Some(need) = needs.into_iter().find(too_much) else { return Ok(()) };
    let (files, size, free) = (need.files, need.size, need.free.unwrap_or(0));
    let reason = match files {
        _ if need.filled => Reason::FullOfHoles { files, size, free },
        1 => Reason::Full { size, free },
        _ => Reason::FullTogether { files, size, free },
    };
    Err(untouched(need.path, reason))
}

/// The file system of a file and its available bytes. A file that is missing will be where the nearest
/// directory is that exists.
fn find_room(path: &Path) -> Option<(u64, Option<u64>)> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let place = absolute.ancestors().find(|place| place.exists())?;
    let (found, room) = (place.metadata().ok()?, free_space::read_free_space(place)?);
    Some((inode::file_system(&found), room.ours))
}

/// Checks the size against the limits of files on this system.
pub(super) fn within_limits(size: u64) -> Result<(), Reason> {
    // Beyond it the kernel sends a signal that ends the process.
    if let Some(limit) = process::largest_file()
        && size > limit
    {
        return Err(Reason::Limit { size, limit });
    }
    // Offsets in files are signed.
    i64::try_from(size).map(drop).map_err(|_| Reason::TooLarge { size })
}

/// Returns the bytes that are written to a file and the bytes that it gives back before; `None` if it stays
/// unchanged.
fn space_change(path: &Path, found: Option<&Metadata>, growth: Growth, recreate: bool) -> Option<(u64, u64)> {
    let stored = found.map_or(0, inode::stored);
    match (growth, found) {
        (Growth::To(size), Some(found)) if found.len() == size && !recreate && stored < size => {
            // Compressed files take less than their size, too.
            let complete = File::open(path).and_then(|file| extents::all_written(&file, size));
            (!complete.unwrap_or(true)).then_some((size, stored))
        }
        (Growth::To(size), Some(found)) if found.len() == size && !recreate => None,
        (Growth::To(size), _) => Some((size, stored)),
        (Growth::Filled, found) => {
            let file = File::open(path).ok()?;
            let mut missing = 0;
            each_piece(&file, 0, found?.len(), false, &mut |piece| {
                missing += if piece.kind == PieceKind::Hole { piece.to - piece.from } else { 0 };
                true
            })
            .ok()?;
            (missing > 0).then_some((missing, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_error_needs_a_full_file_system() {
        let told = |free| {
            let room = FileRoom { size: 40 << 20, free };
            room.explain(ErrorKind::StorageFull.into(), "").to_string()
        };
        for nearly in [39, 40, 45] {
            assert!(told(Some(nearly << 20)).starts_with("the file system is full"), "{nearly}");
        }
        assert!(told(None).starts_with("the file system is full"));
        let refused = told(Some(300 << 20));
        assert!(refused.contains("though 300 MiB were free: a project quota or a thin pool"), "{refused}");
    }
}
