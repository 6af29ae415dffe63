//! tracefs, where the kernel describes its tracepoints.

use super::format::EventFormat;
use super::refusal::TracingError;
use crate::root::Root;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Possible mount points; the second is for systems with only debugfs.
const MOUNT_POINTS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

#[derive(Debug, Clone)]
pub struct Tracefs {
    directory: PathBuf,
    _own: Option<Arc<OwnedFd>>,
}

impl Tracefs {
    /// Finds the tree. If it is not mounted, it is mounted privately for this program, which needs root.
    ///
    /// # Errors
    /// Fails if it is not available; the error contains the remedy.
    pub fn find(root: &Root) -> Result<Tracefs, TracingError> {
        for place in MOUNT_POINTS {
            match std::fs::read_dir(root.path(place).join("events")) {
                Ok(_) => return Ok(Tracefs { directory: root.path(place), _own: None }),
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    return Err(TracingError::Tracefs { at: place.into(), error });
                }
                Err(_) => {}
            }
        }
        let own = mount_privately().map_err(|error| TracingError::NotMounted { error: error.into() })?;
        let directory = Path::new("/proc/self/fd").join(own.as_raw_fd().to_string());
        Ok(Tracefs { directory, _own: Some(Arc::new(own)) })
    }

    /// Returns the directory, which exists as long as this value or a clone of it.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the kernel's format of a tracepoint, named like `block/block_rq_issue`; `Ok(None)` if it
    /// does not exist.
    ///
    /// # Errors
    /// Fails if the format is not readable.
    pub fn format(&self, name: &str) -> Result<Option<EventFormat>, TracingError> {
        let file = self.directory.join("events").join(name).join("format");
        match std::fs::read_to_string(&file) {
            Ok(text) => Ok(EventFormat::parse(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(TracingError::Tracefs { at: file, error }),
        }
    }
}

fn mount_privately() -> rustix::io::Result<OwnedFd> {
    let file_system = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(&file_system)?;
    fsmount(&file_system, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracepoints_are_found_in_both_mounts_or_missing() {
        for place in MOUNT_POINTS {
            let machine = tempfile::tempdir().expect("a directory");
            let root = Root::at(machine.path());
            let tracepoint = root.path(place).join("events/task/task_newtask");
            std::fs::create_dir_all(&tracepoint).expect("a tree");
            std::fs::write(tracepoint.join("format"), "name: task_newtask\nID: 205\n").expect("a format");
            let tree = Tracefs::find(&root).expect("it is there");
            assert_eq!(
                tree.format("task/task_newtask").expect("readable").map(|format| format.id),
                Some(205)
            );
            assert_eq!(tree.format("task/none").expect("readable"), None);
        }
    }

    #[test]
    fn unmounted_tracefs_is_reached_or_reported() {
        let empty = tempfile::tempdir().expect("a directory");
        match Tracefs::find(&Root::at(empty.path())) {
            Ok(own) => {
                let format = own.format("task/task_newtask").expect("readable").expect("every kernel has it");
                assert!(format.field("clone_flags").is_some(), "{format:?}");
            }
            Err(refusal) => {
                let told = refusal.to_string();
                assert!(told.contains("mount -t tracefs tracefs /sys/kernel/tracing"), "{told}");
            }
        }
    }
}
