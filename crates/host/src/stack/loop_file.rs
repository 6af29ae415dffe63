//! The storage under the file of a loop device.

use super::underlying::{MissingDevices, UnderlyingDevices};
use crate::device::{Device, split};
use crate::file_place::{FileLocation, NESTING};
use crate::root::Root;
use diskspd_machine::stack::StackMount;
use diskspd_sys::{files, loops};
use std::os::fd::AsFd;
use std::path::PathBuf;

/// Devices under a loop device, with the file systems in between.
type LoopBacking = Result<(Vec<Device>, Vec<StackMount>), MissingDevices>;

/// Finds the devices under a loop device with the file or device `name` in /sys.
pub(super) fn behind_loop(root: &Root, device: &Device, name: &str) -> LoopBacking {
    let about = |why: &str| format!("its backing file, {name}: {why}");
    let gone = name.strip_suffix(" (deleted)").is_some();
    let Some(backing) = root.is_live().then(|| loop_backing(device)).flatten() else {
        if name.starts_with("/dev/")
            && let Some(device) = Device::of_node(root, name)
        {
            return Ok((vec![device], Vec::new()));
        }
        return match gone {
            true => Err(MissingDevices::new(about("it was deleted"))),
            false => resolve_backing(root, &FileLocation::from_path(name), about),
        };
    };
    if backing.itself != (0, 0) {
        let device = Device::find(root, backing.itself);
        return device
            .map(|device| (vec![device], Vec::new()))
            .ok_or_else(|| MissingDevices::new("/sys does not know its device"));
    }
    let same =
        |found: rustix::fs::Stat| (split(found.st_dev), found.st_ino) == (backing.device, backing.inode);
    let by_name = !gone && rustix::fs::stat(name).is_ok_and(same);
    let mounts = root.mounts();
    let mounted = mounts.iter().find(|mount| mount.number == backing.device);
    let (path, mount) = match (by_name, mounted) {
        (true, _) => (PathBuf::from(name), None),
        (false, Some(mount)) => (PathBuf::from(&mount.at), Some(mount.id)),
        (false, None) => return Err(MissingDevices::new(about("it is not visible from here"))),
    };
    resolve_backing(root, &FileLocation { path, number: Some(backing.device), mount }, about)
}

fn loop_backing(device: &Device) -> Option<loops::Backing> {
    loops::backing(files::look_into(&device.node()).ok()?.as_fd()).ok()
}

fn resolve_backing(root: &Root, place: &FileLocation, about: impl Fn(&str) -> String) -> LoopBacking {
    let found =
        UnderlyingDevices::file(root, place, NESTING - 1).map_err(|without| without.with_text(about))?;
    Ok((found.devices, found.mounts))
}
