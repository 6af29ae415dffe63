//! The mount of a file.

use super::device::{DeviceNumber, split};
use super::mountinfo::{self, Mount};
use super::root::Root;
use rustix::fs::{AtFlags, StatxFlags};
use std::fs;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

/// Maximum number of stacked file systems, by loop devices and overlays.
pub(super) const NESTING: u32 = 8;

#[derive(Debug, Clone)]
pub(super) struct FileLocation {
    pub path: PathBuf,
    pub number: Option<DeviceNumber>,
    /// ID of its mount at the time of opening; `None` = the path decides.
    pub mount: Option<u32>,
}

impl FileLocation {
    /// Returns the place of a path without links.
    pub(crate) fn from_path(path: impl Into<PathBuf>) -> FileLocation {
        FileLocation { path: path.into(), number: None, mount: None }
    }

    /// Returns the place of an open file, for a process without /proc by its `path`; `None` if unknown.
    pub(crate) fn of_open(file: impl AsFd, path: &Path) -> Option<FileLocation> {
        let number = split(rustix::fs::fstat(&file).ok()?.st_dev);
        let name = fs::read_link(format!("/proc/self/fd/{}", file.as_fd().as_raw_fd()));
        let path = name.or_else(|_| fs::canonicalize(path)).ok()?;
        Some(FileLocation { path, number: Some(number), mount: mount_of(&file) })
    }

    /// Returns its mount; `None` = not visible.
    pub(crate) fn mount(&self, root: &Root) -> Option<Mount> {
        let mounts = root.mounts();
        let opened = self.mount.and_then(|id| mounts.iter().find(|mount| mount.id == id));
        opened.or_else(|| mountinfo::holding(&mounts, &self.path)).cloned()
    }
}

impl Mount {
    /// Returns the path relative to the root of the mounted file system.
    pub(crate) fn inner(&self, path: &Path) -> PathBuf {
        let inner = Path::new(&self.root).join(path.strip_prefix(&self.at).unwrap_or(path));
        inner.strip_prefix("/").map(Path::to_owned).unwrap_or(inner)
    }
}

/// Returns the ID of an open file's mount, as in `/proc/self/mountinfo`.
fn mount_of(file: impl AsFd) -> Option<u32> {
    // Since Linux 5.8.
    let found = rustix::fs::statx(&file, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID);
    let found =
        found.ok().filter(|found| StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::MNT_ID));
    if let Some(found) = found {
        return u32::try_from(found.stx_mnt_id).ok();
    }
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_fd().as_raw_fd())).ok()?;
    info.lines().find_map(|line| line.strip_prefix("mnt_id:")?.trim().parse().ok())
}
