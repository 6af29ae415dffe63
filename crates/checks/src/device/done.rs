//! Combined activity of devices, by the kernel's counters.

use super::part::{IoCount, Part};
use diskspd_machine::io_counters::{DeviceActivity, DeviceFacts, Flow};
use diskspd_machine::stack::{Layer, LayerKind};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DeviceIo {
    pub read: Flow,
    pub write: Flow,
    /// Discards, including other programs'. Some devices (zram) do not count them.
    pub discard: Flow,
    pub flushes: Option<u64>,
    /// Maximum number of writes that may have been empty flushes.
    pub doubtful: u64,
    /// Sum of the times in flight of their I/Os in ms, without flushes and discards.
    pub queue_ms: u64,
}

impl DeviceIo {
    /// Returns the bytes read and written, saturating for edited records.
    pub(super) fn bytes(&self) -> u64 {
        self.read.bytes.saturating_add(self.write.bytes)
    }

    /// Returns the mean time of a read or write in ms, other programs' included; `None` = no times or no I/O.
    pub(super) fn mean_ms(&self) -> Option<f64> {
        let ios = self.read.ios.saturating_add(self.write.ios);
        (ios > 0 && self.queue_ms > 0).then(|| self.queue_ms as f64 / ios as f64)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UncountedIo {
    pub why: String,
    pub remedy: Option<String>,
    pub off: bool,
    /// Whether counting was enabled or disabled during the run, so that the counters are partial.
    pub switched: bool,
}

/// Returns the activity of these devices.
///
/// # Errors
/// Fails if a device has no counters, or only partial ones.
pub(super) fn count_done(
    part: &Part,
    facts: &DeviceFacts,
    layers: &[&Layer],
) -> Result<DeviceIo, UncountedIo> {
    let mut sum = DeviceIo { flushes: Some(0), ..DeviceIo::default() };
    let mut flushable = false;
    for layer in layers {
        let name = &layer.name;
        let found = activity(facts, name);
        let Some(DeviceActivity { activity: done, statistics_switched: switched, .. }) =
            found.filter(|device| {
                device.has_statistics || device.statistics_switched || layer.lower_devices.is_empty()
            })
        else {
            let why = format!("the kernel has no statistics of {name}");
            return Err(UncountedIo { why, ..UncountedIo::default() });
        };
        if *switched || !layer.statistics && done.read.ios == 0 && done.write.ios == 0 {
            let disk =
                layer.lower_devices.first().filter(|_| layer.kind == LayerKind::Partition).unwrap_or(name);
            let why = match switched {
                true => {
                    format!(
                        "the kernel counted only part of {name}'s I/O: its statistics were switched on or \
                         off during the run"
                    )
                }
                false => format!("the kernel does not count {name}'s I/O: its statistics are switched off"),
            };
            let remedy = Some(format!("echo 1 > /sys/block/{disk}/queue/iostats"));
            return Err(UncountedIo { why, remedy, off: true, switched: *switched });
        }
        // A device without a volatile cache receives no flushes.
        if layer.queue_limits.is_some_and(|traits| traits.write_back != Some(false)) {
            flushable = true;
            sum.flushes = sum.flushes.zip(flushes(part, facts, layer)).map(|(a, b)| a.saturating_add(b));
        }
        let others = done.flush_ms.unwrap_or(0).saturating_add(done.discard_ms);
        let queue_ms = done.queue_ms.saturating_sub(others);
        sum.queue_ms = sum.queue_ms.saturating_add(queue_ms);
        let directions =
            [(&mut sum.read, &done.read), (&mut sum.write, &done.write), (&mut sum.discard, &done.discard)];
        for (sum, more) in directions {
            sum.ios = sum.ios.saturating_add(more.ios);
            sum.merges = sum.merges.saturating_add(more.merges);
            sum.bytes = sum.bytes.saturating_add(more.bytes);
        }
    }
    if flushable {
        let most = most_empty(part, &sum, layers.len() as u64);
        sum.write.ios -= empty_writes(part, &sum, most);
        sum.doubtful = most.min(sum.write.ios.saturating_sub(1));
    }
    Ok(sum)
}

pub(super) fn activity<'a>(facts: &'a DeviceFacts, name: &str) -> Option<&'a DeviceActivity> {
    facts.devices.iter().find(|device| device.name == name)
}

