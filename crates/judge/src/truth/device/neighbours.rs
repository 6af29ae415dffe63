//! What others did on the disks whose partitions the targets lie on: a disk counts the I/Os of all its
//! partitions.

use super::done::{Done, count_done};
use super::foreign::Foreign;
use super::part::Part;
use diskspd_model::machine::io_counters::DeviceFacts;
use diskspd_model::machine::stack::{Layer, LayerKind};

/// Others' I/Os past the targets' partitions.
#[derive(Debug, Default)]
pub struct Neighbours<'a> {
    /// The disks; empty = the targets don't lie on partitions, or on all that a disk is used by.
    pub disks: Vec<&'a Layer>,
    /// Bytes that others read from them and wrote to them, by other partitions or by none.
    pub read: u64,
    pub write: u64,
    /// The I/Os that these were, as far as it is sure, and what the disks did in all.
    others: Foreign,
}

impl Neighbours<'_> {
    /// Bytes of others.
    pub fn bytes(&self) -> u64 {
        self.read.saturating_add(self.write)
    }

    pub fn foreign(&self) -> Foreign {
        self.others
    }
}

/// What the counters of disks have beyond those of the partitions beneath the targets. Not for a disk that
/// is itself right beneath a target: what is beyond that one's I/Os is found there.
pub fn neighbours<'a>(part: &Part<'a>, facts: &DeviceFacts) -> Neighbours<'a> {
    let (layers, first) = (part.layers(), part.first());
    let mut found = Neighbours::default();
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
        let beyond = |of: fn(&Done) -> u64| of(&all).saturating_sub(of(&own));
        found.read = found.read.saturating_add(beyond(|done| done.read.bytes));
        found.write = found.write.saturating_add(beyond(|done| done.write.bytes));
        let beyond = Foreign::beyond(&own, &all);
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
