//! Availability of io_uring to this process, and the setting that forbids it.

use crate::AvailabilityError;
use diskspd_sys::memory::Buffer;
use diskspd_sys::ring::{Ring, RingOptions};
use std::io;
use std::time::Duration;

/// Creates a small ring and enters it. Only this test also detects restrictions that the kernel's settings do
/// not show.
///
/// # Errors
/// Fails with the setting that forbids io_uring, and a remedy.
pub fn probe() -> Result<(), AvailabilityError> {
    let attempt = Buffer::new(0).and_then(|memory| {
        let mut ring = Ring::new(1, vec![], memory, RingOptions::default())?;
        ring.enter(0, Duration::ZERO)
    });
    attempt.map(drop).map_err(|error| explain_here(&error))
}

/// Explains the kernel's refusal, with the settings of this machine and process.
pub(crate) fn explain_here(error: &io::Error) -> AvailabilityError {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    explain_evidence(&Evidence {
        errno: error.raw_os_error(),
        disabled: read("/proc/sys/kernel/io_uring_disabled").trim().parse().ok(),
        seccomp: seccomp_mode(&read("/proc/self/status")),
    })
}

#[derive(Debug, Clone, Copy)]
struct Evidence {
    errno: Option<i32>,
    /// Setting `kernel.io_uring_disabled` (Linux 6.6): 0 = allowed, 1 = for some, 2 = disabled.
    disabled: Option<u8>,
    /// Seccomp mode of the process: 0 = none, 1 = strict, 2 = filter.
    seccomp: Option<u8>,
}

fn seccomp_mode(status: &str) -> Option<u8> {
    status.lines().find_map(|line| line.strip_prefix("Seccomp:"))?.trim().parse().ok()
}

/// Engines without io_uring; the first one keeps the queue depth.
const OTHER_ENGINES: &str = "another engine (--engine aio, or --engine sync with -o1)";
/// Remedy for one group only, because a disabled feature is not enabled for all users.
const GROUP: &str = "kernel.io_uring_group=<number of the group>";
const ONE_GROUP: &str =
    "sysctl kernel.io_uring_disabled=1 kernel.io_uring_group=<number of the group>, and run in that group";

