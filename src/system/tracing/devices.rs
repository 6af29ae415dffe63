//! Which block devices of a stack tell when they get a request and when it is complete.

use crate::system::device::Device;
use crate::system::root::Root;
use crate::system::stack::{LayerKind, Stack};

/// A device that is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedDevice {
    /// The kernel's name.
    pub name: String,
    /// Its number as tracepoints tell it, the major one above 20 bits of the minor one; or why it tells
    /// nothing.
    pub number: Result<u32, &'static str>,
}

/// All devices of a stack but partitions, whose requests are their disk's: the uppermost first.
pub fn traced_devices(root: &Root, stack: &Stack) -> Vec<TracedDevice> {
    let whole = stack.layers.iter().filter(|layer| layer.kind != LayerKind::Partition);
    whole.map(|layer| TracedDevice { name: layer.name.clone(), number: number(root, &layer.name) }).collect()
}

fn number(root: &Root, name: &str) -> Result<u32, &'static str> {
    let device = Device::named(root, name).ok_or("it has no number of its own")?;
    // Drivers that take I/O as it comes, without a queue, have no such directory.
    if !device.directory().join("mq").exists() {
        return Err("its driver has no queue of requests, so nothing tells when one begins");
    }
    let (major, minor) = device.number;
    Ok(major << 20 | minor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::stack::Layer;

    #[test]
    fn disks_with_a_queue_are_traced_and_partitions_are_their_disks() {
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
