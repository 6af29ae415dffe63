//! Signals that end the program: `SIGINT`, `SIGTERM` and `SIGHUP`, and `SIGXCPU` in runs.
//!
//! A run listens to them ([`TerminationSignals`]) and ends with its report. Without a listener a thread of
//! the program removes unfinished files, prints the signal, and ends the program by it ([`FinalSignals`]).
//! `SIGQUIT` has no listener. Before that thread listens, signals have their default effect.

pub use super::limits::lead_cpu_limit;

use super::clock::{self, Nanos, SECOND};
use super::leftovers::LEFTOVERS;
use super::mutex::LockUnpoisoned;
use super::standard_error::{self, print_line};
use super::{keys, process};
use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level;
use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

/// Number of listeners. Handlers stay installed; without listeners they end the program.
static LISTENERS: AtomicUsize = AtomicUsize::new(0);
/// Signal that ends the program; 0 = none.
static FINAL_SIGNAL: AtomicU32 = AtomicU32::new(0);
/// Whether a thread waits for [`FINAL_SIGNAL`].
static IS_AWAITED: AtomicBool = AtomicBool::new(false);
/// The last signal and its time.
static LAST_SIGNAL: AtomicI32 = AtomicI32::new(0);
static LAST_SIGNAL_AT: AtomicU64 = AtomicU64::new(0);
static HANDLED_SIGNALS: LazyLock<Mutex<Vec<i32>>> = LazyLock::new(Mutex::default);

/// Equal signals within this time count once.
const REPEAT_WINDOW: Nanos = SECOND / 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Ctrl-C: `SIGINT`.
    Interrupt,
    /// `SIGTERM`.
    Terminate,
    /// Loss of the terminal: `SIGHUP`.
    Hangup,
    /// Soft limit of CPU time: `SIGXCPU`, repeated every second.
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

/// Blocks these signals in the calling thread until dropped, while their handling changes.
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

fn handle_signal(signal: i32) -> io::Result<()> {
    let mut handled = HANDLED_SIGNALS.lock_anyway();
    if !handled.contains(&signal) {
        // SAFETY: the action reads a clock, changes atomics and makes system calls, as a handler may.
        unsafe { low_level::register(signal, move || end_without_listener(signal)) }?;
        handled.push(signal);
    }
    Ok(())
}

/// Handler that ends the program unless a run listens. A second signal ends it at once.
fn end_without_listener(signal: i32) {
    let now = clock::monotonic();
    let is_same = LAST_SIGNAL.swap(signal, Ordering::SeqCst) == signal;
    let before = LAST_SIGNAL_AT.swap(now, Ordering::SeqCst);
    let is_repeated = is_same && now.saturating_sub(before) < REPEAT_WINDOW;
    let has_listener = signal != SIGQUIT && LISTENERS.load(Ordering::SeqCst) > 0;
    if has_listener || is_repeated {
        return;
    }
    let is_first = FINAL_SIGNAL.swap(signal.unsigned_abs(), Ordering::SeqCst) == 0;
    if is_first && IS_AWAITED.load(Ordering::SeqCst) {
        wake_waiter();
    } else {
        let _ = low_level::emulate_default_handler(signal);
    }
}

fn wake_waiter() {
    let wake = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word is static, and the call writes nothing.
    unsafe { libc::syscall(libc::SYS_futex, FINAL_SIGNAL.as_ptr(), wake, 1) };
}

/// Ends the program by a signal, after removing unfinished files.
fn end_by_signal(signal: i32) -> ! {
    LEFTOVERS.remove_all();
    keys::restore();
    // A reader that does not read does not delay the end.
    if standard_error::is_writable() {
        print_line(format_args!("ended by {}", low_level::signal_name(signal).unwrap_or("a signal")));
    }
    let _ = low_level::emulate_default_handler(signal);
    process::end(u8::try_from(signal).unwrap_or(0).saturating_add(128))
}

/// Signals that end the program without a listener, for one thread.
#[derive(Debug)]
pub struct FinalSignals(());

impl FinalSignals {
    /// Installs the handlers. Ignored signals, as after `nohup`, stay ignored.
    pub fn listen() -> FinalSignals {
        IS_AWAITED.store(true, Ordering::SeqCst);
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            if !process::is_ignored(signal) {
                // Without a handler the signal ends the program as usual.
                let _ = handle_signal(signal);
            }
        }
        FinalSignals(())
    }

    /// Waits for at most this time. Does not return if a signal ends the program.
    pub fn wait(&self, at_most: Duration) {
        let wait = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
        let time = libc::timespec {
            tv_sec: i64::try_from(at_most.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: at_most.subsec_nanos().into(),
        };
        // SAFETY: the word is static, the time is this function's own, and the call writes nothing.
        unsafe { libc::syscall(libc::SYS_futex, FINAL_SIGNAL.as_ptr(), wait, 0, &raw const time) };
        match FINAL_SIGNAL.load(Ordering::SeqCst) {
            0 => {}
            signal => end_by_signal(signal.cast_signed()),
        }
    }
}

impl TerminationSignals {
    /// Listens from now on; for a lost connection only where the program was not started to outlive it
    /// (`nohup`).
    pub fn listen() -> io::Result<TerminationSignals> {
        let mut listened = vec![SIGINT, SIGTERM, SIGXCPU];
        if !process::is_ignored(SIGHUP) {
            listened.push(SIGHUP);
        }
        let _held_back = BlockedSignals::hold(&listened);
        listened.iter().try_for_each(|signal| handle_signal(*signal))?;
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
    /// Ends the program by the signal, after removing unfinished files.
    pub fn end_program(self) -> ! {
        end_by_signal(match self {
            Ending::Interrupt => SIGINT,
            Ending::Terminate => SIGTERM,
            Ending::Hangup => SIGHUP,
            Ending::CpuLimit => SIGXCPU,
        })
    }
}

/// Counter of continuations (`SIGCONT`) of the stopped program, until dropped.
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
