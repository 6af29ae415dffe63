//! Unfinished files and private folders. A signal that ends the program removes them.

use super::mutex::LockUnpoisoned;
use std::fmt;
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::time::Duration;

/// Maximum time of all removals, and before them of unfinished creations. Unresponsive storage can block
/// both.
const REMOVAL_TIME: Duration = Duration::from_secs(1);

pub(crate) static LEFTOVERS: Leftovers = Leftovers::new();

pub(crate) type Removal = Box<dyn FnOnce() + Send>;

/// Files and folders to remove. A signal finds each of them either registered or not yet created.
pub(crate) struct Leftovers {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    removals: Vec<(u64, Removal)>,
    last_number: u64,
    /// Number of creations that have begun and are not registered yet.
    creations: usize,
    /// The program ends: nothing more is created.
    is_closed: bool,
}

/// Registration of a file or folder, until dropped.
pub(crate) struct Leftover {
    number: u64,
    registry: &'static Leftovers,
}

impl Leftovers {
    const fn new() -> Leftovers {
        let state = State { removals: Vec::new(), last_number: 0, creations: 0, is_closed: false };
        Leftovers { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Creates an object and registers its removal. A program that ends does not return from this call.
    ///
    /// # Errors
    /// Those of `make`.
    pub(crate) fn create<T, E>(
        &'static self,
        make: impl FnOnce() -> Result<(T, Removal), E>,
    ) -> Result<(T, Leftover), E> {
        let is_closed = |state: &mut State| state.is_closed;
        let waited = self.changed.wait_while(self.state.lock_anyway(), is_closed);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        state.creations += 1;
        drop(state);
        let made = make();
        let mut state = self.state.lock_anyway();
        state.creations -= 1;
        let created = made.map(|(object, removal)| {
            state.last_number += 1;
            let number = state.last_number;
            state.removals.push((number, removal));
            (object, Leftover { number, registry: self })
        });
        drop(state);
        self.changed.notify_all();
        created
    }

    /// Ends all creations and removes all registered files. Returns after twice [`REMOVAL_TIME`] in
    /// any case.
    pub(crate) fn remove_all(&self) {
        let mut state = self.state.lock_anyway();
        state.is_closed = true;
        let is_creating = |state: &mut State| state.creations > 0;
        let waited = self.changed.wait_timeout_while(state, REMOVAL_TIME, is_creating);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let removals = std::mem::take(&mut state.removals);
        drop(state);
        if removals.is_empty() {
            return;
        }
        let (report, reported) = mpsc::channel();
        let remove = move || {
            removals.into_iter().for_each(|(_, removal)| removal());
            let _ = report.send(());
        };
        if std::thread::Builder::new().name("removal".into()).spawn(remove).is_ok() {
            let _ = reported.recv_timeout(REMOVAL_TIME);
        }
    }
}

impl fmt::Debug for Leftover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Leftover({})", self.number)
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        let mut state = self.registry.state.lock_anyway();
        let index = state.removals.iter().position(|(number, _)| *number == self.number);
        let removal = index.map(|index| state.removals.swap_remove(index));
        drop(state);
        // It may hold the last reference to a folder.
        drop(removal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static NAMES: Mutex<Vec<&str>> = Mutex::new(Vec::new());

    fn create(registry: &'static Leftovers, name: &'static str) -> Leftover {
        let removal: Removal = Box::new(move || NAMES.lock_anyway().push(name));
        registry.create(|| Ok::<_, ()>(((), removal))).unwrap().1
    }

    fn removed_names(names: &[&str]) -> Vec<&'static str> {
        let mut found: Vec<&str> = NAMES.lock_anyway().clone();
        found.retain(|name| names.contains(name));
        found.sort_unstable();
        found
    }

    #[test]
    fn only_registered_leftovers_are_removed() {
        static OWN: Leftovers = Leftovers::new();
        let (first, dropped, last) = (create(&OWN, "first"), create(&OWN, "dropped"), create(&OWN, "last"));
        drop(dropped);
        assert_eq!(OWN.create(|| Err::<((), Removal), _>("failed")).unwrap_err(), "failed");
        OWN.remove_all();
        OWN.remove_all();
        assert_eq!(removed_names(&["first", "dropped", "last"]), ["first", "last"]);
        drop((first, last));
    }

    #[test]
    fn creations_end_before_removals() {
        static OWN: Leftovers = Leftovers::new();
        let (begin, begun) = mpsc::channel();
        let (finish, finished) = mpsc::channel();
        let slow = std::thread::spawn(move || {
            let make = || {
                begin.send(()).unwrap();
                finished.recv().unwrap();
                Ok::<_, ()>(((), Box::new(|| NAMES.lock_anyway().push("slow")) as Removal))
            };
            OWN.create(make).unwrap().1
        });
        begun.recv().unwrap();
        let removal = std::thread::spawn(|| OWN.remove_all());
        while !OWN.state.lock_anyway().is_closed {
            std::thread::yield_now();
        }
        let late = std::thread::spawn(|| create(&OWN, "late"));
        finish.send(()).unwrap();
        removal.join().unwrap();
        drop(slow.join().unwrap());
        assert_eq!(removed_names(&["slow", "late"]), ["slow"]);
        assert!(!late.is_finished(), "a program that ends creates nothing");
    }
}
