//! The program as two processes. A shell or service manager waits for the small parent, and the child does
//! the work.
//!
//! If storage hangs, the kernel does not release the thread, and a shell cannot reap the process. The parent
//! reads the exit code from a pipe, so it ends even then. It passes signals on, stops and continues together
//! with its child, and dies by the same signal as the child. The kernel kills the child if the parent is
//! killed.

pub use super::parent_messages::will_end;
use super::parent_messages::{Message, PARENT, WaitingParent, tell_parent};
use super::signals::Continued;
use std::ffi::c_int;
use std::fs::{self, File};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

/// Seconds between two checks of the child without a signal.
const CHECK_INTERVAL_S: i64 = 2;
/// Number of checks with a killed child before the parent ends.
const CHECKS_AFTER_KILL: u32 = 2;

/// View of the parent from the child.
#[derive(Debug)]
pub struct Parent {
    number: c_int,
    stat: File,
    continued: Continued,
    seen: u64,
}

/// Divides the process, which must have one thread. Returns in the child. Returns in the only process if it
/// cannot be divided or is traced, so that debuggers and tracers see the work.
pub fn divide() {
    if is_traced() {
        return;
    }
    let Ok((reader, writer)) = std::io::pipe() else { return };
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let before = block_all();
    // SAFETY: the process has one thread, so the child finds every lock open.
    match unsafe { libc::fork() } {
        0 => {
            drop(reader);
            // SAFETY: the call takes numbers alone.
            let orphaned = unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                libc::getppid() != own
            };
            if orphaned {
                exit(libc::SIGKILL + 128);
            }
            let _ = PARENT.set(WaitingParent { parent: own, pipe: writer.into() });
            restore_signals(&before);
        }
        child if child > 0 => {
            drop(writer);
            Watch { child, reader: reader.into(), follows: false, ends: None, fatal: None, killed: 0 }.wait()
        }
        _ => restore_signals(&before),
    }
}

fn is_traced() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().any(|line| line.strip_prefix("TracerPid:").is_some_and(|tracer| tracer.trim() != "0"))
}

impl Parent {
    /// Returns `None` if the process was not divided.
    pub fn of_this_process() -> Option<Parent> {
        let number = PARENT.get()?.parent;
        let stat = File::open(format!("/proc/{number}/stat")).ok()?;
        Some(Parent { number, stat, continued: Continued::listen(), seen: 0 })
    }

    /// Stops this process if the parent was stopped, and continues the parent if this process was continued.
    pub fn follow(&mut self) {
        let continued = self.continued.times();
        let was_continued = std::mem::replace(&mut self.seen, continued) != continued;
        if !self.is_stopped() {
            return;
        }
        if was_continued {
            // SAFETY: the call takes numbers alone.
            unsafe { libc::kill(self.number, libc::SIGCONT) };
            return;
        }
        tell_parent(Message::Follows);
        // SAFETY: the call takes numbers alone.
        unsafe { libc::raise(libc::SIGSTOP) };
        tell_parent(Message::Continues);
    }

    fn is_stopped(&self) -> bool {
        let mut text = [0; 512];
        let length = self.stat.read_at(&mut text, 0).unwrap_or(0);
        process_state(&String::from_utf8_lossy(&text[..length])) == Some('T')
    }
}

/// Whether a blocked signal is pending for this process.
fn is_pending(signal: c_int) -> bool {
    let mut pending = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: the set is this function's own, zeroed, and filled in by the first call.
    unsafe { libc::sigpending(pending.as_mut_ptr()) == 0 && libc::sigismember(pending.as_ptr(), signal) == 1 }
}

/// Returns the state of a process from its `stat`. The name before it may contain any character.
fn process_state(stat: &str) -> Option<char> {
    stat.rsplit_once(") ")?.1.chars().next()
}

struct Watch {
    child: c_int,
    reader: OwnedFd,
    /// Whether the child stops because this process was stopped: true until the child continues, also if
    /// this process was continued before the child stopped.
    follows: bool,
    /// Exit code reported by the child, and the maximum duration of its end in seconds.
    ends: Option<(c_int, i64)>,
    /// Last passed signal that ends programs.
    fatal: Option<c_int>,
    /// Number of checks with a killed child.
    killed: u32,
}

