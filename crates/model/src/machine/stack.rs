//! The devices beneath a target, from the file system down to the disks.

use super::memory_backed::InMemory;
use super::remote::RemoteMount;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack {
    /// Type of the file system; `None` = the target is a device, or its file system isn't known.
    pub file_system: Option<String>,
    /// Names of the devices right beneath it: one, but for file systems that manage many.
    pub top_devices: Vec<String>,
    /// All devices, each once, every one before those that it lies on.
    pub layers: Vec<Layer>,
    /// Why there is no device; `None` = there is one.
    pub no_device_reason: Option<String>,
    /// Why the target is memory though its file system doesn't look so: the directory of an overlay that has
    /// the file is in memory. `None` = it isn't, or it's plain to see (tmpfs).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_memory: Option<String>,
    /// All file systems under the target, the upper ones first. Empty = the target is a device, or the record
    /// is of an older program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<StackMount>,
}

/// A mounted file system between a target and its devices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackMount {
    pub mount_point: String,
    /// `ext4`, `overlay`
    pub kind: String,
    /// Mount options, joined by commas.
    pub options: String,
}

impl StackMount {
    /// The option by which this file system completes flushes without the device, if any.
    pub fn drops_flushes(&self) -> Option<&str> {
        dropping_option(&self.kind, &self.options)
    }
}

/// The mount option by which a file system of this type completes flushes without the device.
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
    /// The kernel's name: `dm-0`, `sda1`.
    pub name: String,
    /// Its number, `major:minor`; `None` = it has none (a path of an NVMe device), or the record is of an
    /// older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    pub kind: LayerKind,
    /// Names of the devices it lies on; empty = nothing is beneath it, or nothing that is known.
    pub lower_devices: Vec<String>,
    /// Whether every byte asked of it is asked once of what it lies on, by it alone: not so for redundant
    /// RAID, caches and files.
    pub one_to_one: bool,
    /// It is a cache: one of what it lies on has a part of what another one has. Missing = not as far as
    /// known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cache: bool,
    /// Whether the kernel counts its I/O (`queue/iostats`).
    pub statistics: bool,
    /// Whether a loop device bypasses the page cache (`loop/dio`); `None` = unknown, or another device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct: Option<bool>,
    /// Why it isn't known what is beneath it: what it counts may have been memory's work.
    pub lower_unknown: Option<String>,
    /// How the kernel feeds it; missing = in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_limits: Option<Traits>,
    /// How it keeps its content in memory; missing = as far as can be seen, it doesn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<InMemory>,
    /// It is no device, but a mount of another host's files, whose client counts; missing = it is a device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteMount>,
}

/// What the kernel does with the I/Os of a device; a partition has its disk's. `None` = it doesn't tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traits {
    /// Whether its write cache loses what is in it with the power, so that it has to be flushed
    /// (`write_cache`).
    pub write_back: Option<bool>,
    /// Whether single writes can go past that cache (`fua`): nothing counts these.
    pub fua: Option<bool>,
    /// The largest I/O that it is given, bytes (`max_sectors_kb`), ..
    pub largest_io: Option<u64>,
    /// .. and the largest that it could take (`max_hw_sectors_kb`).
    pub hardware_max_io: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerKind {
    /// A disk, or what looks like one.
    #[default]
    Disk,
    Partition,
    Mapper,
    Raid,
    /// A file or device made to look like a disk.
    Loop,
    Bcache,
    Multipath,
    /// No device: a mount of another host's files.
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
