//! The devices under a target, from the file system down to the disks.

use super::memory_backed::InMemory;
use super::remote::RemoteMount;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack {
    /// Type of the file system; `None` if the target is a device, or the type is unknown.
    pub file_system: Option<String>,
    /// Devices directly under it; several for multi-device file systems.
    pub top_devices: Vec<String>,
    /// All devices without duplicates, upper devices first.
    pub layers: Vec<Layer>,
    /// Reason for a missing device; `None` = there is a device.
    pub no_device_reason: Option<String>,
    /// Why the target is memory although its file system does not look like it: the directory of an overlay
    /// with the file is in memory. `None` = not in memory, or obvious (tmpfs).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_memory: Option<String>,
    /// All file systems under the target, the upper ones first. Empty = the target is a device, or an older
    /// program made the record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<StackMount>,
}

/// Mounted file system between a target and its devices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackMount {
    pub mount_point: String,
    /// Type such as `ext4` or `overlay`.
    pub kind: String,
    /// Mount options, joined by commas.
    pub options: String,
}

impl StackMount {
    /// Returns the mount option, if any, by which this file system ignores flushes.
    pub fn drops_flushes(&self) -> Option<&str> {
        dropping_option(&self.kind, &self.options)
    }
}

/// Returns the mount option by which a file system of this type ignores flushes.
pub fn dropping_option<'a>(kind: &str, options: &'a str) -> Option<&'a str> {
    options.split(',').find(|option| match *option {
        "nobarrier" | "barrier=0" | "barrier=none" => true,
        "volatile" | "fsync=volatile" => kind == "overlay",
        "nointegrity" => kind == "jfs",
        "journal_flush_disabled" => kind == "bcachefs",
        option => option == "fsync_mode=nobarrier",
    })
}

/// One block device of a stack, or a mount of another host's files in the place of one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// Kernel name: `dm-0`, `sda1`.
    pub name: String,
    /// Device number, `major:minor`; `None` without a number (a path of an NVMe device), or in records of
    /// older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    pub kind: LayerKind,
    /// Names of the underlying devices; empty = lowest layer, or unknown.
    pub lower_devices: Vec<String>,
    /// Whether every requested byte causes exactly one request to the lower devices. False for redundant
    /// RAID, caches and files.
    pub one_to_one: bool,
    /// Whether it is a cache, where one lower device has a copy of another's data. Missing if no cache was
    /// detected.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cache: bool,
    /// Whether the kernel counts its I/O (`queue/iostats`).
    pub statistics: bool,
    /// Whether a loop device bypasses the page cache (`loop/dio`); `None` = unknown, or another device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct: Option<bool>,
    /// Reason why the lower devices are unknown, so the I/O may have used only memory.
    pub lower_unknown: Option<String>,
    /// Queue limits of the kernel; missing in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_limits: Option<Traits>,
    /// Memory that holds its data; missing = not detected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<InMemory>,
    /// Remote mount with client counters instead of a device; missing for a device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteMount>,
}

/// Kernel settings for the I/Os of a device; a partition has its disk's. `None` if not reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traits {
    /// Whether its write cache is volatile and needs flushes (`write_cache`).
    pub write_back: Option<bool>,
    /// Whether single writes can bypass that cache (`fua`); they are not counted.
    pub fua: Option<bool>,
    /// Maximum request size in bytes (`max_sectors_kb`).
    pub largest_io: Option<u64>,
    /// Maximum request size of the hardware in KiB (`max_hw_sectors_kb`).
    pub hardware_max_io: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerKind {
    /// Disk, or a device with the same function.
    #[default]
    Disk,
    Partition,
    Mapper,
    Raid,
    /// File or device presented as a disk.
    Loop,
    Bcache,
    Multipath,
    /// Mount of another host's files, without a device.
    Mount,
}

impl Stack {
    pub fn leaves(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter().filter(|layer| layer.lower_devices.is_empty())
    }

    pub fn layer(&self, name: &str) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.name == name)
    }

    pub fn without(why: impl Into<String>) -> Stack {
        Stack { no_device_reason: Some(why.into()), ..Stack::default() }
    }
}
