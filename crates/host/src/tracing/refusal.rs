//! Reasons why kernel events cannot be traced, and remedies.

use std::fmt;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum TracingError {
    /// tracefs is not mounted, and a private mount failed with this error.
    NotMounted {
        #[source]
        error: io::Error,
    },
    Tracefs {
        at: PathBuf,
        #[source]
        error: io::Error,
    },
    Instance {
        at: PathBuf,
        #[source]
        error: io::Error,
    },
    /// The thread that reads recorded events cannot be started.
    Thread {
        #[source]
        error: io::Error,
    },
    /// The kernel does not allow its events to be opened.
    Events {
        #[source]
        error: io::Error,
        /// Value of `/proc/sys/kernel/perf_event_paranoid`; `None` = no such file.
        paranoid: Option<i32>,
    },
    NoTracepoint {
        names: String,
    },
}

/// Required privilege. It must not bypass file permissions. CAP_DAC_OVERRIDE, the alternative for reading
/// tracefs, would let every user of the program read and write all files of the machine.
const PRIVILEGE: &str = "run it as root, or as root permit it to the users of one group: mount -o \
                         remount,gid=GROUP,mode=0750 /sys/kernel/tracing, and for counting setcap \
                         cap_perfmon=ep on a copy of the program that this group alone may run";
const WRITES: &str = "DISK_IO is recorded in an instance of tracefs, which root may make and the user who \
                      owns the folder of instances: chown USER /sys/kernel/tracing/instances";

impl TracingError {
    /// Returns the message without the option that usually requests traces.
    pub fn without_option(&self) -> String {
        self.to_string().trim_start_matches("-e: ").to_owned()
    }
}

impl fmt::Display for TracingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("-e: ")?;
        match self {
            TracingError::NotMounted { error } => write!(
                f,
                "the kernel's tracepoints need tracefs: it is not mounted, and mounting it for this run \
                 failed ({error}); run as root, or mount it as root: mount -t tracefs tracefs \
                 /sys/kernel/tracing"
            ),
            TracingError::Tracefs { at, error } => {
                write!(
                    f,
                    "the kernel's tracepoints cannot be read in {}: {error}; {PRIVILEGE}. {WRITES}",
                    at.display()
                )
            }
            TracingError::Instance { at, error } => {
                write!(f, "the kernel's events cannot be recorded in {}: {error}", at.display())?;
                match error.raw_os_error() {
                    Some(libc::ENOMEM) => f.write_str("; the kernel has no memory for a buffer per CPU"),
                    Some(libc::EMFILE) => f.write_str(
                        "; one open file per CPU is needed: raise the limit of open files (ulimit -n 65536)",
                    ),
                    Some(libc::EACCES | libc::EPERM) => write!(f, "; {PRIVILEGE}. {WRITES}"),
                    Some(libc::EROFS) => f.write_str("; in a container it may be read-only even for root"),
                    _ => Ok(()),
                }
            }
            TracingError::Thread { error } => write!(f, "cannot start the recording thread: {error}"),
            TracingError::Events { error, paranoid } => events(f, error, *paranoid),
            TracingError::NoTracepoint { names } => {
                write!(
                    f,
                    "this kernel has no tracepoint {names}; it was built without (CONFIG_FTRACE, \
                     CONFIG_BLOCK)"
                )
            }
        }
    }
}

fn events(f: &mut fmt::Formatter<'_>, error: &io::Error, paranoid: Option<i32>) -> fmt::Result {
    write!(f, "the kernel's events cannot be opened (perf_event_open(2): {error})")?;
    match (error.raw_os_error(), paranoid) {
        (_, None) => f.write_str("; this kernel was built without CONFIG_PERF_EVENTS"),
        (Some(libc::EACCES | libc::EPERM), Some(level)) => write!(
            f,
            "; {PRIVILEGE} (kernel.perf_event_paranoid is {level}). In a container its seccomp profile may \
             forbid it even to root"
        ),
        (Some(libc::EMFILE), _) => f.write_str(
            "; several open files per CPU are needed: raise the limit of open files (ulimit -n 65536)",
        ),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tracing_refusal_has_remedy() {
        let events =
            |errno, paranoid| TracingError::Events { error: io::Error::from_raw_os_error(errno), paranoid };
        let instance = |errno| TracingError::Instance {
            at: "/sys/kernel/tracing/instances".into(),
            error: io::Error::from_raw_os_error(errno),
        };
        let denied = || io::Error::from_raw_os_error(libc::EACCES);
        let table = [
            (TracingError::NotMounted { error: denied() }, "mount -t tracefs tracefs /sys/kernel/tracing"),
            (
                TracingError::Tracefs { at: "/sys/kernel/tracing".into(), error: denied() },
                "remount,gid=GROUP,mode=0750",
            ),
            (instance(libc::EACCES), "chown USER /sys/kernel/tracing/instances"),
            (instance(libc::EROFS), "in a container"),
            (instance(libc::EMFILE), "ulimit -n"),
            (instance(libc::ENOMEM), "no memory"),
            (TracingError::Thread { error: denied() }, "thread"),
            (events(libc::EACCES, Some(2)), "kernel.perf_event_paranoid is 2"),
            (events(libc::EPERM, Some(4)), "setcap cap_perfmon"),
            (events(libc::EMFILE, Some(2)), "ulimit -n"),
            (events(libc::ENOSYS, None), "CONFIG_PERF_EVENTS"),
            (TracingError::NoTracepoint { names: "a/b".into() }, "no tracepoint a/b"),
        ];
        for (refusal, expected) in table {
            let told = refusal.to_string();
            assert!(told.starts_with("-e: ") && told.contains(expected), "{told}");
        }
    }
}
