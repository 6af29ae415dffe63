//! Reads the storage of a target.

use super::{BlockDevice, FileSystem, Storage};
use crate::device::{Device, DeviceNumber, split};
use crate::mountinfo;
use crate::nvme::Generic;
use crate::root::{Root, text};
use crate::target::locate;
use crate::usage::devices_of;
use diskspd_profile::RawText;
use diskspd_sys::file_systems::type_name;
use rustix::fs::FileType;
use std::path::Path;

/// Recorded files of a device's `queue` directory.
const QUEUE: [&str; 17] = [
    "scheduler",
    "nr_requests",
    "write_cache",
    "fua",
    "rotational",
    "logical_block_size",
    "physical_block_size",
    "max_sectors_kb",
    "max_hw_sectors_kb",
    "read_ahead_kb",
    "nomerges",
    "rq_affinity",
    "wbt_lat_usec",
    "io_poll",
    "zoned",
    "discard_max_bytes",
    "iostats",
];

/// Returns the storage of a target on this machine; for a missing target, the storage of its directory.
pub fn storage(path: &RawText) -> Storage {
    storage_on(&Root::live_system().remembering(), path)
}

/// Returns the storage of several targets, and reads each device once.
pub fn storages<'a>(paths: impl IntoIterator<Item = &'a RawText>) -> Vec<Storage> {
    let root = Root::live_system().remembering();
    paths.into_iter().map(|path| storage_on(&root, path)).collect()
}

fn storage_on(root: &Root, path: &RawText) -> Storage {
    let Ok(given) = locate(path.as_bytes()) else {
        return Storage { path: path.clone(), ..Storage::default() };
    };
    let there = given.ancestors().find_map(|above| {
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        Some((std::fs::canonicalize(above).ok()?, rustix::fs::stat(above).ok()?))
    });
    let Some((place, found)) = there else { return Storage { path: path.clone(), ..Storage::default() } };
    match FileType::from_raw_mode(found.st_mode) {
        FileType::BlockDevice => Storage {
            path: path.clone(),
            file_system: None,
            device: Device::find(root, split(found.st_rdev)).map(|device| device.settings(root)),
        },
        FileType::CharacterDevice if Generic::from_stat(root, &found).is_some() => Storage {
            path: path.clone(),
            file_system: None,
            device: Generic::from_stat(root, &found).and_then(|generic| Some(generic.block?.settings(root))),
        },
        _ => {
            let mut storage = on_file_system(root, path, &place, split(found.st_dev));
            // No mount holds it where a changed root (chroot) is in the middle of one: then it is that of the
            // root.
            let of_root = || {
                let mounted_at = "/".to_owned();
                FileSystem { kind: type_name(&place), mounted_at, ..FileSystem::default() }
            };
            measure_space(storage.file_system.get_or_insert_with(of_root), &place);
            storage
        }
    }
}

/// Returns the storage of a file. `place`: the path without links of the file or its directory; `number`:
/// the device number of its file system.
pub fn on_file_system(root: &Root, path: &RawText, place: &Path, number: DeviceNumber) -> Storage {
    let mounts = root.mounts();
    let mount = mountinfo::holding(&mounts, place);
    // Where a file system has many devices, its own number is none of theirs.
    let candidates = std::iter::once(number).chain(mount.iter().flat_map(|mount| devices_of(root, mount)));
    let device = candidates.into_iter().find_map(|number| Device::find(root, number));
    Storage {
        path: path.clone(),
        file_system: mount.map(|mount| FileSystem {
            kind: mount.file_system.clone(),
            mounted_at: mount.at.clone(),
            options: mount.options.clone(),
            ..FileSystem::default()
        }),
        device: device.map(|device| device.settings(root)),
    }
}

/// Reads size and free space of a file system; `place`: a path in it.
fn measure_space(file_system: &mut FileSystem, place: &Path) {
    if let Ok(found) = rustix::fs::statvfs(place) {
        file_system.block_size = Some(found.f_bsize);
        file_system.size = Some(found.f_blocks.saturating_mul(found.f_frsize));
        file_system.available = Some(found.f_bavail.saturating_mul(found.f_frsize));
    }
}

impl Device {
    pub(crate) fn settings(&self, root: &Root) -> BlockDevice {
        root.settings(self.directory(), || self.read_settings())
    }

    fn read_settings(&self) -> BlockDevice {
        let disk = self.whole_disk();
        let whole = disk.as_ref().unwrap_or(self);
        let read = |file: &str| text(&whole.directory().join(file)).filter(|text| !text.is_empty());
        let queue = QUEUE.iter().filter_map(|name| Some((name.to_string(), read(&format!("queue/{name}"))?)));
        BlockDevice {
            name: format!("/dev/{}", self.name.replace('!', "/")),
            disk: disk.as_ref().map(|disk| format!("/dev/{}", disk.name.replace('!', "/"))),
            model: whole.model(),
            firmware: read("device/firmware_rev").or_else(|| read("device/rev")),
            // Of NVMe, of SCSI, of virtio.
            identity: ["wwid", "device/wwid", "serial"].into_iter().find_map(read),
            size: self.size(),
            queue: queue.collect(),
            direct: read("loop/dio").map(|value| value == "1"),
        }
    }
}
