//! Where a file is among the mounts.

use super::device::{DeviceNumber, split};
use super::mountinfo::{self, Mount};
use super::root::Root;
use std::fs;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

/// How many file systems lie on each other at most, by loop devices and overlays.
pub(super) const NESTING: u32 = 8;

/// A file, as far as it is known.
#[derive(Debug, Clone)]
pub(super) struct FilePlace {
    /// Its path without links.
    pub path: PathBuf,
    /// Number of its file system's device.
    pub number: Option<DeviceNumber>,
    /// The mount that it was opened on; `None` = the one that the path leads to.
    pub mount: Option<u32>,
}

impl FilePlace {
    /// The place of a path without links.
    pub fn at(path: impl Into<PathBuf>) -> FilePlace {
        FilePlace { path: path.into(), number: None, mount: None }
    }

    /// The place of an open file. `path`: where it was found, for a process without /proc. `None` = unknown.
    pub fn of_open(file: impl AsFd, path: &Path) -> Option<FilePlace> {
        let number = split(rustix::fs::fstat(&file).ok()?.st_dev);
        let name = fs::read_link(format!("/proc/self/fd/{}", file.as_fd().as_raw_fd()));
        let path = name.or_else(|_| fs::canonicalize(path)).ok()?;
        Some(FilePlace { path, number: Some(number), mount: mount_of(&file) })
    }

    /// The mount that it lies on; `None` = none that is visible has it.
    pub fn mount(&self, root: &Root) -> Option<Mount> {
        let mounts = root.mounts();
        let opened = self.mount.and_then(|id| mountinfo::parse(&mounts).find(|mount| mount.id == id));
        opened.or_else(|| mountinfo::holding(&mounts, &self.path))
    }
}

impl Mount {
    /// The path of a file from the root of the mounted file system.
    pub fn inner(&self, path: &Path) -> PathBuf {
        let inner = Path::new(&self.root).join(path.strip_prefix(&self.at).unwrap_or(path));
        inner.strip_prefix("/").map(Path::to_owned).unwrap_or(inner)
    }
}

/// The mount that a file was opened on, by its number in `/proc/self/mountinfo`.
fn mount_of(file: impl AsFd) -> Option<u32> {
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_fd().as_raw_fd())).ok()?;
    info.lines().find_map(|line| line.strip_prefix("mnt_id:")?.trim().parse().ok())
}
