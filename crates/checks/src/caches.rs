//! Cache devices (dm-cache, dm-writecache, bcache): the underlying devices that did the I/O.

use super::{Finding, Severity, SpanContext};
use diskspd_machine::io_counters::{DeviceActivity, Flow};
use diskspd_machine::stack::Layer;

/// Minimum share of a device that performed almost all I/O.
const NEARLY_ALL: f64 = 0.9;
/// Minimum share of a device in the finding; less is the cache's metadata.
const MIN_DEVICE_SHARE: f64 = 0.01;

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let mut layers: Vec<&Layer> = span.parts.iter().flat_map(|part| part.layers()).collect();
    // A bcache without its cache's device keeps nothing anywhere else.
    layers.retain(|layer| layer.cache && layer.lower_devices.len() > 1);
    layers.into_iter().filter_map(|layer| find_cache(span, layer)).collect()
}

fn find_cache(span: &SpanContext, layer: &Layer) -> Option<Finding> {
    let devices = &span.devices()?.devices;
    let beneath: Vec<&DeviceActivity> =
        devices.iter().filter(|device| layer.lower_devices.contains(&device.name)).collect();
    let read = cache_shares(&beneath, "read", |device| &device.activity.read);
    let written = cache_shares(&beneath, "written", |device| &device.activity.write);
    let told: Vec<&str> =
        [&read, &written].into_iter().flatten().map(|shares| shares.words.as_str()).collect();
    if told.is_empty() {
        return None;
    }
    let message = format!("{} is a cache: {}", layer.name, told.join("; "));
    let alone = read.is_some_and(|shares| shares.most >= NEARLY_ALL);
    let severity = if alone { Severity::Warning } else { Severity::Note };
    Some(Finding::new("underlying-cache", severity, span, message).remedy(
        "the figures apply to this hit ratio; to measure the cached device, use an area several times the \
         size of the cache, or that device alone",
    ))
}

struct CachedIoWork {
    words: String,
    most: f64,
}

/// Returns `None` without I/O.
fn cache_shares(
    beneath: &[&DeviceActivity],
    done: &str,
    flow: fn(&DeviceActivity) -> &Flow,
) -> Option<CachedIoWork> {
    let all: u64 = beneath.iter().map(|device| flow(device).bytes).sum();
    let share =
        |device: &&DeviceActivity| (device.name.clone(), flow(device).bytes as f64 / all.max(1) as f64);
    let shares: Vec<(String, f64)> = beneath.iter().map(share).collect();
    let named = shares.iter().filter(|(_, share)| *share >= MIN_DEVICE_SHARE);
    let named: Vec<String> = named.map(|(name, share)| format!("{name} {:.0} %", share * 100.0)).collect();
    let most = shares.iter().map(|(_, share)| *share).fold(0.0, f64::max);
    (all > 0)
        .then(|| CachedIoWork { words: format!("of the data {done} below it {}", named.join(" and ")), most })
}
