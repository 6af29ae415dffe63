//! Conversion of storage layers and disk properties to the form in records.

use super::disk_answers::{Descriptor, Extent};
use super::uses::disk_name;
use crate::disks::Details;
use diskspd_machine::stack::{Layer, LayerKind, Stack, Traits};
use diskspd_machine::storage::BlockDevice;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DiskProperties {
    /// The n of `PhysicalDrive<n>`.
    pub number: u32,
    pub descriptor: Option<Descriptor>,
    pub size: Option<u64>,
    /// Logical and physical sector sizes in bytes.
    pub sectors: Option<(u32, u32)>,
    pub rotates: Option<bool>,
    pub writes_back: Option<bool>,
    /// Maximum transfer of its controller in bytes.
    pub largest_transfer: Option<u64>,
    pub counted: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct VolumeBeneath {
    /// Drive letter such as `C:`, otherwise the volume name.
    pub name: String,
    /// Type such as `ntfs`; `None` = the volume itself is the target.
    pub file_system: Option<String>,
    pub extents: Vec<Extent>,
    pub counted: bool,
}

impl DiskProperties {
    pub(super) fn details(&self) -> Details {
        Details {
            model: self.descriptor.as_ref().and_then(|found| found.model.clone()),
            rotational: self.rotates,
            logical_block_size: self.sectors.map(|(logical, _)| logical),
            physical_block_size: self.sectors.map(|(_, physical)| physical),
            write_cache: self.writes_back.map(|back| cache_mode(back).to_owned()),
            ..Details::default()
        }
    }

    pub(super) fn block_device(&self, volume: &str) -> BlockDevice {
        let descriptor = self.descriptor.clone().unwrap_or_default();
        let mut queue = BTreeMap::new();
        let mut add = |name: &str, value: Option<String>| {
            queue.extend(value.map(|value| (name.to_owned(), value)));
        };
        add("logical_block_size", self.sectors.map(|(logical, _)| logical.to_string()));
        add("physical_block_size", self.sectors.map(|(_, physical)| physical.to_string()));
        add("rotational", self.rotates.map(|yes| u8::from(yes).to_string()));
        add("write_cache", self.writes_back.map(|back| cache_mode(back).to_owned()));
        BlockDevice {
            name: volume.to_owned(),
            disk: Some(disk_name(self.number)),
            model: descriptor.model,
            firmware: descriptor.firmware,
            identity: descriptor.serial,
            size: self.size,
            queue,
            direct: None,
        }
    }

    fn describe_layer(&self) -> Layer {
        let made_of = self.descriptor.as_ref().and_then(Descriptor::is_made_of_others);
        Layer {
            name: disk_name(self.number),
            kind: LayerKind::Disk,
            one_to_one: true,
            statistics: self.counted,
            lower_unknown: made_of.map(str::to_owned),
            queue_limits: Some(Traits {
                write_back: self.writes_back,
                fua: None,
                largest_io: self.largest_transfer,
                hardware_max_io: None,
            }),
            ..Layer::default()
        }
    }
}

fn cache_mode(back: bool) -> &'static str {
    if back { "write back" } else { "write through" }
}

/// Returns the stack of a volume: the volume and its disks, without duplicates. A volume on several disks
/// may be spanned, striped or mirrored, which is unknown, so one request may become several. Uncounted
/// devices are omitted with the reason, because no user switch enables their counters.
pub(super) fn stack(volume: &VolumeBeneath, disks: &[DiskProperties]) -> Stack {
    let mut numbers: Vec<u32> = volume.extents.iter().map(|extent| extent.disk).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let file_system = volume.file_system.clone();
    let without = |why| Stack { file_system: file_system.clone(), ..Stack::without(why) };
    let found = |number: &u32| disks.iter().find(|disk| disk.number == *number && disk.counted);
    let counted: Option<Vec<Layer>> =
        numbers.iter().map(|number| Some(found(number)?.describe_layer())).collect();
    let of_disks = || numbers.iter().map(|number| disk_name(*number)).collect::<Vec<_>>().join(", ");
    let (first, layers) = match (volume.counted, counted) {
        _ if numbers.is_empty() => return without(format!("Windows names no disk below {}", volume.name)),
        (true, Some(below)) => {
            let own = Layer {
                lower_devices: below.iter().map(|layer| layer.name.clone()).collect(),
                one_to_one: numbers.len() == 1,
                queue_limits: below.first().filter(|_| numbers.len() == 1).and_then(|disk| disk.queue_limits),
                ..own_layer(volume)
            };
            (own.name.clone(), std::iter::once(own).chain(below).collect())
        }
        (true, None) => {
            let why = format!("Windows does not count the I/O of {}", of_disks());
            (volume.name.clone(), vec![Layer { lower_unknown: Some(why), ..own_layer(volume) }])
        }
        (false, Some(below)) if numbers.len() == 1 => (disk_name(numbers[0]), below),
        (false, _) => {
            let name = &volume.name;
            return without(format!(
                "Windows does not count the I/O of {name} or {} (IOCTL_DISK_PERFORMANCE)",
                of_disks()
            ));
        }
    };
    Stack { file_system, top_devices: vec![first], layers, ..Stack::default() }
}

/// Returns the stack of a disk that is the target itself.
pub(super) fn stack_of_disk(disk: &DiskProperties) -> Stack {
    let name = disk_name(disk.number);
    match disk.counted {
        true => Stack { top_devices: vec![name], layers: vec![disk.describe_layer()], ..Stack::default() },
        false => Stack::without(format!("Windows does not count the I/O of {name} (IOCTL_DISK_PERFORMANCE)")),
    }
}

