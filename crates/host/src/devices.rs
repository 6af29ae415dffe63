//! The list of the machine's block devices, with the numbers by which targets can name them: `#<n>`.

use super::device::{self, Device};
pub use super::disks::{Details, Disk, Partition};
use super::root::Root;
use super::usage;
use diskspd_base::message_error::MessageError;
use std::path::PathBuf;

/// Returns all whole block devices in a stable order. Hardware is first, then devices built from other
/// devices (LVM, RAID, bcache, network and ZFS volumes), then loop, zram and ram devices. Within each
/// group they are in name order with numbers by value, `sdz` before `sdaa`. Virtual devices without a
/// capacity (loop devices without a file) are omitted.
///
/// Numbers are positions in this list, so they are stable until a device is added or removed. Names in
/// `/dev/disk/by-id` are stable beyond that.
pub fn list(root: &Root) -> Vec<Disk> {
    let mut devices: Vec<Device> = device::all(root)
        .filter(|device| !device.is_partition())
        .filter(|device| !device.is_virtual() || device.size().unwrap_or(0) > 0)
        .collect();
    devices.sort_by_cached_key(|device| (device_rank(device), natural_key(&device.name)));
    devices.into_iter().enumerate().map(|(number, device)| describe_disk(root, number, &device)).collect()
}

/// Returns the kernel names of all block devices, including partitions and unused virtual devices.
pub fn all_names(root: &Root) -> Vec<String> {
    root.names("/sys/class/block")
}

/// Returns the path of the device with this number in [`list`], or with this kernel or device mapper name.
/// The name may be a partition.
///
/// # Errors
/// Fails if there is no such device.
pub fn find(root: &Root, name: &str) -> Result<PathBuf, MessageError> {
    let disks = list(root);
    let found = match name.parse::<usize>() {
        Ok(number) if name.bytes().all(|b| b.is_ascii_digit()) => {
            disks.get(number).map(|disk| disk.path.clone())
        }
        _ => disks.iter().find_map(|disk| {
            if disk.name == name || disk.details.mapper_name.as_deref() == Some(name) {
                return Some(disk.path.clone());
            }
            disk.partitions.iter().find(|part| part.name == name).map(|part| part.path.clone())
        }),
    };
    found.ok_or_else(|| {
        let there = match disks.as_slice() {
            [] => "this machine shows no block devices".to_owned(),
            [only] => format!("there is only #0, {}", only.path.display()),
            [first, .., last] => {
                format!(
                    "there are #0, {}, to #{}, {}",
                    first.path.display(),
                    last.number,
                    last.path.display()
                )
            }
        };
        MessageError::from(format!(
            "'#{name}' is not a block device: {there} (diskspd devices lists them). For a file of that name \
             write ./#{name}"
        ))
    })
}

fn describe_disk(root: &Root, number: usize, device: &Device) -> Disk {
    let mut partitions = device.partitions();
    partitions.sort_by_cached_key(|partition| natural_key(&partition.name));
    let found = usage::all_uses(root, device);
    Disk {
        number,
        name: device.name.clone(),
        path: device.node(),
        size: device.size().unwrap_or(0),
        details: device.details(),
        partitions: partitions
            .into_iter()
            .map(|partition| Partition {
                path: partition.node(),
                size: partition.size().unwrap_or(0),
                name: partition.name,
            })
            .collect(),
        uses: found.uses,
        unchecked: found.unknown.first().map(ToString::to_string),
    }
}

fn device_rank(device: &Device) -> u8 {
    let kind = device.name.trim_end_matches(|c: char| c.is_ascii_digit());
    match (device.is_virtual(), kind) {
        (false, _) => 0,
        (true, "loop" | "zram" | "ram") => 2,
        (true, _) => 1,
    }
}

/// Part of a name for the comparison of names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum NamePart {
    Number(u128),
    Text(String),
}

/// A name in parts that compare as people count. Disks with letters for numbers (`sda` .. `sdz`, `sdaa`)
/// count in letters: more letters are later.
fn natural_key(name: &str) -> Vec<NamePart> {
    let mut parts = Vec::new();
    let mut rest = name;
    for prefix in ["sd", "vd", "hd", "xvd", "dasd"] {
        let letters = name.strip_prefix(prefix).map(|behind| {
            let end = behind.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(behind.len());
            behind.split_at(end)
        });
        if let Some((letters, behind)) = letters.filter(|(letters, _)| !letters.is_empty()) {
            let count = |sum: u128, b: u8| sum.saturating_mul(26).saturating_add(u128::from(b - b'a') + 1);
            parts = vec![NamePart::Text(prefix.into()), NamePart::Number(letters.bytes().fold(0, count))];
            rest = behind;
            break;
        }
    }
    while let Some(first) = rest.chars().next() {
        let digits = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        parts.push(match part.parse() {
            Ok(number) if digits => NamePart::Number(number),
            _ => NamePart::Text(part.to_owned()),
        });
        rest = behind;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_names_are_sorted_naturally() {
        let ordered = [
            "cciss!c0d0",
            "dm-2",
            "dm-10",
            "hda",
            "nvme0n1",
            "nvme0n1p2",
            "nvme0n1p10",
            "nvme0n2",
            "nvme1n1",
            "nvme10n1",
            "sd",
            "sda",
            "sda1",
            "sda10",
            "sdb",
            "sdz",
            "sdaa",
            "sdab",
            "sr0",
            "vda",
            "vdaa",
            "xvda",
            "x99999999999999999999999999999999999999999999",
        ];
        let mut sorted = ordered.map(str::to_owned).to_vec();
        sorted.reverse();
        sorted.sort_by_cached_key(|name| natural_key(name));
        // Numbers that are too long are compared as text.
        assert_eq!(sorted[..sorted.len() - 2], ordered[..ordered.len() - 2]);
        let all: std::collections::BTreeSet<_> = ordered.iter().map(|name| natural_key(name)).collect();
        assert_eq!(all.len(), ordered.len(), "different names have different keys");
    }
}
