//! Signals handled by a run.

pub use super::limits::lead_cpu_limit;

use super::clock::{self, Nanos, SECOND};
use super::mutex::LockUnpoisoned;
use super::process;
use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGXCPU};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level;
use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};

/// Number of listeners. A handler stays installed permanently, so without listeners it reproduces the
/// signal's default effect.
static LISTENERS: AtomicUsize = AtomicUsize::new(0);
/// Signals whose default action is seen to.
static HANDLED_SIGNALS: LazyLock<Mutex<Vec<i32>>> = LazyLock::new(Mutex::default);

/// Two equal signals within this time count once.
const REPEAT_WINDOW: Nanos = SECOND / 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Ctrl-C: `SIGINT`.
    Interrupt,
    /// `SIGTERM`.
    Terminate,
    /// The connection is lost: `SIGHUP`.
    Hangup,
    /// The soft limit of CPU time is reached: `SIGXCPU`, once a second from then on.
    CpuLimit,
}

/// Interrupts this process, as Ctrl-C does.
pub fn interrupt() {
    // SAFETY: the call takes numbers alone.
    unsafe { libc::kill(libc::getpid(), libc::SIGINT) };
}

/// The signals that request the end of the program. They arrive here until this is closed or dropped,
/// without another effect. Without any listener they end the program as usual.
#[derive(Debug)]
pub struct TerminationSignals {
    signals: Signals,
    listener: Arc<EndingsListener>,
}

/// Closes [`TerminationSignals`] from another thread.
#[derive(Debug, Clone)]
pub struct Close(Handle, Arc<EndingsListener>);

#[derive(Debug)]
struct EndingsListener {
    has_ended: AtomicBool,
}

impl EndingsListener {
    fn begin_listening() -> Arc<EndingsListener> {
        LISTENERS.fetch_add(1, Ordering::SeqCst);
        Arc::new(EndingsListener { has_ended: AtomicBool::new(false) })
    }

    fn end_listening(&self) {
        if !self.has_ended.swap(true, Ordering::SeqCst) {
            LISTENERS.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

impl Drop for EndingsListener {
    fn drop(&mut self) {
        self.end_listening();
    }
}

/// Guard that blocks these signals in the calling thread until dropped, while their handling changes.
struct BlockedSignals {
    before: libc::sigset_t,
}

impl BlockedSignals {
    fn hold(signals: &[i32]) -> BlockedSignals {
        let (mut set, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: both sets are this function's own. `sigemptyset` makes `set` a whole one; should
        // `pthread_sigmask` fail, which it doesn't for SIG_BLOCK, `before` is an empty one.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            libc::sigemptyset(before.as_mut_ptr());
            signals.iter().for_each(|signal| {
                libc::sigaddset(set.as_mut_ptr(), *signal);
            });
            libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), before.as_mut_ptr());
            BlockedSignals { before: before.assume_init() }
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: the set is a whole one, and nothing is written.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut()) };
    }
}

fn see_to_default(signal: i32) -> io::Result<()> {
    let mut seen_to = HANDLED_SIGNALS.lock_anyway();
    if !seen_to.contains(&signal) {
        let action = move || {
            if LISTENERS.load(Ordering::SeqCst) == 0 {
                let _ = low_level::emulate_default_handler(signal);
            }
        };
        // SAFETY: reading an atomic, and what `emulate_default_handler` does, may be done in a handler.
        unsafe { low_level::register(signal, action) }?;
        seen_to.push(signal);
    }
    Ok(())
}

impl TerminationSignals {
    /// Listens from now on; for a lost connection only where the program was not started to outlive it
    /// (`nohup`).
    ///
    /// # Errors
    /// The handlers can't be installed.
    pub fn listen() -> io::Result<TerminationSignals> {
        let mut listened = vec![SIGINT, SIGTERM, SIGXCPU];
        if !process::is_ignored(SIGHUP) {
            listened.push(SIGHUP);
        }
        let _held_back = BlockedSignals::hold(&listened);
        listened.iter().try_for_each(|signal| see_to_default(*signal))?;
        let listener = EndingsListener::begin_listening();
        Ok(TerminationSignals { signals: Signals::new(&listened)?, listener })
    }

    pub fn close(&self) -> Close {
        Close(self.signals.handle(), Arc::clone(&self.listener))
    }

    /// Returns all signals until closed. Service managers, `timeout` and `killall` send a signal to this
    /// process and to its parent, and the parent forwards it; both count once.
    pub fn wait_forever(&mut self) -> impl Iterator<Item = Ending> {
        let mut last = None;
        let counts = move |signal: &i32| {
            let now = clock::monotonic();
            let again = last.is_some_and(|(earlier, at)| earlier == *signal && now - at < REPEAT_WINDOW);
            if !again {
                last = Some((*signal, now));
            }
            !again
        };
        self.signals.forever().filter(counts).map(|signal| match signal {
            SIGTERM => Ending::Terminate,
            SIGHUP => Ending::Hangup,
            SIGXCPU => Ending::CpuLimit,
            _ => Ending::Interrupt,
        })
    }
}

impl Close {
    /// Stops the delivery of signals.
    pub fn close(&self) {
        self.1.end_listening();
        self.0.close();
    }
}

impl Ending {
    /// Applies the signal's default effect and ends the program.
    pub fn follow_signals(self) {
        let signal = match self {
            Ending::Interrupt => SIGINT,
            Ending::Terminate => SIGTERM,
            Ending::Hangup => SIGHUP,
            Ending::CpuLimit => SIGXCPU,
        };
        let _ = low_level::emulate_default_handler(signal);
    }
}

/// Counter of continuations after a stop of the program (`SIGCONT`), until dropped.
#[derive(Debug)]
pub struct Continued {
    seen: Arc<AtomicU64>,
    listener: Option<SigId>,
}

impl Continued {
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

    pub fn times(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }
}

impl Drop for Continued {
    fn drop(&mut self) {
        self.listener.take().map(low_level::unregister);
    }
}