fn explain_evidence(evidence: &Evidence) -> AvailabilityError {
    let filtered = evidence.seccomp == Some(2);
    let profile = "allow io_uring_setup, io_uring_enter and io_uring_register in the container's seccomp \
                   profile (docker run --security-opt seccomp=<profile>)";
    let (reason, remedy) = match (evidence.errno, evidence.disabled) {
        (Some(libc::EPERM), Some(2)) => (
            "io_uring is switched off on this machine (kernel.io_uring_disabled = 2)".to_string(),
            format!("as root permit it to one group: {ONE_GROUP}; or use {OTHER_ENGINES}"),
        ),
        (Some(libc::EPERM), Some(1)) => (
            "io_uring is reserved to CAP_SYS_ADMIN and the group of kernel.io_uring_group \
             (kernel.io_uring_disabled = 1)"
                .to_string(),
            format!("run as root or in that group, which root sets: sysctl {GROUP}; or use {OTHER_ENGINES}"),
        ),
        (Some(libc::EPERM | libc::EACCES), _) if filtered => (
            "a seccomp filter forbids io_uring, as in most containers".to_string(),
            format!("{profile}, or use {OTHER_ENGINES}"),
        ),
        (Some(libc::EPERM | libc::EACCES), _) => (
            "io_uring is not permitted, probably by a security module (SELinux, AppArmor)".to_string(),
            format!("see the audit log for io_uring denials, or use {OTHER_ENGINES}"),
        ),
        (Some(libc::ENOSYS), _) if filtered => (
            "io_uring does not exist here: a seccomp filter hides it, or the kernel lacks it".to_string(),
            format!("in a container, {profile}; or use {OTHER_ENGINES}"),
        ),
        (Some(libc::ENOSYS), _) => (
            "the kernel has no io_uring (older than 5.1, or built without CONFIG_IO_URING)".to_string(),
            format!("use Linux 5.15 or later, or {OTHER_ENGINES}"),
        ),
        (Some(libc::ENOMEM), _) => (
            "there is not enough memory for the queues of io_uring (of the memory cgroup, or ulimit -l)"
                .to_string(),
            "use a smaller queue depth (-o) or fewer threads (-t), or raise the limit".to_string(),
        ),
        (Some(libc::EMFILE | libc::ENFILE), _) => (
            "too many open files: every thread's io_uring is one".to_string(),
            "raise the limit (ulimit -n), or use fewer threads (-t)".to_string(),
        ),
        (Some(errno), _) => (
            format!("io_uring failed: {}", io::Error::from_raw_os_error(errno)),
            format!("use {OTHER_ENGINES}"),
        ),
        (None, _) => (
            "the kernel's io_uring is too old".to_string(),
            format!("use Linux 5.15 or later, or {OTHER_ENGINES}"),
        ),
    };
    let lacking = matches!(evidence.errno, Some(libc::ENOMEM | libc::EAGAIN | libc::EMFILE | libc::ENFILE));
    AvailabilityError { reason, remedy, lacking }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusal_names_forbidding_setting_and_remedy() {
        // errno, kernel.io_uring_disabled, seccomp mode, part of the reason, part of the remedy
        type Row = (Option<i32>, Option<u8>, Option<u8>, &'static str, &'static str);
        let table: [Row; 14] = [
            (
                Some(libc::EPERM),
                Some(2),
                Some(0),
                "kernel.io_uring_disabled = 2",
                "sysctl kernel.io_uring_disabled=1 kernel.io_uring_group=",
            ),
            (
                Some(libc::EPERM),
                Some(2),
                Some(2),
                "kernel.io_uring_disabled = 2",
                "sysctl kernel.io_uring_disabled=1 kernel.io_uring_group=",
            ),
            (Some(libc::EPERM), Some(1), Some(0), "kernel.io_uring_group", "run as root or in that group"),
            (
                Some(libc::EPERM),
                Some(0),
                Some(2),
                "seccomp",
                "io_uring_setup, io_uring_enter and io_uring_register",
            ),
            (Some(libc::EPERM), None, Some(2), "seccomp", "docker run --security-opt"),
            (Some(libc::EACCES), Some(0), Some(2), "seccomp", "docker run --security-opt"),
            (Some(libc::EPERM), Some(0), Some(0), "SELinux", "audit log"),
            (Some(libc::EPERM), None, None, "SELinux", "audit log"),
            (Some(libc::ENOSYS), None, Some(0), "CONFIG_IO_URING", "Linux 5.15"),
            (Some(libc::ENOSYS), None, Some(2), "seccomp", "seccomp profile"),
            (Some(libc::ENOMEM), Some(0), Some(0), "memory", "-o"),
            (Some(libc::EMFILE), Some(0), Some(0), "open files", "ulimit -n"),
            (Some(libc::EIO), Some(0), Some(0), "Input/output error", "--engine aio, or --engine sync"),
            (None, None, Some(0), "too old", "Linux 5.15"),
        ];
        for (errno, disabled, seccomp, reason, remedy) in table {
            let told = explain_evidence(&Evidence { errno, disabled, seccomp });
            assert!(told.reason.contains(reason), "{errno:?} {disabled:?} {seccomp:?}: {told}");
            assert!(told.remedy.contains(remedy), "{errno:?} {disabled:?} {seccomp:?}: {told}");
        }
    }

    #[test]
    fn exhausted_limit_differs_from_missing_permission() {
        let lacking = |errno| explain_evidence(&Evidence { errno, disabled: None, seccomp: None }).lacking;
        let used_up = [libc::ENOMEM, libc::EMFILE, libc::ENFILE].map(Some);
        assert_eq!(used_up.map(lacking), [true; 3]);
        assert_eq!([Some(libc::EPERM), Some(libc::ENOSYS), None].map(lacking), [false; 3]);
    }

    #[test]
    fn seccomp_mode_is_read_from_proc_status() {
        let status = "Name:\tdiskspd\nNoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n";
        assert_eq!(seccomp_mode(status), Some(2));
        assert_eq!(seccomp_mode("Seccomp_filters:\t1\n"), None);
        assert_eq!(seccomp_mode("Seccomp:\tx\n"), None);
        assert_eq!(seccomp_mode(""), None);
    }
}