impl Watch {
    fn wait(mut self) -> ! {
        close_others(&self.reader);
        let signals = all_signals();
        loop {
            self.check_child();
            let wait = libc::timespec { tv_sec: CHECK_INTERVAL_S, tv_nsec: 0 };
            let mut about = MaybeUninit::<libc::siginfo_t>::zeroed();
            // SAFETY: all three are this function's own, and the kernel fills in the second.
            let signal =
                unsafe { libc::sigtimedwait(&raw const signals, about.as_mut_ptr(), &raw const wait) };
            // SAFETY: zeroed, or filled in by the kernel.
            let by_terminal = unsafe { about.assume_init() }.si_code == libc::SI_KERNEL;
            match signal {
                libc::SIGCHLD => {}
                signal if signal > 0 => self.pass_on(signal, by_terminal),
                _ if self.is_killed() => self.killed += 1,
                _ => {}
            }
            if self.killed >= CHECKS_AFTER_KILL {
                die_by(self.fatal.unwrap_or(libc::SIGKILL));
            }
        }
    }

    /// Passes a signal on, unless both processes get it from the terminal.
    fn pass_on(&mut self, signal: c_int, by_terminal: bool) {
        if [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT].contains(&signal) {
            self.fatal = Some(signal);
        }
        if signal == libc::SIGCONT {
            self.read_messages();
            // A child that stopped already continues by this signal.
            self.follows &= !self.is_still_stopped();
        }
        if !by_terminal || signal == libc::SIGHUP {
            self.send(signal);
        }
    }

    fn send(&self, signal: c_int) {
        // SAFETY: the call takes numbers alone; no other process has the number of a child before a wait.
        unsafe { libc::kill(self.child, signal) };
    }

    /// Ends or stops like the child.
    fn check_child(&mut self) {
        self.read_messages();
        loop {
            let mut status = 0;
            // SAFETY: the status is this function's own.
            let found =
                unsafe { libc::waitpid(self.child, &raw mut status, libc::WNOHANG | libc::WUNTRACED) };
            if found <= 0 {
                break;
            }
            if libc::WIFEXITED(status) {
                exit(libc::WEXITSTATUS(status));
            }
            if libc::WIFSIGNALED(status) {
                die_by(libc::WTERMSIG(status));
            }
            if libc::WIFSTOPPED(status) {
                // The child reports the cause before it stops, perhaps after the first read.
                self.read_messages();
                self.stop(libc::WSTOPSIG(status));
            }
        }
        if let Some((code, patience_s)) = self.ends {
            self.see_off(code, patience_s);
        }
    }

    fn stop(&mut self, signal: c_int) {
        // If the child continues already, no signal would continue this process. A stop discards a pending
        // SIGCONT.
        if !self.follows && self.is_still_stopped() && !is_pending(libc::SIGCONT) {
            take_default(signal);
        }
        self.follows = false;
        self.send(libc::SIGCONT);
    }

    /// Whether the child is still stopped. Without `/proc`, it is assumed to be.
    fn is_still_stopped(&self) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child)).unwrap_or_default();
        process_state(&stat).is_none_or(|state| state == 'T')
    }

    fn read_messages(&mut self) {
        if rustix::io::ioctl_fionbio(&self.reader, true).is_err() {
            return;
        }
        let mut message = [0; Message::LENGTH];
        while let Ok(Message::LENGTH) = rustix::io::read(&self.reader, &mut message) {
            match Message::read(message) {
                Message::Ends { code, patience_s } => self.ends = Some((code.into(), patience_s.into())),
                Message::Follows => self.follows = true,
                Message::Continues => self.follows = false,
            }
        }
    }

    /// Waits for the end of the child, for at most the reported duration.
    fn see_off(&self, code: c_int, patience_s: i64) -> ! {
        let (signals, end) = (all_signals(), now_ms() + patience_s * 1000);
        loop {
            let mut status = 0;
            // SAFETY: the status is this function's own.
            let found = unsafe { libc::waitpid(self.child, &raw mut status, libc::WNOHANG) };
            if found == self.child && libc::WIFSIGNALED(status) {
                die_by(libc::WTERMSIG(status));
            }
            let left = end - now_ms();
            if found != 0 || left <= 0 {
                exit(code);
            }
            let wait = libc::timespec { tv_sec: left / 1000, tv_nsec: left % 1000 * 1_000_000 };
            // SAFETY: both are this function's own, and nothing is written.
            let signal =
                unsafe { libc::sigtimedwait(&raw const signals, std::ptr::null_mut(), &raw const wait) };
            if [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT].contains(&signal) {
                exit(code);
            }
        }
    }

    /// Whether the child was killed but still has threads.
    fn is_killed(&self) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child)).unwrap_or_default();
        is_killed(&status)
    }
}

