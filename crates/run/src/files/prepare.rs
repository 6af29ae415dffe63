//! File preparation (`-c`): the file exists, has exactly the size, and every byte of it was really written.
//! Space that is only allocated, or a hole, would be read without asking the device.

mod fill;
mod order;
mod outcome;
mod sample;
mod space;

pub use outcome::{Preparation, PrepareError, Reason, RewriteReason, State};
pub use space::{Growth, all_fit};

use diskspd_host::claims::{self, ClaimError};
use diskspd_host::refusal::planted_refusal;
use diskspd_host::target;
use diskspd_sys::free_space::SizeChange;
use diskspd_sys::inode::{self, Kind};
use diskspd_sys::mutex::LockUnpoisoned;
use diskspd_sys::reach::{self, LastName, ReachError, ReachedObject, reach};
use diskspd_sys::target_error::{TargetError, TargetErrorKind};
use diskspd_sys::{extents, files, page_cache};
pub use order::FileOrder;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

static ALLOCATING: Mutex<()> = Mutex::new(());

/// Prepares a file. `progress` gets (completed bytes, total bytes) at most about ten times a second;
/// `stop` ends the work between two blocks.
///
/// A newly created file is removed after failure or stop. An existing file is only changed if the order
/// can be satisfied, and never keeps unwritten space, see [`State`].
///
/// # Errors
/// Fails for devices, directories and similar objects; callers omit them.
pub fn prepare(
    order: &FileOrder<'_>,
    progress: &mut dyn FnMut(u64, u64),
    stop: &AtomicBool,
) -> Result<Preparation, PrepareError> {
    let untouched = |reason| PrepareError { path: order.path.to_owned(), reason, state: State::Untouched };
    space::within_limits(order.size).map_err(untouched)?;
    let (file, created) = open(order.path).map_err(untouched)?;
    let outcome = if created {
        Preparation::Created
    } else {
        match why_rewrite(order, &file).map_err(untouched)? {
            Some(why) => Preparation::Rewritten(why),
            None => Preparation::Kept,
        }
    };
    if outcome != Preparation::Kept {
        write(order, &file, progress, stop).map_err(|UnfinishedFile { reason, written }| {
            let state = match (created, written) {
                (true, _) if remove(order.path, &file) => State::Removed,
                (true, _) => State::LeftOver,
                (false, None) => State::Untouched,
                (false, Some(written)) => cut_off(&file, written),
            };
            PrepareError { path: order.path.to_owned(), reason, state }
        })?;
    }
    // The run is to read from the device.
    page_cache::release(&file);
    Ok(outcome)
}

/// Opens the file, or creates it. The kind is that of the object that is opened: its name may change at any
/// moment.
fn open(path: &Path) -> Result<(File, bool), Reason> {
    match reach(path, LastName::Followed) {
        Ok(ReachedObject::FolderEntry(spot)) => match spot.kind() {
            Some(kind) => open_existing(path, kind, || spot.open_to_write()),
            None => create(path),
        },
        Ok(ReachedObject::Descriptor(_)) => {
            open_existing(path, files::kind(path)?, || File::options().write(true).open(path))
        }
        Err(ReachError::Directory) => Err(Reason::Target(TargetErrorKind::Directory)),
        Err(error) => match planted_refusal(path, &error) {
            Some(refusal) => Err(ClaimError::Refused(refusal).into()),
            // The reason is that of the lookup.
            None => create(path),
        },
    }
}

fn open_existing(
    path: &Path,
    kind: Kind,
    opening: impl FnOnce() -> io::Result<File>,
) -> Result<(File, bool), Reason> {
    match kind {
        Kind::File => {}
        Kind::BlockDevice => return Err(Reason::Target(TargetErrorKind::Device)),
        Kind::Directory => return Err(Reason::Target(TargetErrorKind::Directory)),
        _ => return Err(Reason::Target(TargetErrorKind::NotAFile)),
    }
    let fail = |error: io::Error| TargetError::from_io(path, "open it", "write", error);
    let file = opening().map_err(fail)?;
    claims::permit_file(path, &file)?;
    Ok((file, false))
}

fn create(path: &Path) -> Result<(File, bool), Reason> {
    match files::kind(path) {
        Ok(_) => return Err(Reason::Target(TargetErrorKind::Changed)),
        Err(TargetError { problem: TargetErrorKind::Missing, .. }) => {}
        Err(error) => return Err(error.into()),
    }
    // Exclusively: so it's certain that the file is ours to remove, and that no link is followed.
    let created = reach::spot(path).map_err(io::Error::from).and_then(|spot| spot.create_new());
    Ok((created.map_err(|error| creation_error(path, error))?, true))
}

