//! File preparation (`-c`): the file exists, has exactly the size, and every byte of it was really written. Space
//! that is only allocated, or a hole, would be read without asking the device.

mod fill;

use crate::sys::problem::{Problem, TargetError};
use crate::sys::{extents, files};
use crate::system::target;
use rustix::fs::{Advice, FallocateFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

/// Held by the thread that looks at the free space and takes of it.
static ALLOCATING: Mutex<()> = Mutex::new(());

/// A file to be prepared.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// Where. Missing directories of an absolute path are created. An existing link to a file is followed, one that
    /// leads nowhere is an error: nothing is created at a place that was not named.
    pub path: &'a Path,
    /// Exact size, bytes; 0 makes an empty file.
    pub size: u64,
    /// Filled with zeros instead of the pattern, whose byte at offset x is `x & 0xFF`.
    pub zero: bool,
    /// Written anew even if it is there already, written in full.
    pub recreate: bool,
}

/// What was done, for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prepared {
    /// It was there with this size, all of it written; its content was not looked at.
    Kept,
    /// It did not exist.
    Created,
    /// It existed and was truncated and written anew.
    Rewritten(Why),
}

/// Why an existing file was written anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It was asked for.
    Asked,
    /// It had another size, bytes.
    Size(u64),
    /// It had holes, or parts that were allocated but not written.
    Unwritten,
    /// The file system can't tell whether it was written in full (tmpfs, network file systems).
    Unknown,
}

impl fmt::Display for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Prepared::Kept => f.write_str("kept: it has this size, and all of it is written"),
            Prepared::Created => f.write_str("created"),
            Prepared::Rewritten(Why::Asked) => f.write_str("written anew, as asked"),
            Prepared::Rewritten(Why::Size(size)) => write!(f, "written anew: it had {size} bytes"),
            Prepared::Rewritten(Why::Unwritten) => {
                f.write_str("written anew: parts of it were never written")
            }
            Prepared::Rewritten(Why::Unknown) => {
                f.write_str("written anew: its file system can't tell whether it was written in full")
            }
        }
    }
}

/// Why a file could not be prepared, and what became of it.
#[derive(Debug, thiserror::Error)]
#[error("{}: the file was not prepared: {reason}; {state}", path.display())]
pub struct PrepareError {
    /// As the user gave it.
    pub path: PathBuf,
    /// What went wrong, and what to do.
    pub reason: Reason,
    /// What is there now.
    pub state: State,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// The path can't be used.
    #[error("{0}")]
    Target(Problem),
    /// `ENOSPC`
    #[error(
        "the file system is full: {size} bytes are needed, {free} were free; choose a smaller -c, or make room"
    )]
    Full {
        /// Bytes asked for.
        size: u64,
        /// Bytes that were free for this user before.
        free: u64,
    },
    /// `EDQUOT`
    #[error(
        "the disk quota of this user is used up, {size} bytes are needed; choose a smaller -c, or make room"
    )]
    Quota {
        /// Bytes asked for.
        size: u64,
    },
    /// `EFBIG`
    #[error("{size} bytes are more than a file can have on this file system; choose a smaller -c")]
    TooLarge {
        /// Bytes asked for.
        size: u64,
    },
    /// `RLIMIT_FSIZE`
    #[error("{size} bytes are more than the limit of {limit} that the shell sets for files; see ulimit -f")]
    Limit {
        /// Bytes asked for.
        size: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The stop flag was set.
    #[error("stopped")]
    Stopped,
    /// Anything else.
    #[error("can't {doing}: {source}")]
    Kernel {
        /// What was being done.
        doing: &'static str,
        /// What the kernel answered.
        source: io::Error,
    },
}

/// What is at the path after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// What was there before, if anything.
    Untouched,
    /// Nothing: the unfinished file was created here, and removed again.
    Removed,
    /// A file that existed before; what it held is gone.
    Unfinished,
    /// The unfinished file was created here and could not be removed.
    LeftOver,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Untouched => "nothing was changed",
            State::Removed => "the unfinished file was removed again",
            State::Unfinished => {
                "the file existed before, its former content is overwritten, and it is unfinished"
            }
            State::LeftOver => "the unfinished file could not be removed",
        })
    }
}

/// Prepares a file. `progress` gets (bytes done, bytes in all), at most some ten times a second; `stop` ends the work
/// between two blocks.
///
/// A file that this call created is removed again when it fails or is stopped; one that existed is left unfinished.
///
/// # Errors
/// See [`Reason`]. Devices, directories and the like are errors: callers leave them out.
pub fn prepare(
    order: &Order<'_>,
    progress: &mut dyn FnMut(u64, u64),
    stop: &AtomicBool,
) -> Result<Prepared, PrepareError> {
    let untouched = |reason| PrepareError { path: order.path.to_owned(), reason, state: State::Untouched };
    // Beyond it the kernel sends a signal that ends the process.
    if let Some(limit) = rustix::process::getrlimit(rustix::process::Resource::Fsize).current
        && order.size > limit
    {
        return Err(untouched(Reason::Limit { size: order.size, limit }));
    }
    // Offsets in files are signed.
    if i64::try_from(order.size).is_err() {
        return Err(untouched(Reason::TooLarge { size: order.size }));
    }
    let (file, created) = open(order.path).map_err(|error| untouched(Reason::Target(error.problem)))?;
    let outcome = if created {
        Prepared::Created
    } else {
        match why_rewrite(order, &file).map_err(untouched)? {
            Some(why) => Prepared::Rewritten(why),
            None => Prepared::Kept,
        }
    };
    if outcome != Prepared::Kept {
        write(order, &file, progress, stop).map_err(|reason| {
            let state = match (created, created && remove(order.path, &file)) {
                (false, _) => State::Unfinished,
                (true, true) => State::Removed,
                (true, false) => State::LeftOver,
            };
            PrepareError { path: order.path.to_owned(), reason, state }
        })?;
    }
    // The run is to read from the device. That some pages can stay, being locked by others, is not worth failing for.
    let _ = rustix::fs::fadvise(&file, 0, None, Advice::DontNeed);
    Ok(outcome)
}

