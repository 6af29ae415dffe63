//! What the targets lie on, for the record: a figure without the file system's mount options and the device's queue
//! settings can't be compared with another one.

use super::device::{Device, Number, split};
use super::mountinfo;
use super::root::{Root, text};
use super::target::locate;
use super::usage::devices_of;
use crate::profile::RawText;
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Files of a device's `queue` directory that are kept.
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

/// What one target lies on; what is not known is missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Storage {
    /// The target, as the user gave it.
    pub path: RawText,
    /// Of a file: the file system; `None` = the target is a device.
    pub file_system: Option<FileSystem>,
    /// The device itself, or the one that the file system is on. `None` = it has none (tmpfs, a network).
    pub device: Option<BlockDevice>,
}

/// A mounted file system.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSystem {
    /// `ext4`, `xfs`
    pub kind: String,
    /// Where it is mounted.
    pub mounted_at: String,
    /// Mount options, those of the mount and of the file system, joined by commas.
    pub options: String,
    /// Its block, bytes.
    #[serde(default)]
    pub block_size: Option<u64>,
    /// Its size, bytes.
    #[serde(default)]
    pub size: Option<u64>,
    /// What users may still fill, bytes.
    #[serde(default)]
    pub available: Option<u64>,
}

/// A block device and how the kernel drives it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockDevice {
    /// `/dev/nvme0n1p1`
    pub name: String,
    /// The disk that it is a partition of.
    pub disk: Option<String>,
    /// The manufacturer's name of the disk.
    pub model: Option<String>,
    /// Version of its firmware.
    pub firmware: Option<String>,
    /// Capacity, bytes.
    pub size: Option<u64>,
    /// Settings by their names in `/sys/block/<disk>/queue`.
    pub queue: BTreeMap<String, String>,
    /// Of a loop device: whether it goes past the page cache to the file behind it. `None` = it is none, or not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct: Option<bool>,
}

/// What a target of this machine lies on; for one that does not exist yet, what its directory lies on.
pub fn storage(path: &RawText) -> Storage {
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
            device: Device::of(&Root::live(), split(found.st_rdev)).map(|device| device.settings()),
        },
        _ => {
            let mut storage = on_file_system(&Root::live(), path, &place, split(found.st_dev));
            if let Some(file_system) = &mut storage.file_system {
                file_system.measure(&place);
            }
            storage
        }
    }
}

/// What a file lies on; `place`: its path without links, or that of its directory; `number`: of its file system's device.
pub fn on_file_system(root: &Root, path: &RawText, place: &Path, number: Number) -> Storage {
    let mount = mountinfo::holding(&root.text("/proc/self/mountinfo").unwrap_or_default(), place);
    // Where a file system has many devices, its own number is none of theirs.
    let candidates = std::iter::once(number).chain(mount.iter().flat_map(|mount| devices_of(root, mount)));
    let device = candidates.into_iter().find_map(|number| Device::of(root, number));
    Storage {
        path: path.clone(),
        file_system: mount.map(|mount| FileSystem {
            kind: mount.file_system,
            mounted_at: mount.at,
            options: mount.options,
            ..FileSystem::default()
        }),
        device: device.map(|device| device.settings()),
    }
}

impl FileSystem {
    /// How large it is, and how full; `place`: a path in it.
    fn measure(&mut self, place: &Path) {
        if let Ok(found) = rustix::fs::statvfs(place) {
            self.block_size = Some(found.f_bsize);
            self.size = Some(found.f_blocks.saturating_mul(found.f_frsize));
            self.available = Some(found.f_bavail.saturating_mul(found.f_frsize));
        }
    }
}

impl Device {
    /// Model and settings; a partition has those of its disk.
    pub(super) fn settings(&self) -> BlockDevice {
        let disk = self.whole();
        let whole = disk.as_ref().unwrap_or(self);
        let read = |file: &str| text(&whole.directory().join(file)).filter(|text| !text.is_empty());
        let queue = QUEUE.iter().filter_map(|name| Some((name.to_string(), read(&format!("queue/{name}"))?)));
        BlockDevice {
            name: format!("/dev/{}", self.name.replace('!', "/")),
            disk: disk.as_ref().map(|disk| format!("/dev/{}", disk.name.replace('!', "/"))),
            model: whole.model(),
            firmware: read("device/firmware_rev").or_else(|| read("device/rev")),
            size: self.size(),
            queue: queue.collect(),
            direct: read("loop/dio").map(|value| value == "1"),
        }
    }
}
