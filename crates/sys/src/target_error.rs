//! Reason why a target is unusable, addressed to the user: never only an error number.

use diskspd_base::io_error::NvmeStatus;
use diskspd_figures::units::visible;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", quoted_path(path))]
pub struct TargetError {
    pub path: PathBuf,
    pub problem: TargetErrorKind,
}

/// Problem with a target. Each text includes the next step.
#[derive(Debug, thiserror::Error)]
pub enum TargetErrorKind {
    /// `ENOENT`
    #[error("there is no such file or device; check the path, or let -c<size> create the file")]
    Missing,
    #[error(
        "its folder does not exist, or takes no files (as /proc); check the name, or create the folder with \
         mkdir -p"
    )]
    NoParent,
    /// A symbolic link that leads nowhere: its target is never created, because the name says nothing of
    /// that place.
    #[error(
        "is a symbolic link to {}, which does not exist; name the file itself, or remove the link",
        path_name(to)
    )]
    DanglingLink { to: PathBuf },
    /// `EISDIR`
    #[error("is a directory; name a file in it, or a block device")]
    Directory,
    /// Pipe, socket or character device.
    #[error("is neither a regular file nor a block device, so it has no offsets")]
    NotAFile,
    /// File system of the kernel's state.
    #[error(
        "is on {file_system}, where files are settings and statistics of the kernel, not data; name a file \
         on a file system that stores data, or a block device"
    )]
    KernelInterface { file_system: String },
    /// Block device in place of a regular file.
    #[error("is a block device, whose size is fixed; leave out -c<size>")]
    Device,
    /// `ENOTDIR`
    #[error("a part of the path is a file and not a directory; check the path")]
    NotADirectory,
    /// `EACCES`, `EPERM`
    #[error(
        "no permission to {access}; check owner and mode of the file and its directories{}",
        or_run_as_root()
    )]
    Permission {
        /// Verbs: `read`, `write`, `read and write`.
        access: &'static str,
    },
    /// `EROFS`
    #[error("the file system or device is read-only; only -w0 can work here, without -c")]
    ReadOnly,
    #[error(
        "{file_system} cannot bypass the page cache (O_DIRECT) here; leave out -Su and -Sh, or use another \
         file system"
    )]
    NoDirect { file_system: String },
    /// `EBUSY`
    #[error(
        "is in use exclusively by the kernel or another program: mounted, swap, part of a RAID, LVM or \
         multipath device; release it first"
    )]
    Busy,
    /// The name leads to another device or file than before.
    #[error("was replaced by another file or device after the check; no data was written, try again")]
    Changed,
    /// Another process holds a lease on it.
    #[error(
        "is leased by {0}, which does not release it (F_SETLEASE), so that an open would wait; stop that \
         program, or close the file there"
    )]
    Leased(String),
    /// `ETXTBSY`
    #[error("is in use as a running program or as swap space, and cannot be written")]
    Executing,
    /// The target has no data area.
    #[error(
        "its size is 0, so there is nothing to read or write; create a file with -c<size>, or insert a \
         medium into the device"
    )]
    Empty,
    /// `ELOOP`
    #[error("the path's symbolic links form a loop; name the file itself")]
    LinkLoop,
    /// `ENAMETOOLONG`
    #[error("the path, or a name in it, is too long for the file system; use a shorter one")]
    NameTooLong,
    /// `ENXIO`, `ENODEV`, `ENOMEDIUM`
    #[error("the device is gone, or has no medium")]
    NoDevice,
    /// `EMFILE`, `ENFILE`
    #[error(
        "too many open files: every thread opens each of its targets; raise the limit (ulimit -n), or use \
         fewer threads (-t)"
    )]
    TooManyFiles,
    /// Empty path, or one with a zero byte.
    #[error("is not a path: it is empty, or holds a zero byte; name a file or a block device")]
    NotAPath,
    #[error("cannot {doing}: {source}")]
    Kernel { doing: &'static str, source: io::Error },
}

fn quoted_path(path: &Path) -> String {
    if path.as_os_str().is_empty() { "''".into() } else { path_name(path) }
}

fn path_name(path: &Path) -> String {
    visible::line(&path.to_string_lossy()).into_owned()
}

fn or_run_as_root() -> &'static str {
    match rustix::process::geteuid().is_root() {
        true => "; even root is denied by the immutable flag (lsattr), by file servers and by containers",
        false => ", or run as root",
    }
}

impl TargetError {
    pub fn new(path: &Path, problem: TargetErrorKind) -> TargetError {
        TargetError { path: path.to_owned(), problem }
    }

