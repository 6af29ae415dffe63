//! Activity of other programs on the disks of targets that are partitions. A disk counts the I/Os of all
//! its partitions.

use super::done::{DeviceIo, count_done};
use super::foreign::ForeignIo;
use super::part::Part;
use diskspd_machine::io_counters::DeviceFacts;
use diskspd_machine::stack::{Layer, LayerKind};

/// I/Os of other processes on the device outside the targets' partitions.
#[derive(Debug, Default)]
pub(super) struct OtherProcesses<'a> {
    /// Disks; empty if the targets are not on partitions, or cover all used parts of a disk.
    pub disks: Vec<&'a Layer>,
    /// Bytes read from them and written to them, through other partitions or none.
    pub read: u64,
    pub write: u64,
    others: ForeignIo,
}

impl OtherProcesses<'_> {
    pub(super) fn bytes(&self) -> u64 {
        self.read.saturating_add(self.write)
    }

    pub(super) fn foreign(&self) -> ForeignIo {
        self.others
    }
}

/// Returns the counts of disks beyond the targets' partitions. Disks directly under a target are excluded,
/// because their excess is found there.
pub(super) fn neighbours<'a>(part: &Part<'a>, facts: &DeviceFacts) -> OtherProcesses<'a> {
    let (layers, first) = (part.layers(), part.first());
    let mut found = OtherProcesses::default();
    for disk in layers.iter().filter(|layer| layer.kind != LayerKind::Partition) {
        let above: Vec<&Layer> =
            layers.iter().copied().filter(|layer| layer.lower_devices.contains(&disk.name)).collect();
        let only = above.iter().all(|layer| layer.kind == LayerKind::Partition);
        if above.is_empty() || !only || first.iter().any(|layer| layer.name == disk.name) {
            continue;
        }
        let (Ok(all), Ok(own)) = (count_done(part, facts, &[disk]), count_done(part, facts, &above)) else {
            continue;
        };
        let beyond = |of: fn(&DeviceIo) -> u64| of(&all).saturating_sub(of(&own));
        found.read = found.read.saturating_add(beyond(|done| done.read.bytes));
        found.write = found.write.saturating_add(beyond(|done| done.write.bytes));
        let beyond = ForeignIo::from_layers(&own, &all);
        let sum = &mut found.others;
        for (sum, more) in [
            (&mut sum.bytes, beyond.bytes),
            (&mut sum.ios, beyond.ios),
            (&mut sum.all, beyond.all),
            (&mut sum.all_ios, beyond.all_ios),
        ] {
            *sum = sum.saturating_add(more);
        }
        found.disks.push(disk);
    }
    found
}
