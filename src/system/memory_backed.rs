//! Devices that are memory in disguise.

use super::device::Device;
use super::mountinfo;
use super::root::{Root, text};
use crate::sys::file_systems::FileSystemType;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How a block device keeps its content in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InMemory {
    /// A RAM disk (brd).
    RamDisk,
    /// null_blk: nowhere, or in memory.
    NullBlk,
    /// scsi_debug, a simulated SCSI disk.
    ScsiDebug,
    /// A loop device over a file that lies in memory (tmpfs).
    File,
    /// zram: compressed; what is zero or one repeated word is not stored at all.
    Zram,
}

impl InMemory {
    /// What it is, with an article.
    pub fn describe(self) -> &'static str {
        match self {
            InMemory::RamDisk => "a RAM disk",
            InMemory::NullBlk => "null_blk, which stores nothing, or all in memory",
            InMemory::ScsiDebug => "a simulated disk in memory (scsi_debug)",
            InMemory::File => "a loop device over a file in memory",
            InMemory::Zram => "compressed memory (zram)",
        }
    }

    /// What a device is; `None` = as far as can be seen, no memory.
    #[cfg(target_os = "linux")]
    pub(super) fn of(root: &Root, device: &Device) -> Option<InMemory> {
        let numbered = |driver: &str| {
            let number = device.name.strip_prefix(driver);
            number.is_some_and(|number| {
                number.starts_with(|digit: char| digit.is_ascii_digit()) && !number.contains('/')
            })
        };
        match () {
            () if numbered("zram") => Some(InMemory::Zram),
            () if numbered("ram") => Some(InMemory::RamDisk),
            () if numbered("nullb") => Some(InMemory::NullBlk),
            () if text(&device.directory().join("device/model")).as_deref() == Some("scsi_debug") => {
                Some(InMemory::ScsiDebug)
            }
            () => device.backing_file().filter(|file| lies_in_memory(root, file)).map(|_| InMemory::File),
        }
    }
}

#[cfg(target_os = "linux")]
fn lies_in_memory(root: &Root, file: &str) -> bool {
    if file.starts_with("/memfd:") {
        return true;
    }
    let mounts = root.text("/proc/self/mountinfo").unwrap_or_default();
    let place = file.strip_suffix(" (deleted)").unwrap_or(file);
    let mount = mountinfo::holding(&mounts, Path::new(place));
    // The nodes of devices lie in memory, the devices don't.
    let is_device = file.starts_with("/dev/") && Device::of_node(root, file).is_some();
    !is_device && mount.is_some_and(|mount| FileSystemType::named(&mount.file_system).is_memory())
}