/// Returns the flushes of a device. The kernel counts them only for request queues. A partition's flushes
/// count with its disk, and flushes of pass-through devices (device mapper, md) with the underlying
/// devices.
pub(super) fn flushes(part: &Part, facts: &DeviceFacts, layer: &Layer) -> Option<u64> {
    let own = activity(facts, &layer.name)?.activity.flushes?;
    let all = part.layers();
    let below = all.iter().filter(|below| layer.lower_devices.contains(&below.name));
    match layer.kind {
        _ if own > 0 => Some(own),
        LayerKind::Partition | LayerKind::Mapper | LayerKind::Raid | LayerKind::Bcache => {
            Some(below.filter_map(|below| flushes(part, facts, below)).max().unwrap_or(0))
        }
        _ => Some(own),
    }
}

/// Returns the maximum number of writes that were empty flushes. The kernel counts a requested flush
/// without data as an empty write, in addition to the device's flushes. Each needs a device flush, which
/// concurrent ones share, and their number is limited by the requests.
fn most_empty(part: &Part, done: &DeviceIo, devices: u64) -> u64 {
    let asked = part.durable.saturating_mul(devices);
    let possible = match done.flushes {
        Some(flushes) => flushes.saturating_mul(part.in_flight.ios.max(1)).min(asked.max(flushes)),
        None => asked,
    };
    possible.min(done.write.ios.saturating_sub(u64::from(done.write.bytes > 0)))
}

/// Returns the most plausible number of empty flushes, by the size of the remaining writes. Sizes that
/// flushes can explain are therefore never reported.
fn empty_writes(part: &Part, done: &DeviceIo, most: u64) -> u64 {
    if part.write.bytes == 0 {
        return most;
    }
    done.write.ios.saturating_sub(ios_for_bytes(done.write.bytes, part.write)).min(most)
}

pub(super) fn ios_for_bytes(bytes: u64, counted: super::part::IoCount) -> u64 {
    let ios = u128::from(bytes) * u128::from(counted.ios) / u128::from(counted.bytes.max(1));
    u64::try_from(ios).unwrap_or(u64::MAX)
}

/// Minimum and maximum I/O size of other programs in bytes; only their bytes are known.
const FOREIGN_IO_SIZES: (u64, u64) = (512, 1 << 20);

/// I/Os of this run on a device in one direction, if they can be separated from other I/O.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnDeviceIo {
    pub bytes: u64,
    /// Most plausible number of I/Os for the counted size.
    pub ios: u64,
    pub least: u64,
}

impl OwnDeviceIo {
    /// Estimates the run's I/Os. `doubtful`: I/Os that may have been flushes; `foreign`: bytes of other
    /// programs. `edges`: bytes of this run that may be counted on one side only.
    pub(super) fn from_flow(
        flow: Flow,
        doubtful: u64,
        foreign: u64,
        counted: IoCount,
        edges: u64,
    ) -> OwnDeviceIo {
        let bytes = flow.bytes.saturating_sub(foreign);
        let least = |foreign: u64| flow.ios.saturating_sub(foreign.div_ceil(FOREIGN_IO_SIZES.0));
        let most = flow.ios.saturating_sub(foreign.div_ceil(FOREIGN_IO_SIZES.1));
        let ios =
            if foreign == 0 { flow.ios } else { ios_for_bytes(bytes, counted).clamp(least(foreign), most) };
        // Whatever was done beyond what was counted may have been a journal's, or somebody else's.
        let beyond = flow.bytes.saturating_sub(counted.bytes).saturating_sub(edges);
        OwnDeviceIo { bytes, ios, least: least(beyond.max(foreign)).saturating_sub(doubtful) }
    }
}
