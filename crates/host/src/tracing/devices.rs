//! The block devices of a stack with tracepoints for start and completion of requests.

use crate::device::{Device, block_number};
use crate::root::Root;
use diskspd_base::message_error::MessageError;
use diskspd_machine::stack::{LayerKind, Stack};
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedDevice {
    pub name: String,
    /// Device number in tracepoints, the major number above 20 bits of the minor number; or the reason why
    /// there are no events.
    pub number: Result<u32, &'static str>,
}

/// Returns the devices of a stack, uppermost first, without partitions, whose requests belong to their disk.
pub fn traced_devices(root: &Root, stack: &Stack) -> Vec<TracedDevice> {
    let whole =
        stack.layers.iter().filter(|layer| !matches!(layer.kind, LayerKind::Partition | LayerKind::Mount));
    whole
        .map(|layer| TracedDevice { name: layer.name.clone(), number: device_number(root, &layer.name) })
        .collect()
}

fn device_number(root: &Root, name: &str) -> Result<u32, &'static str> {
    let device = Device::find_by_name(root, name).ok_or("it has no device number")?;
    // Drivers that take I/O as it comes, without a queue, have no such directory.
    if !device.directory().join("mq").exists() {
        return Err("its driver has no request queue, so the start of a request cannot be traced");
    }
    let (major, minor) = device.number;
    Ok(major << 20 | minor)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedDevice {
    /// Disk number in tracepoints, as in [`TracedDevice`].
    pub number: u32,
    /// Start on the disk in bytes.
    pub start: u64,
    pub size: u64,
    /// Whether the driver has a request queue; otherwise it handles I/O immediately.
    pub has_queue: bool,
}

impl WatchedDevice {
    /// Finds a block device without opening it.
    ///
    /// # Errors
    /// Fails if it is not a block device, or if its I/Os cannot be distinguished from others.
    pub fn find(root: &Root, path: &Path) -> Result<WatchedDevice, MessageError> {
        let name = path.display();
        let number = block_number(path).ok_or_else(|| {
            format!(
                "{name}: only block devices can be traced, and this is not one; diskspd devices lists them, \
                 findmnt -T FILE shows the device of a file"
            )
        })?;
        let device =
            Device::find(root, number).ok_or_else(|| format!("{name}: /sys does not list the device"))?;
        WatchedDevice::from_device(&device).ok_or_else(|| {
            let disk = device.whole_disk().map_or_else(|| device.node(), |disk| disk.node());
            format!(
                "{name}: is a partition of {disk}, whose driver has no request queue; trace {disk}",
                disk = disk.display()
            )
            .into()
        })
    }

    /// Returns the only device directly under a target; `None` if there is no such device, or several.
    pub fn find_watched(root: &Root, stack: &Stack) -> Option<WatchedDevice> {
        let [name] = stack.top_devices.as_slice() else { return None };
        WatchedDevice::from_device(&Device::find_by_name(root, name)?)
    }

    fn from_device(device: &Device) -> Option<WatchedDevice> {
        // A partition's requests are its disk's, and lie there.
        let disk = device.whole_disk().unwrap_or_else(|| device.clone());
        let has_queue = disk.directory().join("mq").exists();
        if !has_queue && device.is_partition() {
            return None;
        }
        let sectors = |file: &str| {
            let text = std::fs::read_to_string(device.directory().join(file)).unwrap_or_default();
            text.trim().parse::<u64>().unwrap_or(0) * 512
        };
        let (major, minor) = disk.number;
        let start = if device.is_partition() { sectors("start") } else { 0 };
        Some(WatchedDevice { number: major << 20 | minor, start, size: sectors("size"), has_queue })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_machine::stack::Layer;

    #[test]
    fn queue_devices_are_traced_and_partitions_map_to_disks() {
        let machine = tempfile::tempdir().expect("a directory");
        let root = Root::at(machine.path());
        for (name, number, queued) in [("sda", "8:16", true), ("zram1", "253:1", false)] {
            let directory = root.path(format!("/sys/class/block/{name}"));
            std::fs::create_dir_all(&directory).expect("a device");
            std::fs::write(directory.join("dev"), number).expect("its number");
            if queued {
                std::fs::create_dir(directory.join("mq")).expect("its queues");
            }
        }
        let layer = |name: &str, kind| Layer { name: name.into(), kind, ..Layer::default() };
        let layers = vec![
            layer("sda1", LayerKind::Partition),
            layer("sda", LayerKind::Disk),
            layer("zram1", LayerKind::Disk),
            layer("nvme0c0n1", LayerKind::Disk),
        ];
        let found = traced_devices(&root, &Stack { layers, ..Stack::default() });
        let found: Vec<_> = found
            .iter()
            .map(|device| (device.name.as_str(), device.number.map_err(|why| &why[..6])))
            .collect();
        assert_eq!(
            found,
            [("sda", Ok(8 << 20 | 16)), ("zram1", Err("its dr")), ("nvme0c0n1", Err("it has"))]
        );
    }
}
