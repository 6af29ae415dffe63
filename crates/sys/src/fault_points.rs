//! The steps that change files of the history. A simulation (docs/design/simulation.md) can end a program
//! before any step, fill the disk, switch to another program, and supply random numbers. Without a simulation
//! a step only checks a variable of the thread.

use std::cell::RefCell;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileStep {
    MakeFolder,
    /// Creates a file without a name.
    MakeUnnamed,
    MakeNamed,
    /// Creation of a file in the folder for temporary files, if it cannot be in its place.
    MakeElsewhere,
    Write,
    /// Waits until a file is durable.
    Sync,
    /// Locks a file.
    Lock,
    /// Gives a file its first name.
    Link,
    Rename,
    Remove,
    /// Waits until the names in a folder are durable.
    SyncFolder,
    Open,
    Look,
    List,
    Connect,
    /// Starts a write to the database.
    Begin,
    Commit,
}

pub trait FaultInjector {
    /// Called before the next step.
    ///
    /// # Errors
    /// Fails if the step must not be done; the thread continues as with a kernel error.
    fn before_step(&self, step: FileStep) -> io::Result<()>;

    /// The whole file, or all names in a folder, are durable now: a power cut loses nothing.
    fn synced(&self, _what: &File) {}

    fn random(&self) -> u64;

    /// Returns the wall clock's lead over the kernel's clock in ns; negative if it lags.
    fn ahead_ns(&self) -> i64;

    fn is_waiting(&self) -> bool;
}

thread_local! {
    static WATCHER: RefCell<Option<Rc<dyn FaultInjector>>> = const { RefCell::new(None) };
}

/// Sets the watcher of this thread's steps; `None` = no watcher.
pub fn watch(watcher: Option<Rc<dyn FaultInjector>>) {
    WATCHER.with(|cell| cell.replace(watcher));
}

fn current_watcher() -> Option<Rc<dyn FaultInjector>> {
    // A thread that ends has none any more.
    WATCHER.try_with(|cell| cell.borrow().clone()).ok().flatten()
}

/// Announces the next step.
///
/// # Errors
/// Fails with the watcher's error; the step must not be done.
pub fn check_step(step: FileStep) -> io::Result<()> {
    current_watcher().map_or(Ok(()), |watcher| watcher.before_step(step))
}

/// Whether the watcher waits for foreign database locks, in simulated time.
pub fn is_watched() -> bool {
    current_watcher().is_some()
}

pub fn waits() -> bool {
    current_watcher().is_some_and(|watcher| watcher.is_waiting())
}

pub fn pause(time: Duration) -> bool {
    current_watcher().map_or_else(
        || {
            std::thread::sleep(time);
            true
        },
        |watcher| watcher.is_waiting(),
    )
}

/// Returns the wall clock's lead over the kernel's clock in ns; 0 without a watcher.
pub(crate) fn ahead_ns() -> i64 {
    current_watcher().map_or(0, |watcher| watcher.ahead_ns())
}

/// Returns an unpredictable number, keyed by the kernel's random numbers on each call.
pub fn random() -> u64 {
    current_watcher().map_or_else(|| RandomState::new().build_hasher().finish(), |watcher| watcher.random())
}

/// Writes all bytes; a watcher may end the program after half of them.
pub fn write_all(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let half = if is_watched() { bytes.len() / 2 } else { 0 };
    let (first, second) = bytes.split_at(half);
    check_step(FileStep::Write)?;
    file.write_all(first)?;
    check_step(FileStep::Write)?;
    file.write_all(second)
}

/// Waits until a file is durable.
pub fn sync_all(file: &File) -> io::Result<()> {
    check_step(FileStep::Sync)?;
    file.sync_all()?;
    synced(file);
    Ok(())
}

/// Reports that a file or folder is durable.
pub(crate) fn synced(what: &File) {
    if let Some(watcher) = current_watcher() {
        watcher.synced(what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    struct Steps(Cell<u32>);

    impl FaultInjector for Steps {
        fn before_step(&self, _: FileStep) -> io::Result<()> {
            let left = self.0.get().checked_sub(1);
            self.0.set(left.unwrap_or(0));
            left.map(drop).ok_or_else(|| io::ErrorKind::StorageFull.into())
        }

        fn random(&self) -> u64 {
            4
        }

        fn ahead_ns(&self) -> i64 {
            -7
        }

        fn is_waiting(&self) -> bool {
            true
        }
    }

    #[test]
    fn fault_watcher_can_end_a_write_halfway() {
        let written = |steps: Option<u32>| {
            watch(steps.map(|steps| Rc::new(Steps(Cell::new(steps))) as Rc<dyn FaultInjector>));
            let mut file = tempfile::tempfile().unwrap();
            let all = write_all(&mut file, b"1234567").is_ok();
            (all, file.metadata().unwrap().len())
        };
        assert_eq!(written(Some(0)), (false, 0));
        assert_eq!(written(Some(1)), (false, 3));
        assert_eq!(written(Some(2)), (true, 7));
        assert_eq!((random(), ahead_ns(), waits()), (4, -7, true));
        assert_eq!(written(None), (true, 7));
        assert_eq!((ahead_ns(), waits()), (0, false));
        assert_ne!(random(), random());
    }
}
