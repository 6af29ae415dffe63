//! A command with a subreaper: descendants become children of this process when their parents end. The
//! counters of each process can therefore be read before it is reaped.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, WaitId, WaitIdOptions, WaitIdStatus, pidfd_open, set_child_subreaper, waitid,
};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// Signals that request an action of a program, and so belong to the command.
const FORWARDED: [libc::c_int; 6] =
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGUSR1, libc::SIGUSR2];

/// Process that receives the signals of this one; 0 = none.
static RECEIVER: AtomicI32 = AtomicI32::new(0);
/// Signal that arrived before there was a receiver; 0 = none.
static EARLY_SIGNAL: AtomicI32 = AtomicI32::new(0);

#[derive(Debug)]
pub struct ObservedChild {
    pid: Pid,
    handle: OwnedFd,
    _forwarding: Forwarding,
}

/// Passes signals of this process to the command until dropped, which restores the earlier actions.
#[derive(Debug)]
struct Forwarding(Vec<(libc::c_int, libc::sigaction)>);

impl Forwarding {
    fn begin() -> Forwarding {
        let is_heard = |signal: &libc::c_int| !super::process::is_ignored(*signal);
        let forward = |signal| (signal, forward_signal(signal));
        Forwarding(FORWARDED.into_iter().filter(is_heard).map(forward).collect())
    }
}

impl Drop for Forwarding {
    fn drop(&mut self) {
        RECEIVER.store(0, Ordering::SeqCst);
        for (signal, before) in &self.0 {
            // SAFETY: it replaces the handler of this module, which may still run once more.
            unsafe { libc::sigaction(*signal, before, std::ptr::null_mut()) };
        }
    }
}

impl ObservedChild {
    /// Starts a command with the standard input, output and error of this process, and forwards signals to
    /// it. `piped`: returns its standard output instead.
    ///
    /// # Errors
    /// Fails with `NotFound` and `PermissionDenied` in the same cases as a shell, or another error of the
    /// kernel.
    pub fn start(
        program: &OsStr,
        arguments: &[OsString],
        piped: bool,
    ) -> io::Result<(ObservedChild, Option<ChildStdout>)> {
        set_child_subreaper(Some(rustix::process::getpid()))?;
        let mut command = Command::new(program);
        command.args(arguments);
        if piped {
            command.stdout(Stdio::piped());
        }
        // SAFETY: between fork and exec this makes one system call, and nothing is allocated or locked.
        unsafe {
            command.pre_exec(|| {
                // This program ignores it, and the command shall not.
                libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
                Ok(())
            });
        }
        // The command can be signalled as soon as it runs.
        let forwarding = Forwarding::begin();
        let mut child = command.spawn()?;
        let output = child.stdout.take();
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?;
        let handle = pidfd_open(pid, PidfdFlags::empty())?;
        RECEIVER.store(pid.as_raw_nonzero().get(), Ordering::SeqCst);
        let early = EARLY_SIGNAL.swap(0, Ordering::SeqCst);
        if early > 0 {
            // SAFETY: the call takes numbers alone.
            unsafe { libc::kill(pid.as_raw_nonzero().get(), early) };
        }
        Ok((ObservedChild { pid, handle, _forwarding: forwarding }, output))
    }

    pub fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Waits for the end of the command, with a time limit.
    pub fn wait(&self, at_most: Duration) {
        let mut event = [PollFd::new(&self.handle, PollFlags::IN)];
        let timeout = Timespec::try_from(at_most).ok();
        // A signal ends the wait early, which does no harm.
        let _ = poll(&mut event, timeout.as_ref());
    }
}

/// Returns a child that has ended and was not reaped yet.
pub fn ended_child() -> Option<u32> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    // SAFETY: the structure is the kernel's to fill, and zeros mean that no child has ended.
    let mut about: libc::siginfo_t = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills in the structure, which lives until the call returns.
    let answer = unsafe { libc::waitid(libc::P_ALL, 0, &raw mut about, options.bits() as libc::c_int) };
    // SAFETY: zeroed, or filled in for a child.
    let pid = unsafe { about.si_pid() };
    (answer == 0 && pid > 0).then_some(pid.unsigned_abs())
}

/// Reaps an ended child and returns its exit code as in a shell: for a signal, 128 plus its number.
pub fn reap(pid: u32) -> Option<u8> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw)?;
    let status = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED).ok()??;
    code(&status)
}

fn code(status: &WaitIdStatus) -> Option<u8> {
    let signal = |signal: i32| signal.saturating_add(128);
    let code = status.exit_status().or_else(|| status.terminating_signal().map(signal))?;
    u8::try_from(code & 0xff).ok()
}

/// Sends a signal of this process to the command, and returns the action before. The terminal sends its own
/// to both.
fn forward_signal(signal: libc::c_int) -> libc::sigaction {
    // SAFETY: the handler reads an atomic and makes a system call, which a handler may do.
    unsafe {
        let (mut action, mut before): (libc::sigaction, libc::sigaction) = std::mem::zeroed();
        action.sa_sigaction = on_signal as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(signal, &raw const action, &raw mut before);
        before
    }
}

extern "C" fn on_signal(signal: libc::c_int, about: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let receiver = RECEIVER.load(Ordering::SeqCst);
    // SAFETY: the kernel hands over a structure that lives as long as the handler runs.
    let by_terminal = unsafe { (*about).si_code } == libc::SI_KERNEL;
    match receiver {
        _ if by_terminal => {}
        0 => EARLY_SIGNAL.store(signal, Ordering::SeqCst),
        // SAFETY: the call takes numbers alone.
        receiver => unsafe {
            libc::kill(receiver, signal);
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::mutex::LockUnpoisoned;
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Mutex};

    /// Serializes tests, because forwarding changes the actions of the whole process.
    static TURN: Mutex<()> = Mutex::new(());

    #[test]
    fn missing_command_has_its_own_error() {
        let _turn = TURN.lock_anyway();
        let of = |program: &str| ObservedChild::start(OsStr::new(program), &[], false).unwrap_err().kind();
        assert_eq!(of("/nonexistent/judge"), io::ErrorKind::NotFound);
        assert_eq!(of("/etc/passwd"), io::ErrorKind::PermissionDenied);
    }

    #[test]
    fn signal_actions_are_restored_after_the_command() {
        let _turn = TURN.lock_anyway();
        let caught = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(libc::SIGUSR2, Arc::clone(&caught)).unwrap();
        for program in ["true", "/nonexistent/judge"] {
            drop(ObservedChild::start(OsStr::new(program), &[], false));
            caught.store(false, Ordering::SeqCst);
            // SAFETY: the call takes numbers alone.
            unsafe { libc::raise(libc::SIGUSR2) };
            assert!(caught.load(Ordering::SeqCst), "{program}");
        }
    }
}
