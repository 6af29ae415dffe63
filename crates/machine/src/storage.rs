//! The storage of the targets, for the record. Results are only comparable with the file system's mount
//! options and the device's queue settings.

use diskspd_profile::RawText;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Storage {
    /// Path of the target as entered by the user.
    pub path: RawText,
    /// File system of a file; `None` = the target is a device.
    pub file_system: Option<FileSystem>,
    /// Device of the target or of its file system; `None` = no device (tmpfs, a network).
    pub device: Option<BlockDevice>,
}

impl Storage {
    /// Whether the target is a block device; `None` = unknown.
    pub fn is_block_device(&self) -> Option<bool> {
        let looked_at = self.file_system.is_some() || self.device.is_some();
        looked_at.then_some(self.file_system.is_none())
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSystem {
    /// Type such as `ext4` or `xfs`.
    pub kind: String,
    pub mounted_at: String,
    /// Options of the mount and the file system, separated by commas; empty = unknown.
    pub options: String,
    #[serde(default)]
    pub block_size: Option<u64>,
    #[serde(default)]
    pub size: Option<u64>,
    #[serde(default)]
    pub available: Option<u64>,
}

/// Block device with its kernel settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockDevice {
    /// Name such as `/dev/nvme0n1p1`.
    pub name: String,
    pub disk: Option<String>,
    /// Manufacturer's name of the disk.
    pub model: Option<String>,
    pub firmware: Option<String>,
    /// Globally unique identity of the disk, the same on every host: WWN or serial number. `None` if
    /// missing, as for most virtual disks, or unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    pub size: Option<u64>,
    /// Settings by name in `/sys/block/<disk>/queue`.
    pub queue: BTreeMap<String, String>,
    /// Whether a loop device bypasses the page cache of its file. `None` if unknown, or not a loop device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct: Option<bool>,
}

/// Returns `none` of `mq-deadline [none]`; a list without a mark has one entry.
pub fn chosen_word(list: &str) -> String {
    let marked = list.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(name, _)| name);
    marked.unwrap_or(list).to_owned()
}
