//! Named events between the processes of one machine.
//!
//! An event is a small file in the shared memory of the machine (`/dev/shm`): empty = not set, one byte or
//! more = set. The kernel's file notification wakes waiting processes, so no polling is necessary. A shell
//! script can check an event with `[ -s file ]` and set it with `echo > file`. A futex in mapped memory is
//! unsuitable, because any writer of the file could truncate it, which kills the processes that have it
//! mapped.
//!
//! Every process with an open event holds a shared lock on its file, which the kernel releases at the end
//! of the process. An event without a lock is a leftover, and the next process to open it resets it. An
//! event therefore lives while a process has it open, as on Windows, and a leftover cannot start the next
//! run. The last process to close it removes its file, if the folder permits, under an exclusive lock. A
//! process that opened the file in the meantime detects the missing name, and opens or creates the next
//! file.

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::{self, AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, inotify};
use rustix::io::Errno;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Directory of events: the file system that every Linux has for shared memory, cleared by a restart of the
/// machine.
const DIRECTORY: &str = "/dev/shm";
const PREFIX: &str = "diskspd.event.";
const MODE: Mode = Mode::from_raw_mode(0o666);
/// Linux's maximum length of a file name in bytes.
const NAME_MAX: usize = 255;
/// Maximum size in bytes that a shell may write to set an event; a longer file is not an event.
const MAX_EVENT_BYTES: i64 = 4096;
/// Maximum wait for another process that is opening the same event.
const MAX_OPEN_WAIT: Duration = Duration::from_secs(2);

#[derive(Debug, thiserror::Error)]
pub enum EventError {
    #[error("the event has no name; append one to the option, for example -yrstart")]
    NoName,
    /// The name is too long for a file.
    #[error("the event's name is too long: {0} bytes as a file name in {DIRECTORY}, at most {NAME_MAX}")]
    TooLong(usize),
    #[error(
        "there is no such event: it exists only while a run that names it (-ys, -yf, -yr, -yp) or `diskspd \
         event wait` is running"
    )]
    Missing,
    #[error(
        "no permission to use {}: its owner does not share it; choose another name, or run as that user",
        .0.display()
    )]
    Permission(PathBuf),
    #[error(
        "{} is not an event (a link, a directory, a device, a file with several names or content, or another \
         user's unshared file); remove it, or choose another name",
        .0.display()
    )]
    NoEvent(PathBuf),
    /// The lock is held for longer than an open takes.
    #[error("{} is locked by another program; stop that, or choose another name", .0.display())]
    Locked(PathBuf),
    #[error("{}: {doing}: {source}", path.display())]
    Kernel { path: PathBuf, doing: &'static str, source: io::Error },
}

#[derive(Debug)]
pub struct Event {
    path: PathBuf,
    file: OwnedFd,
    /// Readable after a write to the file.
    changes: OwnedFd,
}

impl Event {
    /// Opens the event of this name. If no process has it open, creates it in the unset state.
    ///
    /// # Errors
    /// Fails with all errors except [`EventError::Missing`].
    pub fn open(name: &[u8]) -> Result<Event, EventError> {
        Event::open_at(&path(Path::new(DIRECTORY), name)?, true)
    }

    /// Opens the event of this name that another process has open.
    ///
    /// # Errors
    /// Fails with [`EventError::Missing`] if no process has it open, and with all other errors.
    pub fn open_existing(name: &[u8]) -> Result<Event, EventError> {
        Event::open_at(&path(Path::new(DIRECTORY), name)?, false)
    }

    fn open_at(path: &Path, create: bool) -> Result<Event, EventError> {
        loop {
            if let Some(event) = Event::try_open(path, create)? {
                return Ok(event);
            }
        }
    }

