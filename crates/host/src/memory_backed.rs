//! Detection of devices that are backed by memory.

use super::device::Device;
use super::mountinfo;
use super::root::{Root, text};
use diskspd_machine::file_systems::FileSystemType;
use diskspd_machine::memory_backed::*;
use std::path::Path;

/// Returns the kind of memory that backs the device; `None` = not detected.
pub(super) fn find_memory(root: &Root, device: &Device) -> Option<InMemory> {
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

fn lies_in_memory(root: &Root, file: &str) -> bool {
    if file.starts_with("/memfd:") {
        return true;
    }
    let mounts = root.mounts();
    let place = file.strip_suffix(" (deleted)").unwrap_or(file);
    let mount = mountinfo::holding(&mounts, Path::new(place));
    // The nodes of devices lie in memory, the devices don't.
    let is_device = file.starts_with("/dev/") && Device::of_node(root, file).is_some();
    !is_device && mount.is_some_and(|mount| FileSystemType::from_name(&mount.file_system).is_memory())
}
