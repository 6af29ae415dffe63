//! Location of a target: its name, and the path to access it.
//!
//! A name may lead elsewhere at any moment. An anchored object is accessed by its handle, so the checked,
//! opened and judged object is the same regardless of its name (open(2), `O_PATH`; proc(5),
//! `/proc/PID/fd`).

use super::target_error::{TargetError, TargetErrorKind};
use rustix::fs::{Mode, OFlags, fstat, open, stat};
use rustix::io::Errno;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// File or device, with its name for messages and its path for system calls.
pub trait Location {
    fn name(&self) -> &Path;
    fn access_path(&self) -> &Path;
}

impl Location for Path {
    fn name(&self) -> &Path {
        self
    }

    fn access_path(&self) -> &Path {
        self
    }
}

impl Location for PathBuf {
    fn name(&self) -> &Path {
        self
    }

    fn access_path(&self) -> &Path {
        self
    }
}

/// Object found at a path. Clones refer to the same object.
#[derive(Debug, Clone)]
pub struct TargetHandle(Arc<Object>);

#[derive(Debug)]
struct Object {
    name: PathBuf,
    way: PathBuf,
    /// Handle that keeps the descriptor number in `way` valid; `None` = `way` is the name.
    _handle: Option<OwnedFd>,
}

impl TargetHandle {
    /// Finds the object at a path, following links, and holds it. It requires no read permission, opens no
    /// device and never blocks. Without /proc, or at the limit of open files, the name is used for access.
    ///
    /// # Errors
    /// Fails with [`TargetErrorKind::Missing`] if there is no object, [`TargetErrorKind::DanglingLink`] for a
    /// dangling link, or the error of the lookup.
    pub fn at(path: &Path) -> Result<TargetHandle, TargetError> {
        let bytes = path.as_os_str().as_encoded_bytes();
        if bytes.is_empty() || bytes.contains(&0) {
            return Err(TargetError::new(path, TargetErrorKind::NotAPath));
        }
        let by_name = || Object { name: path.to_owned(), way: path.to_owned(), _handle: None };
        let object = match open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
            Ok(handle) => by_handle(path, handle).unwrap_or_else(by_name),
            Err(Errno::MFILE | Errno::NFILE) => by_name(),
            Err(error) => return Err(not_found(path, error)),
        };
        Ok(TargetHandle(Arc::new(object)))
    }
}

/// Returns the path to the object of a descriptor of this process (proc(5)).
pub(crate) fn descriptor_path(handle: impl AsFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", handle.as_fd().as_raw_fd()))
}

fn by_handle(path: &Path, handle: OwnedFd) -> Option<Object> {
    let way = descriptor_path(&handle);
    let (held, reached) = (fstat(&handle).ok()?, stat(&way).ok()?);
    let same = (held.st_dev, held.st_ino) == (reached.st_dev, reached.st_ino);
    same.then(|| Object { name: path.to_owned(), way, _handle: Some(handle) })
}

pub(crate) fn not_found(path: &Path, error: Errno) -> TargetError {
    match (error, std::fs::read_link(path)) {
        (Errno::NOENT, Ok(to)) => TargetError::new(path, TargetErrorKind::DanglingLink { to }),
        _ => TargetError::from_io(path, "inspect it", "inspect it", error),
    }
}

impl Location for TargetHandle {
    fn name(&self) -> &Path {
        &self.0.name
    }

    fn access_path(&self) -> &Path {
        &self.0.way
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn anchored_folder_is_reached_after_rename() {
        let directory = tempfile::tempdir().unwrap();
        let (name, elsewhere) = (directory.path().join("a"), directory.path().join("b"));
        fs::write(&name, "first").unwrap();
        let held = TargetHandle::at(&name).unwrap();
        fs::rename(&name, &elsewhere).unwrap();
        fs::write(&name, "second").unwrap();
        assert_eq!(fs::read_to_string(held.access_path()).unwrap(), "first");
        fs::remove_file(&elsewhere).unwrap();
        assert_eq!(fs::read_to_string(held.clone().access_path()).unwrap(), "first", "as long as it is held");
        assert_eq!(held.name(), name, "messages call it as it was called");
    }

    #[test]
    fn empty_message_prints_no_next_step() {
        let directory = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("nowhere", directory.path().join("link")).unwrap();
        for (name, expected) in [("none", "no such file"), ("link", "link to nowhere")] {
            let error = TargetHandle::at(&directory.path().join(name)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        assert!(matches!(TargetHandle::at(Path::new("")).unwrap_err().problem, TargetErrorKind::NotAPath));
    }

    #[test]
    fn unopened_pipe_is_refused_without_waiting() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
        assert_eq!(TargetHandle::at(&pipe).unwrap().name(), pipe);
    }
}
