//! Targets that share devices, and what was counted on each side.

use diskspd_model::machine::io_counters::TargetDevices;
use diskspd_model::machine::stack::{Layer, LayerKind};
use diskspd_model::profile::TargetId;
use std::collections::HashMap;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    pub bytes: u64,
    pub ios: u64,
}

/// The targets of a span that lie on the same devices, directly or further down.
#[derive(Debug)]
pub struct Part<'a> {
    pub targets: Vec<&'a TargetDevices>,
    pub beneath: Beneath<'a>,
    pub each: Vec<(Counted, Counted)>,
    pub read: Counted,
    pub write: Counted,
    /// Discards (`--trim`), and what else leaves holes.
    pub discarded: Counted,
    /// Writes that had to be on the medium when they ended (`-Sw`, `-Sh`): each may ask for a flush.
    pub durable: u64,
    /// Requests that flush a volatile cache even where single writes can bypass it (FUA): flushes
    /// (`--fsync-every`), and durable writes through the page cache.
    pub flushes: u64,
    /// Zeros that the run wrote (`--write-zeroes`); included in [`write`](Part::write).
    pub zeroed: Counted,
    /// Bytes written that compress to next to nothing: zeros, or a pattern that repeats.
    pub easy: u64,
    /// I/Os that can be in flight at once, and their bytes: as much can be counted on one side of an edge
    /// of the window by the device and on the other by the worker.
    pub in_flight: Counted,
    /// Whether the number of I/Os that can be in flight is known. It is unknown for another program.
    pub depth_known: bool,
    /// The page cache may answer, for any of the targets.
    pub buffered: bool,
    /// Whether any target is a file: then the file system reads and writes for itself too.
    pub on_file_system: bool,
}

/// Facts that all targets of a part share, computed once.
#[derive(Debug, Default)]
pub struct Beneath<'a> {
    places: HashMap<TargetId, usize>,
    /// Each layer once, by its name.
    layers: Vec<&'a Layer>,
    has_devices: bool,
    is_remote: bool,
    memory: Option<&'a String>,
}

impl<'a> Beneath<'a> {
    pub fn new(targets: &[&'a TargetDevices]) -> Beneath<'a> {
        let mut beneath = Beneath::default();
        for (place, target) in targets.iter().enumerate() {
            beneath.places.entry(target.target).or_insert(place);
            for layer in &target.stack.layers {
                beneath.is_remote |= layer.remote.is_some();
                if !beneath.layers.iter().any(|known| known.name == layer.name) {
                    beneath.layers.push(layer);
                }
            }
        }
        beneath.has_devices = targets.iter().all(|target| target.stack.no_device_reason.is_none());
        let leaf =
            beneath.layers.iter().find(|layer| layer.lower_devices.is_empty() && layer.memory.is_some());
        let without = || targets.iter().find_map(|target| target.stack.in_memory.as_ref());
        beneath.memory = leaf.map(|leaf| &leaf.name).or_else(without);
        beneath
    }
}

impl<'a> Part<'a> {
    /// The place of a target in [`targets`](Part::targets).
    pub fn place(&self, id: TargetId) -> Option<usize> {
        self.beneath.places.get(&id).copied()
    }

    pub fn has(&self, id: TargetId) -> bool {
        self.place(id).is_some()
    }

    pub fn has_devices(&self) -> bool {
        self.beneath.has_devices
    }

    /// The mounts of other hosts' files among what the targets lie on: the client's counters stand for a
    /// device's.
    pub fn mounts(&self) -> Vec<&'a Layer> {
        self.layers().into_iter().filter(|layer| layer.remote.is_some()).collect()
    }

    pub fn is_remote(&self) -> bool {
        self.beneath.is_remote
    }

    pub fn layers(&self) -> Vec<&'a Layer> {
        self.beneath.layers.clone()
    }

    /// The devices whose I/O together is that of the targets: those right beneath them, but not one that
    /// lies on another such one (a file on a partition beside the whole disk), whose I/O is in that one's.
    pub fn first(&self) -> Vec<&'a Layer> {
        let layers = self.layers();
        let first =
            |name: &str| self.targets.iter().any(|target| target.stack.top_devices.iter().any(|n| n == name));
        let above_another = |layer: &Layer| {
            let mut below: Vec<&str> = layer.lower_devices.iter().map(String::as_str).collect();
            while let Some(name) = below.pop() {
                if first(name) {
                    return true;
                }
                let further =
                    layers.iter().filter(|layer| layer.name == name).flat_map(|layer| &layer.lower_devices);
                below.extend(further.map(String::as_str));
            }
            false
        };
        layers.iter().copied().filter(|layer| first(&layer.name) && !above_another(layer)).collect()
    }

    pub fn leaves(&self) -> Vec<&'a Layer> {
        self.layers().into_iter().filter(|layer| layer.lower_devices.is_empty()).collect()
    }

    /// The devices at the bottom when measuring had ended, where they are others than before; empty = the
    /// same.
    pub fn moved_to(&self) -> Vec<&'a str> {
        let all = self.targets.iter().flat_map(|target| &target.stack_at_end);
        let mut names: Vec<&str> = all.map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether every byte asked of the upper devices is asked once of the leaves, and nobody but others
    /// asks for more.
    pub fn is_faithful(&self) -> bool {
        self.layers().iter().all(|layer| layer.lower_devices.is_empty() || layer.one_to_one)
    }

    /// Whether all loop devices bypass the page cache, and there is one.
    pub fn has_direct_loop(&self) -> bool {
        let layers = self.layers();
        let mut loops =
            layers.iter().filter(|layer| layer.kind == LayerKind::Loop && !layer.lower_devices.is_empty());
        loops.clone().next().is_some() && loops.all(|layer| layer.direct == Some(true))
    }

    /// Bytes that the run wrote without its zeros.
    pub fn data_written(&self) -> u64 {
        self.write.bytes.saturating_sub(self.zeroed.bytes)
    }

    /// Whether a file made to look like a device is between the targets and the leaves.
    pub fn has_loop(&self) -> bool {
        self.layers().iter().any(|layer| layer.kind == LayerKind::Loop && !layer.lower_devices.is_empty())
    }

    /// A device at the bottom, or a file system, that is memory: its name.
    pub fn memory(&self) -> Option<String> {
        self.beneath.memory.cloned()
    }

    /// What of the targets was in memory only at the end, bytes; `None` = not known, or nothing was written.
    pub fn unwritten(&self) -> Option<u64> {
        let known: Vec<u64> = self.targets.iter().filter_map(|target| target.unwritten).collect();
        (!known.is_empty()).then(|| known.into_iter().fold(0, u64::saturating_add))
    }
}
