//! What the targets lie on, for the record: a figure without the file system's mount options and the
//! device's queue settings can't be compared with another one.

use crate::profile::RawText;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Storage {
    /// The target, as the user gave it.
    pub path: RawText,
    /// Of a file: the file system; `None` = the target is a device.
    pub file_system: Option<FileSystem>,
    /// The device itself, or the one that the file system is on. `None` = it has none (tmpfs, a network).
    pub device: Option<BlockDevice>,
}

impl Storage {
    /// Whether the target is a block device; `None` = nobody looked, or nothing was found.
    pub fn is_block_device(&self) -> Option<bool> {
        let looked_at = self.file_system.is_some() || self.device.is_some();
        looked_at.then_some(self.file_system.is_none())
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSystem {
    /// `ext4`, `xfs`
    pub kind: String,
    pub mounted_at: String,
    /// Mount options, those of the mount and of the file system, joined by commas; empty = not known.
    pub options: String,
    #[serde(default)]
    pub block_size: Option<u64>,
    #[serde(default)]
    pub size: Option<u64>,
    #[serde(default)]
    pub available: Option<u64>,
}

/// A block device and how the kernel drives it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockDevice {
    /// `/dev/nvme0n1p1`
    pub name: String,
    pub disk: Option<String>,
    /// The manufacturer's name of the disk.
    pub model: Option<String>,
    pub firmware: Option<String>,
    /// What tells the disk from any other, on every host that sees it: its WWN, or its serial number; `None`
    /// = it has none, as most simulated ones, or nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// Capacity, bytes.
    pub size: Option<u64>,
    /// Settings by their names in `/sys/block/<disk>/queue`.
    pub queue: BTreeMap<String, String>,
    /// Of a loop device: whether it goes past the page cache to the file behind it. `None` = it is none, or
    /// not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct: Option<bool>,
}

/// `none` of `mq-deadline [none]`; a list with no mark has one entry.
pub fn chosen_word(list: &str) -> String {
    let marked = list.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(name, _)| name);
    marked.unwrap_or(list).to_owned()
}