fn creation_error(path: &Path, error: io::Error) -> Reason {
    match error.kind() {
        io::ErrorKind::NotFound => Reason::Target(TargetErrorKind::NoParent),
        _ => TargetError::from_io(path, "open it", "write", error).into(),
    }
}

/// Returns the reason why an existing file is not suitable; `None` = it is.
fn why_rewrite(order: &FileOrder<'_>, file: &File) -> Result<Option<RewriteReason>, Reason> {
    let fail = |source| Reason::Kernel { doing: "inspect the file", source };
    let size = file.metadata().map_err(fail)?.len();
    if order.recreate {
        return Ok(Some(RewriteReason::Asked));
    }
    if size != order.size {
        return Ok(Some(RewriteReason::Size(size)));
    }
    match extents::all_written(file, size) {
        // One that can't be read is left to the run to complain about.
        Ok(true) => Ok(sample::take(&files::path_of_open(order.path, file), size)
            .is_ok_and(|sample| sample.contradicts(order.zero))
            .then_some(RewriteReason::Content { zero: order.zero })),
        Ok(false) => Ok(Some(RewriteReason::Unwritten)),
        Err(error) if extents::cannot_tell(&error) => Ok(Some(RewriteReason::Unknown)),
        Err(error) => Err(fail(error)),
    }
}

struct UnfinishedFile {
    reason: Reason,
    /// Valid bytes at the beginning; `None` = the file is unchanged.
    written: Option<u64>,
}

fn write(
    order: &FileOrder<'_>,
    file: &File,
    progress: &mut dyn FnMut(u64, u64),
    stop: &AtomicBool,
) -> Result<(), UnfinishedFile> {
    let before = |reason| UnfinishedFile { reason, written: None };
    let kernel = |doing, source| Reason::Kernel { doing, source };
    let found = file.metadata().map_err(|error| before(kernel("inspect the file", error)))?;
    // One file after the other, so that no two count on the same space.
    let allocating = ALLOCATING.lock_anyway();
    let room = space::check(file, &found, order.size, stop).map_err(before)?;
    if stop.load(Ordering::Relaxed) {
        return Err(before(Reason::Stopped));
    }
    // Not all user-space file systems can truncate a file that is open for writing only; a new one needn't
    // be.
    if found.len() > 0 {
        file.set_len(0).map_err(|error| before(kernel("truncate the file", error)))?;
    }
    let fail = |doing, error: io::Error| room.explain(error, doing);
    // What a failed allocation got, it keeps; and a full file system is a trouble to everybody on it.
    let emptied = |reason| UnfinishedFile { reason, written: Some(0) };
    space::allocate(file, SizeChange::Grows, 0, order.size, stop)
        .map_err(|error| emptied(fail("allocate space", error)))?;
    drop(allocating);
    let direct = open_direct(&files::path_of_open(order.path, file), file);
    let job = fill::Job { file, direct: direct.as_ref().map(|(file, align)| (file, *align)), order, stop };
    fill::fill(&job, progress).map_err(|fill::FillFailed { error, written }| match error {
        None => UnfinishedFile { reason: Reason::Stopped, written: Some(written) },
        Some(error) => match fail("write the file", error) {
            reason @ (Reason::Full { .. } | Reason::Refused { .. } | Reason::Quota { .. }) => emptied(reason),
            reason => UnfinishedFile { reason, written: Some(written) },
        },
    })?;
    // After an error the content of the device is unknown.
    file.sync_data().map_err(|error| emptied(fail("flush the file to the device", error)))
}

/// Releases the space of an existing file that was not written.
fn cut_off(file: &File, written: u64) -> State {
    let _ = file.set_len(written);
    State::Unfinished { size: file.metadata().map_or(written, |found| found.len()) }
}

/// Reopens the file without the page cache, and returns the required alignment in bytes. `None` if the
/// file system does not support it, or the path leads to another file.
fn open_direct(path: &Path, file: &File) -> Option<(File, u64)> {
    let direct = files::open_direct(path).ok()?;
    let needed = target::probe(path).ok()?.direct?.offset;
    (needed > 0 && same_file(&direct.metadata().ok()?, &file.metadata().ok()?))
        .then_some((direct, needed.into()))
}

/// Removes the file if the path still leads to it.
fn remove(path: &Path, file: &File) -> bool {
    let ours = match (std::fs::symlink_metadata(path), file.metadata()) {
        (Ok(there), Ok(file)) => same_file(&there, &file),
        _ => false,
    };
    ours && std::fs::remove_file(path).is_ok()
}

fn same_file(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    inode::identity(a) == inode::identity(b)
}