/// Opens the file for writing, or creates it; tells which.
fn open(path: &Path) -> Result<(File, bool), TargetError> {
    let fail = |error: Errno| TargetError::from_io(path, "open it", "write", error);
    match files::look(path).map(|found| FileType::from_raw_mode(found.st_mode)) {
        Ok(FileType::RegularFile) => {
            let file =
                rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty()).map_err(fail)?;
            return Ok((file.into(), false));
        }
        Ok(FileType::BlockDevice) => return Err(TargetError::new(path, Problem::Device)),
        Ok(FileType::Directory) => return Err(TargetError::new(path, Problem::Directory)),
        Ok(_) => return Err(TargetError::new(path, Problem::NotAFile)),
        Err(TargetError { problem: Problem::Missing, .. }) => {}
        Err(error) => return Err(error),
    }
    if let Some(directory) = path.parent().filter(|_| path.is_absolute()) {
        std::fs::create_dir_all(directory)
            .map_err(|error| TargetError::from_io(directory, "create the directory", "write", error))?;
    }
    // Exclusively: so it's certain that the file is ours to remove, and that no link is followed.
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::from_raw_mode(0o666)).map_err(|error| match error {
        Errno::NOENT => TargetError::new(path, Problem::NoParent),
        error => fail(error),
    })?;
    Ok((file.into(), true))
}

/// Why an existing file doesn't do as it is; `None` = it does.
fn why_rewrite(order: &Order<'_>, file: &File) -> Result<Option<Why>, Reason> {
    let fail = |source| Reason::Kernel { doing: "look at the file", source };
    let size = file.metadata().map_err(fail)?.len();
    if order.recreate {
        return Ok(Some(Why::Asked));
    }
    if size != order.size {
        return Ok(Some(Why::Size(size)));
    }
    match extents::all_written(file.as_fd(), size) {
        Ok(true) => Ok(None),
        Ok(false) => Ok(Some(Why::Unwritten)),
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::EOPNOTSUPP | libc::ENOTTY | libc::EINVAL | libc::EBADR)
            ) =>
        {
            Ok(Some(Why::Unknown))
        }
        Err(error) => Err(fail(error)),
    }
}

/// Truncates, allocates, writes, and flushes.
fn write(
    order: &Order<'_>,
    file: &File,
    progress: &mut dyn FnMut(u64, u64),
    stop: &AtomicBool,
) -> Result<(), Reason> {
    // Not all user-space file systems can truncate a file that is open for writing only; a new one needn't be.
    if file.metadata().map_or(true, |found| found.len() > 0) {
        file.set_len(0).map_err(|source| Reason::Kernel { doing: "truncate the file", source })?;
    }
    // Known only before: a failed allocation keeps what it got. One file after the other, so that what is told to have
    // been free isn't what another file has taken meanwhile.
    let allocating = ALLOCATING.lock().unwrap_or_else(PoisonError::into_inner);
    let free = rustix::fs::fstatvfs(file).map_or(0, |found| found.f_bavail.saturating_mul(found.f_frsize));
    let fail = |doing, source: io::Error| match source.raw_os_error() {
        Some(libc::ENOSPC) => Reason::Full { size: order.size, free },
        Some(libc::EDQUOT) => Reason::Quota { size: order.size },
        Some(libc::EFBIG) => Reason::TooLarge { size: order.size },
        _ => Reason::Kernel { doing, source },
    };
    if order.size > 0 {
        loop {
            match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, order.size) {
                Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => break,
                Err(Errno::INTR) if !stop.load(std::sync::atomic::Ordering::Relaxed) => {}
                Err(Errno::INTR) => return Err(Reason::Stopped),
                Err(error) => return Err(fail("allocate space", error.into())),
            }
        }
    }
    drop(allocating);
    let direct = open_direct(order.path, file);
    let job = fill::Job { file, direct: direct.as_ref().map(|(file, align)| (file, *align)), order, stop };
    fill::fill(&job, progress).map_err(|error| match error {
        fill::Error::Stopped => Reason::Stopped,
        fill::Error::Io(source) => fail("write the file", source),
    })?;
    file.sync_data().map_err(|source| fail("flush the file to the device", source))
}

/// The file a second time, past the page cache, and what offsets and lengths have to be multiples of, bytes; `None` =
/// its file system can't, or the path leads to another file by now.
fn open_direct(path: &Path, file: &File) -> Option<(File, u64)> {
    let direct =
        rustix::fs::open(path, OFlags::WRONLY | OFlags::DIRECT | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let direct = File::from(direct);
    let needed = target::probe(path).ok()?.direct?.offset;
    (needed > 0 && same(&direct.metadata().ok()?, &file.metadata().ok()?)).then_some((direct, needed.into()))
}

/// Removes the file, if it's still the one at the path.
fn remove(path: &Path, file: &File) -> bool {
    let ours = match (std::fs::symlink_metadata(path), file.metadata()) {
        (Ok(there), Ok(file)) => same(&there, &file),
        _ => false,
    };
    ours && std::fs::remove_file(path).is_ok()
}

fn same(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}