fn own_layer(volume: &VolumeBeneath) -> Layer {
    Layer {
        name: volume.name.clone(),
        kind: LayerKind::Partition,
        one_to_one: true,
        statistics: true,
        ..Layer::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_volume(disks: &[u32]) -> VolumeBeneath {
        let extent = |disk: &u32| Extent { disk: *disk, length: 1 << 30 };
        let extents = disks.iter().map(extent).collect();
        VolumeBeneath { name: "C:".into(), file_system: Some("ntfs".into()), extents, counted: true }
    }

    #[test]
    fn volume_lists_each_disk_once() {
        let disk = |number| DiskProperties { number, counted: true, ..DiskProperties::default() };
        let one = stack(&sample_volume(&[3, 3]), &[disk(3)]);
        let seen = |stack: &Stack| {
            let row = |layer: &Layer| {
                (layer.name.clone(), layer.lower_devices.clone(), layer.one_to_one, layer.statistics)
            };
            stack.layers.iter().map(row).collect::<Vec<_>>()
        };
        let name = |name: &str| name.to_owned();
        let first = (name("C:"), vec![name("PhysicalDrive3")], true, true);
        assert_eq!(seen(&one), [first, (name("PhysicalDrive3"), vec![], true, true)]);
        assert_eq!((one.file_system.as_deref(), &one.top_devices[..]), (Some("ntfs"), &[name("C:")][..]));
        let two = stack(&sample_volume(&[1, 0]), &[disk(1), disk(0)]);
        assert!(!two.layers[0].one_to_one);
        let leaves: Vec<_> = two.leaves().map(|leaf| &*leaf.name).collect();
        assert_eq!(leaves, ["PhysicalDrive0", "PhysicalDrive1"]);
        let none = stack(&sample_volume(&[]), &[]);
        assert_eq!(none.no_device_reason.as_deref(), Some("Windows names no disk below C:"));
    }

    #[test]
    fn counted_disk_is_a_separate_stack() {
        let disk = |counted| DiskProperties { number: 4, counted, ..DiskProperties::default() };
        let found = stack_of_disk(&disk(true));
        assert_eq!((found.layers.len(), &*found.top_devices[0]), (1, "PhysicalDrive4"));
        assert!(found.no_device_reason.is_none() && found.layers[0].one_to_one);
        let without = stack_of_disk(&disk(false));
        assert!(without.layers.is_empty() && without.no_device_reason.unwrap().contains("PhysicalDrive4"));
    }

    #[test]
    fn uncounted_layers_are_reported() {
        let disk = |counted| [DiskProperties { number: 0, counted, ..DiskProperties::default() }];
        let unseen = VolumeBeneath { counted: false, ..sample_volume(&[0]) };
        let names = |stack: &Stack| stack.layers.iter().map(|layer| layer.name.clone()).collect::<Vec<_>>();
        // Others' I/O on other volumes of the disk counts then, too.
        let by_disk = stack(&unseen, &disk(true));
        assert_eq!(
            (names(&by_disk), &by_disk.top_devices[..]),
            (by_disk.top_devices.clone(), &["PhysicalDrive0".into()][..])
        );
        let by_volume = stack(&sample_volume(&[0]), &disk(false));
        let why = "Windows does not count the I/O of PhysicalDrive0";
        assert_eq!(by_volume.layers[0].lower_unknown.as_deref(), Some(why));
        assert_eq!((names(&by_volume).len(), by_volume.layers[0].lower_devices.len()), (1, 0));
        for disks in [&disk(false)[..], &[]] {
            let none = stack(&unseen, disks);
            let why = none.no_device_reason.unwrap();
            assert!(why.contains("C: or PhysicalDrive0") && none.layers.is_empty(), "{why}");
        }
        let several = stack(&VolumeBeneath { counted: false, ..sample_volume(&[0, 1]) }, &disk(true));
        assert!(several.no_device_reason.is_some());
    }

    #[test]
    fn disk_facts_use_linux_names() {
        let descriptor = Descriptor {
            model: Some("SSD".into()),
            serial: Some("S-1".into()),
            bus: Some("spaces"),
            ..Descriptor::default()
        };
        let disk = DiskProperties {
            number: 1,
            descriptor: Some(descriptor),
            size: Some(1 << 40),
            sectors: Some((512, 4096)),
            rotates: Some(false),
            writes_back: Some(true),
            largest_transfer: Some(1 << 20),
            counted: true,
        };
        let device = disk.block_device("C:");
        assert_eq!((&*device.name, device.disk.as_deref()), ("C:", Some("PhysicalDrive1")));
        assert_eq!((device.identity.as_deref(), device.size), (Some("S-1"), Some(1 << 40)));
        let queue: Vec<_> = device.queue.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(
            queue,
            ["logical_block_size=512", "physical_block_size=4096", "rotational=0", "write_cache=write back"]
        );
        let found = stack(&sample_volume(&[1]), std::slice::from_ref(&disk));
        assert!(found.layers[1].lower_unknown.as_deref().is_some_and(|why| why.contains("storage pool")));
        assert_eq!(found.layers[1].queue_limits.and_then(|traits| traits.largest_io), Some(1 << 20));
        assert_eq!(DiskProperties::default().details(), Details::default());
        assert_eq!(disk.details().write_cache.as_deref(), Some("write back"));
    }
}
