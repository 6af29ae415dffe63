//! Effect of signals on this process, and its end.

pub use super::abandoned_threads::{abandon_thread, has_left_behind};
use super::keys;
use super::limits::{self, Resource};
use super::parent_messages;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// Message when the process is aborted: by the standard library after its own message, by another library,
/// or by a signal.
const ABANDONED_MESSAGE: &[u8] =
    b"ERROR: the program was aborted (SIGABRT). A line above gives the cause, if the program aborted itself: \
      if out of memory or threads, use fewer threads (-t), a smaller -o or -b, or raise the limit (ulimit \
      -v, ulimit -u, the limits of the container)\n";

const FAILED: libc::c_int = 1;

/// Maximum duration of the process's end in seconds, if it abandons threads.
const LEAVING_S: u16 = 1;

/// Turns signals that would end the process silently into errors. A file at its size limit (`SIGXFSZ`)
/// becomes a write error, and an abort (`SIGABRT`) a failed run with a message.
pub fn prepare() {
    // SAFETY: the handler only does what may be done in a signal handler: it writes, and ends the process.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        libc::signal(libc::SIGABRT, end_on_timeout as *const () as libc::sighandler_t);
    }
}

/// Ignores `SIGUSR1`, with which launchers such as MPICH's announce the end of another process of the job.
pub fn outlive_others() {
    // SAFETY: no handler is installed, the signal is ignored.
    unsafe {
        libc::signal(libc::SIGUSR1, libc::SIG_IGN);
    }
}

extern "C" fn end_on_timeout(_: libc::c_int) {
    // SAFETY: both may be called in a signal handler; the text is constant.
    unsafe {
        libc::write(2, ABANDONED_MESSAGE.as_ptr().cast(), ABANDONED_MESSAGE.len());
        libc::_exit(FAILED)
    }
}

/// Returns the number of the effective user.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns the limit of a file's size (`ulimit -f`) in bytes: beyond that the kernel sends a signal.
/// `None` if it is unlimited or unknown.
pub fn largest_file() -> Option<u64> {
    limits::current(Resource::FileSize).ok()?
}

/// Whether this signal was ignored at the start of the process, as with `nohup`.
pub(crate) fn is_ignored(signal: i32) -> bool {
    // SAFETY: the kernel fills in the structure, which may hold anything before; nothing is changed.
    unsafe {
        let mut found: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut found) == 0 && found.sa_sigaction == libc::SIG_IGN
    }
}

/// Ends the process now, regardless of waiting threads. Standard input, output and error are closed first.
/// The kernel keeps a stuck thread with all its open files, but no other process shall wait for them.
pub fn end(code: u8) -> ! {
    keys::restore();
    parent_messages::will_end(code, LEAVING_S);
    if let Ok(null) = std::fs::File::options().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(null.as_fd());
        let _ = rustix::stdio::dup2_stdout(null.as_fd());
        let _ = rustix::stdio::dup2_stderr(null.as_fd());
    }
    // SAFETY: takes a number only, and doesn't return.
    unsafe { libc::_exit(libc::c_int::from(code)) }
}

/// Redirects standard error to standard output, or discards it.
pub fn replace_standard_error(by_output: bool) {
    if by_output {
        let _ = rustix::stdio::dup2_stderr(rustix::stdio::stdout());
    } else if let Ok(null) = std::fs::File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stderr(null.as_fd());
    }
}

/// Returns a duplicate of another process' handle for the same open file, which stays open until both are
/// closed.
///
/// # Errors
/// Fails if the process has ended, is in another namespace, or may not be inspected (`ptrace`).
pub fn handle_of(process: u32, handle: i32) -> io::Result<OwnedFd> {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    let process = rustix::process::pidfd_open(process.ok_or(io::ErrorKind::NotFound)?, PidfdFlags::empty())?;
    Ok(rustix::process::pidfd_getfd(process, handle, PidfdGetfdFlags::empty())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_known() {
        prepare();
        assert!(is_ignored(libc::SIGXFSZ) && !is_ignored(libc::SIGABRT) && !is_ignored(libc::SIGWINCH));
    }
}
