//! Unfinished files and private folders. A signal that ends the program removes them.

use super::mutex::LockUnpoisoned;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

/// Maximum time of all removals, which unresponsive storage can block.
const REMOVAL_TIME: Duration = Duration::from_secs(1);

pub(crate) static LEFTOVERS: Leftovers = Leftovers(Mutex::new(Vec::new()));

type Removal = Box<dyn FnOnce() + Send>;

pub(crate) struct Leftovers(Mutex<Vec<(u64, Removal)>>);

/// Registration of a file or folder, until dropped.
pub(crate) struct Leftover {
    number: u64,
    registry: &'static Leftovers,
}

impl Leftovers {
    pub(crate) fn register(&'static self, removal: impl FnOnce() + Send + 'static) -> Leftover {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        self.0.lock_anyway().push((number, Box::new(removal)));
        Leftover { number, registry: self }
    }

    /// Removes all registered files. Returns after [`REMOVAL_TIME`] in any case.
    pub(crate) fn remove_all(&self) {
        let removals = std::mem::take(&mut *self.0.lock_anyway());
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
        let mut removals = self.registry.0.lock_anyway();
        let index = removals.iter().position(|(number, _)| *number == self.number);
        let removal = index.map(|index| removals.swap_remove(index));
        drop(removals);
        // It may hold the last reference to a folder.
        drop(removal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn only_registered_leftovers_are_removed() {
        static OWN: Leftovers = Leftovers(Mutex::new(Vec::new()));
        let removed = Arc::new(Mutex::new(Vec::new()));
        let register = |name: &'static str| {
            let removed = Arc::clone(&removed);
            OWN.register(move || removed.lock_anyway().push(name))
        };
        let (first, dropped, last) = (register("first"), register("dropped"), register("last"));
        drop(dropped);
        OWN.remove_all();
        let mut found = removed.lock_anyway().clone();
        found.sort_unstable();
        assert_eq!(found, ["first", "last"]);
        drop((first, last));
        OWN.remove_all();
        assert_eq!(removed.lock_anyway().len(), 2);
    }
}
