//! The disks under the targets: their attachment and drivers.

use crate::device::{self, Device};
use crate::root::{Root, names, number, text};
use diskspd_machine::environment::Disk;
use diskspd_machine::storage::Storage;
use diskspd_profile::TargetId;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) fn find_disks(root: &Root, targets: &[Storage]) -> Vec<Disk> {
    let mut disks: Vec<Disk> = Vec::new();
    // The disks beneath the devices that were met.
    let mut known: HashMap<&str, Vec<usize>> = HashMap::new();
    for (id, target) in (0..).map(TargetId).zip(targets) {
        let Some(device) = &target.device else { continue };
        let beneath =
            known.entry(&device.name).or_insert_with(|| match Device::of_node(root, &device.name) {
                Some(top) => disks_of(root, top, &mut disks),
                None => Vec::new(),
            });
        for place in beneath.iter() {
            disks[*place].targets.push(id);
        }
    }
    disks
}

/// Returns the indexes of the disks under a device. Adds new disks with their description.
fn disks_of(root: &Root, top: Device, disks: &mut Vec<Disk>) -> Vec<usize> {
    let (mut leaves, mut places) = (Vec::new(), Vec::new());
    collect_leaves(top, &mut Vec::new(), &mut leaves);
    for (leaf, partition) in leaves {
        let found = describe_disk(root, &leaf);
        let place = disks.iter().position(|disk| disk.number == found.number).unwrap_or(disks.len());
        if place == disks.len() {
            disks.push(found);
        }
        if let Some(name) = partition.and_then(|partition| misaligned_text(&partition, &leaf))
            && let Some(disk) = disks.get_mut(place)
            && !disk.misaligned.contains(&name)
        {
            disk.misaligned.push(name);
        }
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Returns the disks of hardware with a medium.
pub(super) fn hardware(root: &Root) -> Vec<Disk> {
    device::all(root)
        .filter(|device| !device.is_partition() && !device.is_virtual() && device.size().unwrap_or(0) > 0)
        .map(|device| {
            let partitions = device.partitions();
            let misaligned = partitions.iter().filter_map(|partition| misaligned_text(partition, &device));
            Disk { misaligned: misaligned.collect(), ..describe_disk(root, &device) }
        })
        .collect()
}

fn collect_leaves(device: Device, seen: &mut Vec<Device>, leaves: &mut Vec<(Device, Option<Device>)>) {
    if seen.contains(&device) {
        return;
    }
    seen.push(device.clone());
    if let Some(disk) = device.whole_disk() {
        if beneath_one(&disk).is_empty() {
            leaves.push((disk, Some(device)));
        } else {
            collect_leaves(disk, seen, leaves);
        }
        return;
    }
    let slaves = beneath_one(&device);
    if slaves.is_empty() {
        leaves.push((device, None));
    }
    slaves.into_iter().for_each(|slave| collect_leaves(slave, seen, leaves));
}

fn beneath_one(device: &Device) -> Vec<Device> {
    let directory = device.directory().join("slaves");
    names(&directory).iter().filter_map(|name| Device::from_link(&directory.join(name))).collect()
}

/// Returns the misalignment of a partition. `start` counts sectors of 512 bytes regardless of the disk's
/// sector size.
fn misaligned_text(partition: &Device, disk: &Device) -> Option<String> {
    let start = number::<u64>(&partition.directory().join("start"))?.checked_mul(512)?;
    let block =
        number::<u64>(&disk.directory().join("queue/physical_block_size")).filter(|&block| block > 0)?;
    (start % block != 0).then(|| partition.node().display().to_string())
}

fn describe_disk(root: &Root, device: &Device) -> Disk {
    let hardware = hardware_of(device);
    let above = || hardware.iter().flat_map(|path| path.ancestors());
    let numa_node = above().find_map(|path| number::<i64>(&path.join("numa_node")));
    Disk {
        device: device.settings(root),
        number: format!("{}:{}", device.number.0, device.number.1),
        transport: disk_transport(device, hardware.as_deref()),
        link: above().find(|path| path.join("current_link_speed").exists()).and_then(super::link::read_link),
        numa_node: numa_node.and_then(|node| u32::try_from(node).ok()),
        ..Disk::default()
    }
}

/// The disk's hardware in the device tree. NVMe with several paths is listed under its subsystem, which links
/// to the controllers; the first of them represents all.
fn hardware_of(device: &Device) -> Option<PathBuf> {
    let own = fs::canonicalize(device.directory().join("device")).ok()?;
    let is_controller = |name: &&String| {
        name.strip_prefix("nvme")
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let controller =
        names(&own).iter().find(is_controller).and_then(|name| fs::canonicalize(own.join(name)).ok());
    Some(controller.filter(|path| path.join("transport").exists()).unwrap_or(own))
}

/// Prefixes of path components in `/sys/devices` with the kind of attachment; the last match counts.
const ATTACHMENTS: [(&str, &str); 12] = [
    ("usb", "usb"),
    ("ata", "sata"),
    ("session", "iscsi"),
    ("end_device-", "sas"),
    ("rport-", "fc"),
    ("virtio", "virtio"),
    ("vbd-", "xen"),
    ("vmbus", "hyperv"),
    ("VMBUS", "hyperv"),
    ("mmc", "mmc"),
    ("ufs", "ufs"),
    ("nvme", "pcie"),
];

/// Prefixes of the names of virtual disks.
const VIRTUAL_PREFIXES: [&str; 6] = ["loop", "zram", "ram", "nbd", "rbd", "drbd"];

fn disk_transport(device: &Device, hardware: Option<&Path>) -> Option<String> {
    let stated = hardware.and_then(|path| text(&path.join("transport")));
    if let Some(stated) = stated {
        return Some(stated);
    }
    if let Some(made) = VIRTUAL_PREFIXES.iter().find(|made| device.name.starts_with(**made)) {
        return Some((*made).to_owned());
    }
    let parts = hardware?.components().rev().filter_map(|part| part.as_os_str().to_str());
    let mut ways = parts.filter_map(|part| ATTACHMENTS.iter().find(|(begin, _)| part.starts_with(begin)));
    ways.next().map(|(_, way)| (*way).to_owned())
}