    fn try_open(path: &Path, create: bool) -> Result<Option<Event>, EventError> {
        let fail = |doing| move |error: Errno| kernel_error(path, doing, error);
        let file = open_file(path, create)?;
        // Alone with it: it's left over. Nobody can have set it anew before we have changed to the shared
        // lock. Reset even when it's not for us: somebody who opens it at this moment takes us for its
        // user.
        match fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {
                fs::ftruncate(&file, 0).map_err(fail("resetting it"))?;
                if !create {
                    remove(path, &file);
                    return Err(EventError::Missing);
                }
            }
            Err(Errno::WOULDBLOCK) => {}
            Err(error) => return Err(kernel_error(path, "locking it", error)),
        }
        let began = Instant::now();
        while let Err(error) = fs::flock(&file, FlockOperation::NonBlockingLockShared) {
            match error {
                Errno::WOULDBLOCK if began.elapsed() < MAX_OPEN_WAIT => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Errno::WOULDBLOCK => return Err(EventError::Locked(path.to_owned())),
                error => return Err(kernel_error(path, "locking it", error)),
            }
        }
        // With the lock it cannot be removed any more; before, it could.
        if fs::fstat(&file).map_err(fail("inspecting it"))?.st_nlink == 0 {
            return Ok(None);
        }
        let changes = inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK)
            .map_err(fail("watching it"))?;
        // By the open file, not by its name: that may lead to another one by now.
        let itself = super::anchor::descriptor_path(&file);
        inotify::add_watch(&changes, itself, inotify::WatchFlags::MODIFY).map_err(fail("watching it"))?;
        Ok(Some(Event { path: path.to_owned(), file, changes }))
    }

    pub fn is_set(&self) -> Result<bool, EventError> {
        let found = fs::fstat(&self.file).map_err(|e| kernel_error(&self.path, "inspecting it", e))?;
        Ok(found.st_size > 0)
    }

    /// Sets the event; all waiting processes continue.
    pub fn set(&self) -> Result<(), EventError> {
        let written = rustix::io::pwrite(&self.file, b"1", 0);
        written.map(|_| ()).map_err(|e| kernel_error(&self.path, "setting it", e))
    }

    /// Resets the event, so that later waits block.
    pub fn reset(&self) -> Result<(), EventError> {
        fs::ftruncate(&self.file, 0).map_err(|e| kernel_error(&self.path, "resetting it", e))
    }

    /// Waits until it is set, but no longer than `limit`; returns whether it is set. Only one thread at a
    /// time may wait on the same [`Event`]: concurrent waits take each other's notifications, and then
    /// wait for their limit.
    pub fn wait(&self, limit: Duration) -> Result<bool, EventError> {
        self.wait_unless(limit, None)
    }

    /// Waits as [`Event::wait`]; a cancellation ends the wait without the event.
    pub fn wait_unless(&self, limit: Duration, off: Option<&WaitCancel>) -> Result<bool, EventError> {
        let fail = |error| kernel_error(&self.path, "waiting for it", error);
        let deadline = Instant::now() + limit;
        loop {
            // Pending notifications are read before the check, so that no later change is missed.
            self.forget_changes().map_err(fail)?;
            if self.is_set()? {
                return Ok(true);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            let timeout = Timespec::try_from(left).map_err(|_| fail(Errno::INVAL))?;
            let off = off.map_or(&self.changes, |off| &off.0);
            let mut waited = [&self.changes, off].map(|file| PollFd::new(file, PollFlags::IN));
            match poll(&mut waited, Some(&timeout)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(fail(error)),
            }
            if !std::ptr::eq(off, &self.changes) && !waited[1].revents().is_empty() {
                return self.is_set();
            }
        }
    }

    fn forget_changes(&self) -> Result<(), Errno> {
        let mut notifications = [0; 4096];
        loop {
            match rustix::io::read(&self.changes, &mut notifications) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }
}

/// Cancellation of waits, from another thread.
#[derive(Debug)]
pub struct WaitCancel(OwnedFd);

impl WaitCancel {
    /// Creates it for any number of waits.
    pub fn new() -> io::Result<WaitCancel> {
        Ok(WaitCancel(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    pub fn call(&self) {
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // If two close it at the same time, one gets the lock. The other finds it removed.
        if fs::flock(&self.file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            remove(&self.path, &self.file);
        }
        // A process that is being started may have the file open for a moment longer, and with it the lock.
        let _ = fs::flock(&self.file, FlockOperation::Unlock);
    }
}

/// Removes the file of an event under its exclusive lock. If the name now belongs to another file, that
/// file stays. In a sticky folder another user's file also stays, without being set.
fn remove(path: &Path, file: &OwnedFd) {
    let identity = |found: fs::Stat| (found.st_dev, found.st_ino);
    let named = fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).map(identity);
    if named.is_ok() && named == fs::fstat(file).map(identity) && fs::unlink(path).is_err() {
        let _ = fs::ftruncate(file, 0);
    }
}

/// Returns the file of an event. Bytes of its name other than letters, digits, `_` and `-` become `%` and
/// two hexadecimal digits, so that files are distinct and every name stays in the directory.
fn path(directory: &Path, name: &[u8]) -> Result<PathBuf, EventError> {
    if name.is_empty() {
        return Err(EventError::NoName);
    }
    let mut file = PREFIX.to_owned();
    for &byte in name {
        match byte {
            b'_' | b'-' => file.push(byte.into()),
            byte if byte.is_ascii_alphanumeric() => file.push(byte.into()),
            byte => file.push_str(&format!("%{byte:02X}")),
        }
    }
    if file.len() > NAME_MAX {
        return Err(EventError::TooLong(file.len()));
    }
    Ok(directory.join(file))
}

/// Opens the file of an event, or makes it. An existing one is opened without `O_CREAT`, which the kernel
/// may refuse for other people's files in such a directory (`fs.protected_regular`).
fn open_file(path: &Path, create: bool) -> Result<OwnedFd, EventError> {
    // Without O_NONBLOCK, opening a pipe of that name would wait.
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = loop {
        match fs::open(path, flags, Mode::empty()) {
            Err(Errno::NOENT) if create => match make_file(path) {
                Err(Errno::EXIST) => {}
                made => break made,
            },
            other => break other,
        }
    };
    let file = opened.map_err(|error| match error {
        Errno::NOENT if !create => EventError::Missing,
        Errno::LOOP | Errno::ISDIR | Errno::NXIO => EventError::NoEvent(path.to_owned()),
        Errno::ACCESS | Errno::PERM => EventError::Permission(path.to_owned()),
        error => kernel_error(path, "opening it", error),
    })?;
    let found = fs::fstat(&file).map_err(|e| kernel_error(path, "inspecting it", e))?;
    if !is_event(&found) {
        return Err(EventError::NoEvent(path.to_owned()));
    }
    Ok(file)
}

/// Whether an open file may be an event, checked before any change. All users may create files of this
/// name here, including hard links to other users' files, which would be truncated.
fn is_event(found: &fs::Stat) -> bool {
    let mode = Mode::from_raw_mode(found.st_mode);
    let ours = found.st_uid == rustix::process::geteuid().as_raw();
    FileType::from_raw_mode(found.st_mode) == FileType::RegularFile
        && found.st_nlink <= 1
        && found.st_size <= MAX_EVENT_BYTES
        // Other people's events are made to be shared; what isn't is something else.
        && (ours || mode & Mode::from_raw_mode(0o7777) == MODE)
}

/// Creates the file with its final mode, regardless of the umask; it gets its name only then.
fn make_file(path: &Path) -> Result<OwnedFd, Errno> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let file = fs::open(directory, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, MODE)?;
    fs::fchmod(&file, MODE)?;
    let itself = super::anchor::descriptor_path(&file);
    fs::linkat(CWD, itself, CWD, path, AtFlags::SYMLINK_FOLLOW)?;
    Ok(file)
}

fn kernel_error(path: &Path, doing: &'static str, error: Errno) -> EventError {
    EventError::Kernel { path: path.to_owned(), doing, source: error.into() }
}

#[cfg(test)]
mod tests;
