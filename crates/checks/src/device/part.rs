//! Targets that share devices, and the counts on both sides.

use diskspd_machine::file_systems::{FileSystemType, Trait};
use diskspd_machine::io_counters::TargetDevices;
use diskspd_machine::stack::{Layer, LayerKind};
use diskspd_profile::TargetId;
use std::collections::HashMap;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct IoCount {
    pub bytes: u64,
    pub ios: u64,
}

/// Targets of a span that share devices, directly or at a lower level.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    pub targets: Vec<&'a TargetDevices>,
    pub beneath: SharedFacts<'a>,
    pub each: Vec<(IoCount, IoCount)>,
    pub read: IoCount,
    pub write: IoCount,
    /// Discards (`--trim`), and other I/Os that create holes.
    pub discarded: IoCount,
    /// Writes that must be durable at completion (`-Sw`, `-Sh`); each may request a flush.
    pub durable: u64,
    /// Requests that flush a volatile cache even where single writes can bypass it (FUA): flushes
    /// (`--fsync-every`), and durable writes through the page cache.
    pub flushes: u64,
    /// Zeros that the run wrote (`--write-zeroes`); included in [`write`](Part::write).
    pub zeroed: IoCount,
    /// Written bytes that are highly compressible: zeros, or a repeated pattern.
    pub easy: u64,
    /// Maximum number of concurrent I/Os, and their bytes. At an edge of the window, only the device or only
    /// the worker may count them.
    pub in_flight: IoCount,
    /// Whether the number of I/Os that can be in flight is known. It is unknown for another program.
    pub depth_known: bool,
    /// Whether the page cache may complete I/Os of any of the targets.
    pub buffered: bool,
    /// Whether any target is a file, so that the file system adds reads and writes.
    pub on_file_system: bool,
}

/// Facts shared by all targets of a part, computed once.
#[derive(Debug, Default)]
pub(crate) struct SharedFacts<'a> {
    places: HashMap<TargetId, usize>,
    layers: Vec<&'a Layer>,
    has_devices: bool,
    is_remote: bool,
    memory: Option<&'a String>,
}

impl<'a> SharedFacts<'a> {
    pub(crate) fn new(targets: &[&'a TargetDevices]) -> SharedFacts<'a> {
        let mut beneath = SharedFacts::default();
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
    /// Returns the index of a target in [`targets`](Part::targets).
    pub(crate) fn place(&self, id: TargetId) -> Option<usize> {
        self.beneath.places.get(&id).copied()
    }

    pub(crate) fn has_target(&self, id: TargetId) -> bool {
        self.place(id).is_some()
    }

    /// Whether the file system can store data more than once.
    pub(super) fn keeps_copies(&self) -> bool {
        let kinds = self.targets.iter().filter_map(|target| target.stack.file_system.as_deref());
        kinds.map(FileSystemType::from_name).any(|kind| kind.has_trait(Trait::NeverInPlace))
    }

    pub(crate) fn has_devices(&self) -> bool {
        self.beneath.has_devices
    }

    /// Returns the remote mounts of the targets; client counters replace device counters for them.
    pub(crate) fn mounts(&self) -> Vec<&'a Layer> {
        self.layers().into_iter().filter(|layer| layer.remote.is_some()).collect()
    }

    pub(crate) fn is_remote(&self) -> bool {
        self.beneath.is_remote
    }

    pub(crate) fn layers(&self) -> Vec<&'a Layer> {
        self.beneath.layers.clone()
    }

    /// Returns the devices that together carry the I/O of the targets. A device on another such device (a
    /// file on a partition next to the whole disk) is excluded, because its I/O is included there.
    pub(crate) fn first(&self) -> Vec<&'a Layer> {
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

    pub(crate) fn leaves(&self) -> Vec<&'a Layer> {
        self.layers().into_iter().filter(|layer| layer.lower_devices.is_empty()).collect()
    }

    /// The devices at the bottom when measuring had ended, where they are others than before; empty = the
    /// same.
    pub(crate) fn moved_to(&self) -> Vec<&'a str> {
        let all = self.targets.iter().flat_map(|target| &target.stack_at_end);
        let mut names: Vec<&str> = all.map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether every byte requested from the upper devices is requested once from the leaves, without
    /// extra I/O except from other programs.
    pub(crate) fn is_faithful(&self) -> bool {
        self.layers().iter().all(|layer| layer.lower_devices.is_empty() || layer.one_to_one)
    }

    /// Whether there are loop devices, and all of them bypass the page cache.
    pub(crate) fn has_direct_loop(&self) -> bool {
        let layers = self.layers();
        let mut loops =
            layers.iter().filter(|layer| layer.kind == LayerKind::Loop && !layer.lower_devices.is_empty());
        loops.clone().next().is_some() && loops.all(|layer| layer.direct == Some(true))
    }

    /// Returns the written bytes without the zeros of the run.
    pub(crate) fn data_written(&self) -> u64 {
        self.write.bytes.saturating_sub(self.zeroed.bytes)
    }

    /// Whether a loop device is between the targets and the lowest devices.
    pub(crate) fn has_loop(&self) -> bool {
        self.layers().iter().any(|layer| layer.kind == LayerKind::Loop && !layer.lower_devices.is_empty())
    }

    /// Returns the name of a lowest device or file system that is memory.
    pub(crate) fn memory(&self) -> Option<String> {
        self.beneath.memory.cloned()
    }

    /// Returns the dirty bytes of the targets at the end; `None` = unknown, or no writes.
    pub(crate) fn unwritten_bytes(&self) -> Option<u64> {
        let known: Vec<u64> = self.targets.iter().filter_map(|target| target.unwritten).collect();
        (!known.is_empty()).then(|| known.into_iter().fold(0, u64::saturating_add))
    }
}
