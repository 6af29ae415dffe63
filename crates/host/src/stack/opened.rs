//! Files by what is open, not by a name: a name may lead elsewhere by now, or lie beneath a later mount.

use super::beneath::{Beneath, FilePlace, NESTING, Without};
use super::{Stack, at, of_device};
use crate::device::{Device, split};
use crate::mountinfo;
use crate::root::Root;
use diskspd_sys::{files, loops};
use rustix::fs::FileType;
use std::fs::{self, File};
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

/// What an open target lies on; `path`: where it was found, for a process that can't see its own files
/// (no /proc).
///
/// An overlay copies a file to its upper directory when it is opened for writing: what is to be written has
/// to be open for that before it is asked where it lies.
pub fn of_open(root: &Root, file: &File, path: &Path) -> Stack {
    let Ok(found) = rustix::fs::fstat(file) else { return Stack::without("it can't be inspected") };
    if FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice {
        return of_device(root, split(found.st_rdev));
    }
    let name = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let Ok(path) = name.or_else(|_| fs::canonicalize(path)) else {
        return Stack::without("its location can't be determined");
    };
    at(root, &FilePlace { path, number: Some(split(found.st_dev)), mount: mount_of(file) })
}

/// The mount that a file was opened on, by its number in `/proc/self/mountinfo`.
fn mount_of(file: &File) -> Option<u32> {
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd())).ok()?;
    info.lines().find_map(|line| line.strip_prefix("mnt_id:")?.trim().parse().ok())
}

/// The devices beneath a loop device whose file or device /sys calls `name`.
pub(super) fn behind_loop(root: &Root, device: &Device, name: &str) -> Result<Vec<Device>, Without> {
    let about = |why: &str| format!("the file behind it, {name}: {why}");
    let gone = name.strip_suffix(" (deleted)").is_some();
    let Some(backing) = root.is_live().then(|| backing(device)).flatten() else {
        if name.starts_with("/dev/")
            && let Some(device) = Device::of_node(root, name)
        {
            return Ok(vec![device]);
        }
        return match gone {
            true => Err(Without::unknown(about("it was deleted"))),
            false => beneath(root, &FilePlace { path: name.into(), number: None, mount: None }, about),
        };
    };
    if backing.itself != (0, 0) {
        let device = Device::of(root, backing.itself);
        return device
            .map(|device| vec![device])
            .ok_or_else(|| Without::unknown("/sys doesn't know its device"));
    }
    let same =
        |found: rustix::fs::Stat| (split(found.st_dev), found.st_ino) == (backing.device, backing.inode);
    let by_name = !gone && rustix::fs::stat(name).is_ok_and(same);
    let mounts = root.mounts();
    let mounted = mountinfo::parse(&mounts).find(|mount| mount.number == backing.device);
    let (path, mount) = match (by_name, mounted) {
        (true, _) => (PathBuf::from(name), None),
        (false, Some(mount)) => (PathBuf::from(&mount.at), Some(mount.id)),
        (false, None) => return Err(Without::unknown(about("it isn't visible from here"))),
    };
    beneath(root, &FilePlace { path, number: Some(backing.device), mount }, about)
}

fn backing(device: &Device) -> Option<loops::Backing> {
    loops::backing(files::look_into(&device.node()).ok()?.as_fd()).ok()
}

fn beneath(root: &Root, place: &FilePlace, about: impl Fn(&str) -> String) -> Result<Vec<Device>, Without> {
    Beneath::file(root, place, NESTING - 1).map(|found| found.devices).map_err(|without| without.told(about))
}
