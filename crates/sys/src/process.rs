//! What signals do to this process, and its end.

pub use super::left_behind::{has_left_behind, leave_behind};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::OnceLock;

/// What is said when the process is aborted: by the standard library, which has said before why, by another
/// library, or by whoever sends the signal.
const GIVEN_UP: &[u8] =
    b"ERROR: the program was aborted (SIGABRT). A line above gives the cause, if the program aborted itself: \
      if out of memory or threads, use fewer threads (-t), a smaller -o or -b, or raise the limit (ulimit \
      -v, ulimit -u, the limits of the container)\n";

/// Exit code of a run that failed.
pub(super) const FAILED: u8 = 1;

/// Seconds that the end of a process may take if it leaves threads behind.
const LEAVING_S: u16 = 1;

/// The parent of a divided process ([`super::parent_process`]).
static PARENT: OnceLock<WaitingParent> = OnceLock::new();

/// The process that waits for this one.
#[derive(Debug)]
pub(super) struct WaitingParent {
    /// Its number.
    pub parent: libc::c_int,
    /// Pipe for messages to the parent.
    pub pipe: OwnedFd,
}

/// A message of the child to its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Message {
    /// The child is about to end.
    Ends {
        /// Exit code of the child.
        code: u8,
        /// Seconds that its end may take.
        patience_s: u16,
    },
    /// The child is about to stop, because its parent was stopped.
    Follows,
}

impl Message {
    /// Bytes of a message.
    pub const LENGTH: usize = 4;

    pub fn read(bytes: [u8; Self::LENGTH]) -> Message {
        match bytes {
            [0, code, low, high] => Message::Ends { code, patience_s: u16::from_le_bytes([low, high]) },
            _ => Message::Follows,
        }
    }

    fn bytes(self) -> [u8; Self::LENGTH] {
        match self {
            Message::Ends { code, patience_s } => {
                let [low, high] = patience_s.to_le_bytes();
                [0, code, low, high]
            }
            Message::Follows => [1, 0, 0, 0],
        }
    }
}

pub(super) fn reports_to(parent: WaitingParent) {
    let _ = PARENT.set(parent);
}

/// Returns the number of the waiting parent.
pub(super) fn parent() -> Option<libc::c_int> {
    PARENT.get().map(|parent| parent.parent)
}

/// Reports the exit code to the parent, and the seconds that the end may take.
pub fn will_end(code: u8, patience_s: u16) {
    tell_parent(Message::Ends { code, patience_s });
}

pub(super) fn tell_parent(message: Message) {
    let Some(WaitingParent { parent, pipe }) = PARENT.get() else { return };
    let _ = rustix::io::write(pipe, &message.bytes());
    // SAFETY: the call takes numbers alone.
    unsafe { libc::kill(*parent, libc::SIGCHLD) };
}

/// Signals that would end the process without a word become errors: a file that may not grow any more
/// (`SIGXFSZ`) is an error of that write, and giving up (`SIGABRT`) is a failed run with a message.
pub fn prepare() {
    // SAFETY: the handler only does what may be done in a signal handler: it writes, and ends the process.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        libc::signal(libc::SIGABRT, give_up as *const () as libc::sighandler_t);
    }
}

/// Lets a launcher say by `SIGUSR1`, as that of MPICH does, that another process of the job has ended,
/// without ending this one.
pub fn outlive_others() {
    // SAFETY: no handler is installed, the signal is ignored.
    unsafe {
        libc::signal(libc::SIGUSR1, libc::SIG_IGN);
    }
}

extern "C" fn give_up(_: libc::c_int) {
    // SAFETY: both may be called in a signal handler; the text is constant.
    unsafe {
        libc::write(2, GIVEN_UP.as_ptr().cast(), GIVEN_UP.len());
        libc::_exit(FAILED.into())
    }
}

/// Number of the user whose rights the process has.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Bytes that a file may grow to (`ulimit -f`): beyond that the kernel sends a signal. `None` = as far as
/// it will.
pub fn largest_file() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Fsize).current
}

/// Whether the process was started with this signal ignored, as `nohup` does.
pub fn is_ignored(signal: i32) -> bool {
    // SAFETY: the kernel fills in the structure, which may hold anything before; nothing is changed.
    unsafe {
        let mut found: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut found) == 0 && found.sa_sigaction == libc::SIG_IGN
    }
}

/// Ends the process now, whatever its threads are waiting for. Standard input, output and error are given
/// back first: the kernel keeps a thread that it doesn't release, and with it everything that is open, but
/// others shall not wait for it.
pub fn end(code: u8) -> ! {
    let _ = io::Write::flush(&mut io::stdout());
    leave(code)
}

/// Ends the process as [`end`] does, but does not flush, because a thread that hangs may hold the stream.
pub fn leave(code: u8) -> ! {
    will_end(code, LEAVING_S);
    if let Ok(null) = std::fs::File::options().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(null.as_fd());
        let _ = rustix::stdio::dup2_stdout(null.as_fd());
        let _ = rustix::stdio::dup2_stderr(null.as_fd());
    }
    // SAFETY: takes a number only, and doesn't return.
    unsafe { libc::_exit(libc::c_int::from(code)) }
}

/// A handle of another process, which stands for the same open file: it stays open until both are closed.
///
/// # Errors
/// The process has ended, is of another namespace, or may not be looked into (`ptrace`).
pub fn handle_of(process: u32, handle: i32) -> io::Result<OwnedFd> {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    let process = rustix::process::pidfd_open(process.ok_or(io::ErrorKind::NotFound)?, PidfdFlags::empty())?;
    Ok(rustix::process::pidfd_getfd(process, handle, PidfdGetfdFlags::empty())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_written() {
        for message in [
            Message::Ends { code: 0, patience_s: 0 },
            Message::Ends { code: 255, patience_s: 600 },
            Message::Follows,
        ] {
            assert_eq!(Message::read(message.bytes()), message);
        }
    }

    #[test]
    fn what_is_ignored_is_known() {
        prepare();
        assert!(is_ignored(libc::SIGXFSZ) && !is_ignored(libc::SIGABRT) && !is_ignored(libc::SIGWINCH));
    }
}
