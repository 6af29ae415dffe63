//! Positions of the targets' I/Os on their devices.

use crate::located::SpanTargets;
use crate::unobserved::targets;
use crate::watch::linux::observe_devices;
use diskspd_base::message_error::MessageError;
use diskspd_host::located::InspectionHandle;
use diskspd_host::root::Root;
use diskspd_host::tracing::devices::WatchedDevice;
use diskspd_plan::SpanPlan;
use diskspd_profile::TargetId;
use diskspd_sys::extents::{self, DeviceExtent};

/// Maximum number of known file extents; I/O in further extents is unattributed.
const MAX_PIECES: usize = 1 << 16;
const SECTOR: u64 = 512;
/// File systems with a virtual address space in `FIEMAP` instead of device positions.
const OWN_SPACE: [&str; 3] = ["btrfs", "bcachefs", "zfs"];

#[derive(Debug)]
pub(super) struct TargetExtents {
    pub id: TargetId,
    /// Positions, or the reason why they are unknown.
    device: Result<TracedExtents, MessageError>,
}

#[derive(Debug)]
struct TracedExtents {
    watched: WatchedDevice,
    name: String,
    /// Extents in file order; `None` = the target is the device.
    pieces: Option<Vec<DeviceExtent>>,
}

impl TracedExtents {
    fn from_opened(root: &Root, opened: &InspectionHandle, size: u64) -> Result<TracedExtents, MessageError> {
        let stack = &opened.stack;
        if let Some(why) = &stack.no_device_reason {
            return Err(why.as_str().into());
        }
        if let Some(own) = stack.file_system.as_ref().filter(|name| OWN_SPACE.contains(&name.as_str())) {
            return Err(format!("{own} does not report where on its devices a file is").into());
        }
        let [name] = &stack.top_devices[..] else {
            return Err("several devices are directly below it".into());
        };
        let watched = WatchedDevice::find_watched(root, stack)
            .ok_or_else(|| format!("the I/Os of {name} are not separable from the I/Os of its disk"))?;
        let pieces =
            match (&stack.file_system, &opened.file) {
                (None, _) => None,
                (Some(_), None) => return Err("the file was not opened".into()),
                (Some(_), Some(file)) => Some(extents::places(file, size, MAX_PIECES).map_err(|error| {
                    format!("the file system does not report where the file is ({error})")
                })?),
            };
        Ok(TracedExtents { watched, name: name.clone(), pieces })
    }
}

impl TargetExtents {
    pub(super) fn of_span(root: &Root, plan: &SpanPlan, located: &SpanTargets) -> Vec<TargetExtents> {
        let ids = targets(plan);
        let find = |index: usize| {
            let all = plan.workers.iter().flat_map(|worker| &worker.targets);
            let id = all.into_iter().find(|target| target.target == index).map(|target| target.id);
            let known = ids.iter().find(|(_, target)| Some(target.id) == id);
            let device = known.ok_or_else(|| MessageError::from("its target is unknown"));
            let device = device.and_then(|(engine, target)| {
                TracedExtents::from_opened(
                    root,
                    &observe_devices::opened(located, *engine, target),
                    target.size,
                )
            });
            TargetExtents { id: id.unwrap_or_default(), device }
        };
        (0..plan.targets).map(find).collect()
    }

    /// Returns the device number of tracepoints, and whether the device has a request queue.
    pub(super) fn device(&self) -> Option<(u32, bool)> {
        self.device.as_ref().ok().map(|device| (device.watched.number, device.watched.has_queue))
    }

    pub(super) fn unknown_reason(&self) -> Option<&MessageError> {
        self.device.as_ref().err()
    }

    pub(super) fn name(&self) -> &str {
        self.device.as_ref().map_or("", |device| &device.name)
    }

    /// Returns the sectors of an I/O: device, first, and end; empty = unknown.
    pub(super) fn sectors(&self, offset: u64, length: u32) -> Vec<(u32, u64, u64)> {
        let Ok(TracedExtents { watched, pieces, .. }) = &self.device else { return Vec::new() };
        let end = offset.saturating_add(u64::from(length));
        let on_device = |from: u64, to: u64| {
            let at = |byte: u64| watched.start.saturating_add(byte) / SECTOR;
            (watched.number, at(from), at(to).max(at(from) + 1))
        };
        let Some(pieces) = pieces else { return vec![on_device(offset, end)] };
        let first = pieces.partition_point(|piece| piece.from + piece.length <= offset);
        let within = pieces.get(first..).unwrap_or_default().iter().take_while(|piece| piece.from < end);
        within
            .map(|piece| {
                let (from, to) = (offset.max(piece.from), end.min(piece.from + piece.length));
                on_device(piece.at + (from - piece.from), piece.at + (to - piece.from))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn io_across_two_extents_has_two_locations() {
        let place = |from, at, length| DeviceExtent { from, at, length };
        let watched = WatchedDevice { number: 7, start: 1 << 20, size: 1 << 30, has_queue: true };
        let pieces = Some(vec![place(0, 8192, 4096), place(4096, 65536, 4096), place(16384, 0, 4096)]);
        let target = |pieces| TargetExtents {
            id: TargetId(0),
            device: Ok(TracedExtents { watched: watched.clone(), name: String::new(), pieces }),
        };
        let file = target(pieces);
        assert_eq!(file.sectors(2048, 4096), [(7, 2068, 2072), (7, 2176, 2180)]);
        assert_eq!(file.sectors(16384, 512), [(7, 2048, 2049)]);
        assert_eq!(file.sectors(8192, 4096), [], "a hole");
        assert_eq!(target(None).sectors(4096, 4096), [(7, 2056, 2064)]);
    }
}
