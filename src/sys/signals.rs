//! Signals that a run listens for.

use super::process;
use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What asks a program to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Ctrl-C: `SIGINT`.
    Interrupt,
    /// `SIGTERM`.
    Terminate,
    /// The connection is lost: `SIGHUP`.
    Hangup,
}

/// The signals that ask the program to end. They arrive here until this is closed or dropped, and do
/// nothing else.
#[derive(Debug)]
pub struct Endings {
    signals: Signals,
}

/// Closes [`Endings`] from another thread.
#[derive(Debug, Clone)]
pub struct Close(Handle);

impl Endings {
    /// Listens from now on; for a lost connection only where the program was not started to outlive it
    /// (`nohup`).
    ///
    /// # Errors
    /// The handlers can't be installed.
    pub fn listen() -> io::Result<Endings> {
        let mut listened = vec![SIGINT, SIGTERM];
        if !process::is_ignored(SIGHUP) {
            listened.push(SIGHUP);
        }
        Ok(Endings { signals: Signals::new(&listened)? })
    }

    /// What ends [`Endings::forever`].
    pub fn close(&self) -> Close {
        Close(self.signals.handle())
    }

    /// Every one that arrives, waited for until closed.
    pub fn forever(&mut self) -> impl Iterator<Item = Ending> {
        self.signals.forever().map(|signal| match signal {
            SIGTERM => Ending::Terminate,
            SIGHUP => Ending::Hangup,
            _ => Ending::Interrupt,
        })
    }
}

impl Close {
    /// No signal arrives any more.
    pub fn close(&self) {
        self.0.close();
    }
}

impl Ending {
    /// Does what the signal does to a program that doesn't listen: ends it.
    pub fn obey(self) {
        let signal = match self {
            Ending::Interrupt => SIGINT,
            Ending::Terminate => SIGTERM,
            Ending::Hangup => SIGHUP,
        };
        let _ = low_level::emulate_default_handler(signal);
    }
}

/// Counts how often the program was stopped and goes on (`SIGCONT`), until dropped.
#[derive(Debug)]
pub struct Continued {
    seen: Arc<AtomicU64>,
    /// `None` = nobody can listen.
    listener: Option<SigId>,
}

impl Continued {
    /// Listens from now on.
    pub fn listen() -> Continued {
        let seen = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&seen);
        let action = move || {
            count.fetch_add(1, Ordering::Relaxed);
        };
        // SAFETY: adding to an atomic may be done in a signal handler: it allocates, locks and panics never.
        let listener = unsafe { low_level::register(SIGCONT, action) }.ok();
        Continued { seen, listener }
    }

    /// How often it has happened.
    pub fn times(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }
}

impl Drop for Continued {
    fn drop(&mut self) {
        self.listener.take().map(low_level::unregister);
    }
}