    /// Whether the target is missing or inaccessible, so that retries do not help.
    pub fn is_out_of_reach(&self) -> bool {
        use TargetErrorKind::{DanglingLink, Missing, NoDevice, NotADirectory, Permission};
        matches!(self.problem, Missing | DanglingLink { .. } | NoDevice | NotADirectory | Permission { .. })
    }

    /// Returns the problem for the kernel's error when `doing` something to `path` with the permission to
    /// `access` it.
    pub fn from_io(
        path: &Path,
        doing: &'static str,
        access: &'static str,
        error: impl Into<io::Error>,
    ) -> TargetError {
        let source = error.into();
        let problem = match source.raw_os_error() {
            Some(libc::ENOENT) => TargetErrorKind::Missing,
            Some(libc::EISDIR) => TargetErrorKind::Directory,
            Some(libc::ENOTDIR) => TargetErrorKind::NotADirectory,
            Some(libc::EACCES | libc::EPERM) => TargetErrorKind::Permission { access },
            Some(libc::EROFS) => TargetErrorKind::ReadOnly,
            Some(libc::EBUSY) => TargetErrorKind::Busy,
            Some(libc::ETXTBSY) => TargetErrorKind::Executing,
            Some(libc::ELOOP) => TargetErrorKind::LinkLoop,
            Some(libc::ENAMETOOLONG) => TargetErrorKind::NameTooLong,
            Some(libc::ENXIO | libc::ENODEV | libc::ENOMEDIUM) => TargetErrorKind::NoDevice,
            Some(libc::EMFILE | libc::ENFILE) => TargetErrorKind::TooManyFiles,
            None if source.kind() == io::ErrorKind::InvalidInput => TargetErrorKind::NotAPath,
            _ => TargetErrorKind::Kernel { doing, source },
        };
        TargetError::new(path, problem)
    }
}

/// Returns the probable cause of a failed I/O with this error number, after a semicolon; empty if unknown.
pub fn usual_cause(errno: i32) -> &'static str {
    if let Some(status) = NvmeStatus::of_number(errno) {
        return status.usual_cause();
    }
    match errno {
        libc::EINVAL => {
            "; unbuffered I/O (-S) needs block size and offsets in multiples of the logical block"
        }
        libc::EIO | libc::ENODEV | libc::ENXIO => {
            "; a bad block, a failed or removed device, a full snapshot, or a loop device whose file is too \
             short: see dmesg"
        }
        libc::EFAULT => "; the memory-mapped file (-Sm) was truncated during the run",
        libc::ENOSPC => "; the file system is full, or a project quota or a thin pool is",
        libc::EFBIG => "; the file would exceed a limit: see ulimit -f, and the file system's maximum",
        libc::ENOMEM => "; no memory for this I/O: lower -b or -o",
        libc::EOPNOTSUPP => "; the file system or driver does not support this kind of I/O",
        _ => "",
    }
}

/// Returns the usual cause of an error of an NVMe pass-through command, whose alignment was checked before.
pub fn usual_cause_of_command(errno: i32) -> &'static str {
    match errno {
        libc::EINVAL => {
            "; a command can have at most queue/max_segments pieces of memory (see the block device in \
             /sys), 4 KiB each without huge pages: use a smaller -b"
        }
        _ => usual_cause(errno),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_path_is_reported_visibly() {
        let error = TargetError::new(Path::new(""), TargetErrorKind::NotAPath).to_string();
        assert!(error.starts_with("'': is not a path: it is empty"), "{error}");
    }

    #[test]
    fn every_kernel_error_has_a_remedy() {
        let root = rustix::process::geteuid().is_root();
        for (errno, expected) in [
            (libc::ENOENT, "check the path, or let -c<size> create the file"),
            (libc::EISDIR, "name a file in it"),
            (libc::ENOTDIR, "check the path"),
            (libc::EACCES, "no permission to write; check owner and mode"),
            (libc::EPERM, if root { "even root is denied" } else { "or run as root" }),
            (libc::EROFS, "only -w0 can work here"),
            (libc::EBUSY, "release it first"),
            (libc::ETXTBSY, "running program or as swap space"),
            (libc::ELOOP, "name the file itself"),
            (libc::ENAMETOOLONG, "use a shorter one"),
            (libc::ENXIO, "the device is gone, or has no medium"),
            (libc::EMFILE, "raise the limit (ulimit -n)"),
            (libc::EIO, "cannot open it: "),
        ] {
            let error = TargetError::from_io(
                Path::new("/a/b"),
                "open it",
                "write",
                io::Error::from_raw_os_error(errno),
            );
            let text = error.to_string();
            assert!(text.starts_with("/a/b: ") && text.contains(expected), "{text}");
        }
    }
}