fn is_killed(status: &str) -> bool {
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let pending = |name: &str| u64::from_str_radix(field(name).unwrap_or_default(), 16).unwrap_or(0);
    let kill = 1 << (libc::SIGKILL - 1);
    field("State:").is_some_and(|state| state.starts_with('Z'))
        || (pending("SigPnd:") | pending("ShdPnd:")) & kill != 0
}

/// Closes all other descriptors, so that readers see the end when the child closes its own.
fn close_others(pipe: &OwnedFd) {
    let pipe = pipe.as_raw_fd().cast_unsigned();
    let below = pipe.checked_sub(1).map(|last| (0, last));
    for (first, last) in below.into_iter().chain([(pipe + 1, u32::MAX)]) {
        // SAFETY: this process uses no other descriptor from here on.
        unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
    }
}

fn now_ms() -> i64 {
    i64::try_from(super::clock::monotonic() / 1_000_000).unwrap_or(i64::MAX)
}

fn exit(code: c_int) -> ! {
    // SAFETY: takes a number only, and doesn't return.
    unsafe { libc::_exit(code) }
}

/// Returns all signals except faults of this process.
fn all_signals() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `sigfillset` makes the set a whole one.
    unsafe {
        libc::sigfillset(set.as_mut_ptr());
        for fault in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT] {
            libc::sigdelset(set.as_mut_ptr(), fault);
        }
        set.assume_init()
    }
}

/// Blocks all signals; returns the mask before.
fn block_all() -> libc::sigset_t {
    let (signals, mut before) = (all_signals(), MaybeUninit::zeroed());
    // SAFETY: both sets are whole ones, and this function's own.
    unsafe {
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signals, before.as_mut_ptr());
        before.assume_init()
    }
}

fn restore_signals(before: &libc::sigset_t) {
    // SAFETY: the set is a whole one, and nothing is written.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, std::ptr::null_mut()) };
}

/// Performs the default action of a signal; returns if the process was stopped and continued.
fn take_default(signal: c_int) {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `sigemptyset` makes the set a whole one; the signal is this process's own.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, set.as_ptr(), std::ptr::null_mut());
        libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
    }
}

/// Ends by the signal of the child, without a second core file.
fn die_by(signal: c_int) -> ! {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is this function's own.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) };
    take_default(signal);
    exit(128 + signal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_state_is_read_after_any_name() {
        for (stat, expected) in
            [("7 (a) T 1 2", Some('T')), ("7 (b) S) R 1", Some('R')), ("", None), ("7 (c", None)]
        {
            assert_eq!(process_state(stat), expected, "{stat}");
        }
    }

    #[test]
    fn recognizes_killed_process_with_threads() {
        let status = |state: &str, thread: &str, process: &str| {
            format!("Name:\tx\nState:\t{state}\nSigPnd:\t{thread}\nShdPnd:\t{process}\n")
        };
        for (status, killed) in [
            (status("S (sleeping)", "0000000000000000", "0000000000000000"), false),
            (status("Z (zombie)", "0000000000000000", "0000000000000000"), true),
            (status("D (disk sleep)", "0000000000000100", "0000000000000000"), true),
            (status("D (disk sleep)", "0000000000000000", "0000000000000100"), true),
            (status("D (disk sleep)", "0000000000000002", "0000000000000002"), false),
            (String::new(), false),
        ] {
            assert_eq!(is_killed(&status), killed, "{status}");
        }
    }
}
