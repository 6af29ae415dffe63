//! Flushes of the devices' write caches.

use super::done::{activity, flushes};
use super::part::Part;
use crate::SpanContext;
use diskspd_machine::io_counters::DeviceFacts;
use diskspd_machine::stack::{Layer, LayerKind, StackMount};
use diskspd_profile::TargetId;

/// Requests for durability, and flushes of volatile caches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flushed<'a> {
    /// Devices with a volatile cache: the lowest ones, or the highest ones if those had fewer flushes.
    pub devices: Vec<&'a str>,
    /// Number of flushes, including other programs'; `None` = unknown.
    pub flushes: Option<u64>,
    /// Counted requests that need a flush, over all targets on these devices.
    pub requests: u64,
    pub at_once: u64,
    /// Reason why no flush can reach the cache; `None` = no known reason.
    pub stopped: Option<FlushStop<'a>>,
}

/// Place above the volatile caches where flushes end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FlushStop<'a> {
    /// File system with a mount option.
    Mount(&'a StackMount),
    /// Device set as without a volatile cache, so that the kernel drops flushes.
    Device(&'a str),
}

impl Flushed<'_> {
    /// Whether there were far fewer flushes than the requests need. Requests in flight share a flush, and the
    /// first of them may have had theirs before the first reading.
    pub(crate) fn is_short(&self) -> bool {
        let needed = self.requests.saturating_sub(self.at_once);
        self.flushes.is_some_and(|flushes| flushes.saturating_mul(self.at_once) < needed / 2)
    }
}

/// Returns the flushes for a target; `None` = no known volatile cache.
pub(crate) fn flushed<'a>(span: &SpanContext<'a>, target: TargetId) -> Option<Flushed<'a>> {
    let facts = span.devices()?;
    let part = span.parts.iter().find(|part| part.has_target(target) && part.has_devices())?;
    let [highest, lowest] = volatile_edges(part, facts);
    // Flushes that are dropped on the way are missing further down; those of other programs are counted
    // there, too.
    let counted = [&highest, &lowest].map(|layers| count(part, facts, layers));
    let fewest = if counted[0] < counted[1] { &highest } else { &lowest };
    // A cache may make writes durable by itself.
    let known = counted.iter().all(Option::is_some) && !part.layers().iter().any(|layer| layer.cache);
    (!lowest.is_empty()).then(|| Flushed {
        flushes: counted.into_iter().flatten().min().filter(|_| known),
        requests: if may_write_past_caches(part, &lowest) { part.flushes } else { part.durable },
        at_once: part.in_flight.ios.max(1),
        stopped: flush_stop(part, facts, target),
        devices: fewest.iter().map(|layer| layer.name.as_str()).collect(),
    })
}

/// Returns the flushes of these devices; `None` = one of them may not count flushes.
fn count(part: &Part, facts: &DeviceFacts, layers: &[&Layer]) -> Option<u64> {
    layers.iter().try_fold(0u64, |sum, layer| {
        let fua = layer.queue_limits.and_then(|traits| traits.fua);
        let flushes = flushes(part, facts, layer)?;
        let device = activity(facts, &layer.name)?;
        let counts = flushes > 0 || fua == Some(false) || device.counts_flushes;
        counts.then(|| sum.saturating_add(flushes))
    })
}

/// Whether single writes can bypass the caches (FUA), which the kernel does not count. A loop device needs a
/// flush.
fn may_write_past_caches(part: &Part, devices: &[&Layer]) -> bool {
    let can = |layer: &&Layer| layer.queue_limits.is_none_or(|traits| traits.fua != Some(false));
    !part.has_loop() && devices.iter().any(can)
}

fn has_volatile_cache(layer: &Layer, facts: &DeviceFacts) -> bool {
    let set = layer.queue_limits.is_some_and(|traits| traits.write_back == Some(true));
    set || cache_changes(layer, facts).any(|(from, _)| from == "write back")
}

/// Returns the settings of a device's write cache before and after each change in the measurement.
fn cache_changes<'a>(
    layer: &Layer,
    facts: &'a DeviceFacts,
) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
    let changes = activity(facts, &layer.name).map_or(&[][..], |device| &device.changes);
    let changes = changes.iter().filter(|change| change.setting == "write_cache");
    changes.map(|change| (change.from.as_str(), change.to.as_str()))
}

/// Returns the highest and the lowest devices with a volatile cache.
fn volatile_edges<'a>(part: &Part<'a>, facts: &DeviceFacts) -> [Vec<&'a Layer>; 2] {
    let layers = part.layers();
    let is_volatile = |layer: &Layer| has_volatile_cache(layer, facts);
    let volatile: Vec<&Layer> = layers.iter().copied().filter(|layer| is_volatile(layer)).collect();
    let beneath = |layer: &Layer| {
        volatile.iter().any(|other| any_below(&layers, other, |below| below.name == layer.name))
    };
    let highest = volatile.iter().copied().filter(|layer| !beneath(layer));
    let lowest = volatile.iter().copied().filter(|layer| !any_below(&layers, layer, is_volatile));
    [highest.collect(), lowest.collect()]
}

/// Whether a layer at any depth below this one meets the condition.
fn any_below(layers: &[&Layer], above: &Layer, wanted: impl Fn(&Layer) -> bool) -> bool {
    let mut open: Vec<&str> = above.lower_devices.iter().map(String::as_str).collect();
    let mut seen: Vec<&str> = Vec::new();
    while let Some(name) = open.pop() {
        let Some(layer) = layers.iter().find(|layer| layer.name == name).filter(|_| !seen.contains(&name))
        else {
            continue;
        };
        if wanted(layer) {
            return true;
        }
        seen.push(name);
        open.extend(layer.lower_devices.iter().map(String::as_str));
    }
    false
}

/// Returns the place above the lowest volatile cache where flushes end.
fn flush_stop<'a>(part: &Part<'a>, facts: &'a DeviceFacts, target: TargetId) -> Option<FlushStop<'a>> {
    let target = part.targets.get(part.place(target)?)?;
    let mut mounts = target.stack.mounts.iter().chain(&target.remounted);
    if let Some(mount) = mounts.find(|mount| mount.drops_flushes().is_some()) {
        return Some(FlushStop::Mount(mount));
    }
    let layers = part.layers();
    let off = |layer: &&&Layer| {
        let set = layer.queue_limits.is_some_and(|traits| traits.write_back == Some(false));
        let above = layer.kind != LayerKind::Mount
            && any_below(&layers, layer, |below| has_volatile_cache(below, facts));
        set && above || cache_changes(layer, facts).any(|(_, to)| to == "write through")
    };
    layers.iter().find(off).map(|layer| FlushStop::Device(&layer.name))
}
