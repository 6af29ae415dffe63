//! Failed calls for the machine's state. The remedy follows from the error, not from the file.

#[cfg(target_os = "linux")]
use crate::target_error::{TargetError, TargetErrorKind};
use std::fmt;
use std::io;
use std::path::Path;

/// A failed call for something that a command needs. Prints as `cannot <verb> <object>: <cause>`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot {doing}: {cause}")]
pub struct FailedCall {
    /// Action, such as `read /proc/stat`.
    doing: String,
    needs: CallObject,
    cause: Cause,
}

/// The kind of object that the call needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallObject {
    Proc,
    Sys,
    File,
    Thread,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Cause {
    Number(i32),
    Text(String),
}

impl FailedCall {
    pub fn reading(path: impl AsRef<Path>, error: &io::Error) -> FailedCall {
        let path = path.as_ref();
        let needs = match () {
            () if path.starts_with("/proc") => CallObject::Proc,
            () if path.starts_with("/sys") => CallObject::Sys,
            () => CallObject::File,
        };
        FailedCall { doing: format!("read {}", path.display()), needs, cause: Cause::from_error(error) }
    }

    #[cfg(target_os = "linux")]
    pub fn absent(path: impl AsRef<Path>) -> FailedCall {
        FailedCall::reading(path, &io::Error::from_raw_os_error(libc::ENOENT))
    }

    #[cfg(target_os = "linux")]
    pub fn inspecting(error: &TargetError) -> FailedCall {
        let cause = match &error.problem {
            TargetErrorKind::TooManyFiles => Cause::Number(libc::EMFILE),
            TargetErrorKind::Kernel { source, .. } => Cause::from_error(source),
            problem => Cause::Text(problem.to_string()),
        };
        FailedCall { doing: format!("inspect {}", error.path.display()), needs: CallObject::File, cause }
    }

    /// Reports a thread that could not be started; `purpose` is text such as `for signals`.
    pub fn starting_thread(purpose: &str, error: &io::Error) -> FailedCall {
        let doing = format!("start a thread {purpose}");
        FailedCall { doing, needs: CallObject::Thread, cause: Cause::from_error(error) }
    }

    /// Reports another failure; `doing` is text such as `install the handlers of signals`.
    pub fn of_kernel(doing: &str, error: &io::Error) -> FailedCall {
        FailedCall { doing: doing.to_owned(), needs: CallObject::File, cause: Cause::from_error(error) }
    }

    pub fn remedy(&self) -> &'static str {
        let Cause::Number(number) = self.cause else { return "see dmesg, or report this" };
        remedy(self.needs, number, is_address_space_limited())
    }
}

impl Cause {
    fn from_error(error: &io::Error) -> Cause {
        error.raw_os_error().map_or_else(|| Cause::Text(error.to_string()), Cause::Number)
    }
}

/// Without address space for its stack, a thread fails with `EAGAIN` (pthread_create(3)).
#[cfg(target_os = "linux")]
fn is_address_space_limited() -> bool {
    rustix::process::getrlimit(rustix::process::Resource::As).current.is_some()
}

#[cfg(windows)]
fn is_address_space_limited() -> bool {
    false
}

#[cfg(target_os = "linux")]
fn remedy(needs: CallObject, number: i32, is_address_space_limited: bool) -> &'static str {
    match (number, needs) {
        (libc::ENOMEM, _) | (libc::EAGAIN, CallObject::Thread) if is_address_space_limited => {
            "raise the limit of the address space (ulimit -v), or start fewer threads"
        }
        (libc::EMFILE, _) => "raise the limit of open files (ulimit -n)",
        (libc::ENFILE, _) => "close files of other programs, or raise fs.file-max",
        (libc::ENOMEM, _) => "free memory, or raise the limit of the control group (memory.max)",
        (libc::EAGAIN, CallObject::Thread) => {
            "raise the limits of processes (ulimit -u, pids.max of the control group)"
        }
        (libc::ENOSYS, _) | (libc::EPERM | libc::EACCES, CallObject::Thread) => {
            "allow the call in the system-call filter (seccomp) of the container or service"
        }
        (libc::EPERM | libc::EACCES, _) => "run as root, or outside of the container",
        (libc::ENOENT | libc::ENOTDIR | libc::ENODEV, CallObject::Proc) => {
            "mount /proc (mount -t proc proc /proc), or run outside of the container"
        }
        (libc::ENOENT | libc::ENOTDIR | libc::ENODEV, CallObject::Sys) => {
            "mount /sys (mount -t sysfs sysfs /sys), or run outside of the container"
        }
        (libc::ENOENT | libc::ENOTDIR | libc::ENODEV, CallObject::File) => "check that it is there",
        _ => "see dmesg",
    }
}

/// Returns the only remedy, because these calls rarely fail on Windows.
#[cfg(windows)]
fn remedy(_: CallObject, _: i32, _: bool) -> &'static str {
    "close other programs, or restart Windows"
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Number(number) => io::Error::from_raw_os_error(*number).fmt(f),
            Cause::Text(text) => f.write_str(text),
        }
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_follow_the_error_number() {
        let error = io::Error::from_raw_os_error;
        let proc = |number| FailedCall::reading("/proc/stat", &error(number));
        let sys = |number| FailedCall::reading("/sys/class/block", &error(number));
        let thread = |number| FailedCall::starting_thread("for signals", &error(number));
        for (failed, expected) in [
            (proc(libc::ENOENT), "mount -t proc"),
            (sys(libc::ENOENT), "mount -t sysfs"),
            (proc(libc::EMFILE), "ulimit -n"),
            (sys(libc::EMFILE), "ulimit -n"),
            (thread(libc::EMFILE), "ulimit -n"),
            (proc(libc::ENFILE), "fs.file-max"),
            (proc(libc::ENOMEM), "memory"),
            (proc(libc::EACCES), "as root"),
            (thread(libc::EPERM), "seccomp"),
            (thread(libc::ENOSYS), "seccomp"),
            (thread(libc::EAGAIN), "ulimit -u"),
            (proc(libc::EIO), "dmesg"),
            (FailedCall::absent("/dev/loop0"), "is there"),
        ] {
            assert!(failed.remedy().contains(expected), "{failed}: {}", failed.remedy());
        }
        for (needs, number, expected) in [
            (CallObject::Thread, libc::EAGAIN, "ulimit -v"),
            (CallObject::Thread, libc::ENOMEM, "ulimit -v"),
            (CallObject::Proc, libc::ENOMEM, "ulimit -v"),
            (CallObject::Proc, libc::EMFILE, "ulimit -n"),
            (CallObject::Thread, libc::EPERM, "seccomp"),
        ] {
            let advice = remedy(needs, number, true);
            assert!(advice.contains(expected), "{number}: {advice}");
        }
    }
}
