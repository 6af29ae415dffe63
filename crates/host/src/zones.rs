//! Zones of block devices, as reported by the device and limited by the kernel.

use super::device::{Device, DeviceNumber, split};
use super::nvme::Generic;
use super::root::{Root, number};
use diskspd_machine::zones::ZoneFacts;
use diskspd_sys::zones;
use rustix::fs::{FileType, Mode, OFlags};
use std::path::Path;

/// Reads the zones of a device without opening it for writing. The character device of an NVMe namespace
/// stands for the corresponding block device. `None` if the kernel reports no sequential-write zones.
pub fn read_zones(path: &Path) -> Option<ZoneFacts> {
    let root = Root::live_system();
    let found = rustix::fs::stat(path).ok()?;
    match FileType::from_raw_mode(found.st_mode) {
        FileType::BlockDevice => {
            let number = split(found.st_rdev);
            is_host_managed(&root, number).then(|| read_facts(&Device::find(&root, number)?, path)).flatten()
        }
        FileType::CharacterDevice => {
            let device = Generic::from_stat(&root, &found)?.block?;
            device.is_host_managed().then(|| read_facts(&device, &device.node())).flatten()
        }
        _ => None,
    }
}

/// Whether the kernel reports sequential-write zones for a disk, or a partition's disk. Most disks do not
/// have them, and need no further check.
fn is_host_managed(root: &Root, (major, minor): DeviceNumber) -> bool {
    let model = |folder| root.text(format!("/sys/dev/block/{major}:{minor}/{folder}/zoned"));
    model("queue").or_else(|| model("../queue")).is_some_and(|model| model == "host-managed")
}

fn read_facts(device: &Device, way: &Path) -> Option<ZoneFacts> {
    let unknown = |why: String| Some(ZoneFacts { unknown: Some(why), ..ZoneFacts::default() });
    if let Some(whole) = device.whole_disk() {
        // The kernel reports the zones of the disk for it, and resets those of the partition.
        return unknown(format!("it is a partition: name the disk, {whole}"));
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let report = rustix::fs::open(way, flags, Mode::empty()).map_err(std::io::Error::from);
    let (zone_size, zones) = match report.and_then(zones::report) {
        Ok(report) => report,
        Err(error) => return unknown(format!("its zones cannot be read: {error}")),
    };
    let limit = |file| number(&device.directory().join("queue").join(file)).unwrap_or(0);
    Some(ZoneFacts {
        zone_size,
        zones,
        max_open: limit("max_open_zones"),
        max_active: limit("max_active_zones"),
        unknown: None,
    })
}
