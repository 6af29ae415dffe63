//! I/Os in flight that are neither at the device nor with the threads: the kernel above the device has them.

use super::Limits;
use crate::truth::{SpanView, processors};
use diskspd_model::results::Effort;

/// So much of the depth is most of it.
const MOST: f64 = 0.5;
/// A thread that was on a CPU for so long had itself to blame.
const SATURATED: f64 = 0.95;
/// CPUs that were idle for less, on average, had no time left for anybody.
const IDLE: f64 = 0.1;
/// So near to the number of its places a queue is full.
const FULL: f64 = 0.9;

/// I/Os that were outstanding, and how many of them were at the devices with nothing beneath them, on
/// average; `None` = nobody knows, or one at a time.
pub(super) fn depths(span: &SpanView, effort: &Effort) -> Option<(f64, f64)> {
    let depth: u64 = effort.workers.iter().map(|worker| u64::from(worker.reachable_depth())).sum();
    let at_device = span.queues.at_the_bottom?;
    (depth > effort.workers.len() as u64).then_some((depth as f64, at_device))
}

/// Whether the device had less than half of what was outstanding.
pub(super) fn device_is_short(span: &SpanView, effort: &Effort) -> bool {
    depths(span, effort).is_some_and(|(depth, at_device)| at_device < MOST * depth) && !is_full(span)
}

/// Whether the kernel above the device limited the run: most I/Os were there, or hardly any at the device
/// while threads of the kernel used the CPUs up.
pub(super) fn limits(span: &SpanView, effort: &Effort, limits: &Limits) -> bool {
    let Some((depth, at_device)) = depths(span, effort) else { return false };
    if limits.busiest.is_none_or(|busiest| busiest >= SATURATED) || !device_is_short(span, effort) {
        return false;
    }
    // What a thread that works or waits for a CPU has not collected yet is with it.
    let window = span.measured.seconds * 1e9;
    let asleep: f64 = effort
        .workers
        .iter()
        .filter_map(|worker| Some((worker, worker.times?)))
        .map(|(worker, times)| {
            let awake = times.busy.saturating_add(times.waiting.unwrap_or(0)) as f64 / window;
            f64::from(worker.reachable_depth()) * (1.0 - awake).max(0.0)
        })
        .sum();
    asleep - at_device >= MOST * depth || kernel_used_the_cpus(span, effort, limits)
}

fn kernel_used_the_cpus(span: &SpanView, effort: &Effort, limits: &Limits) -> bool {
    let Some((Some(kernel), programs)) = processors::used_by_others(effort) else { return false };
    let shares = processors::shares(span);
    let idle = shares.iter().map(|share| share.idle).sum::<f64>() / shares.len().max(1) as f64;
    let own = limits.busy.unwrap_or(0.0) * effort.workers.len() as f64;
    !shares.is_empty() && idle <= IDLE && kernel >= own && kernel >= programs
}

/// Whether a queue of the device has no place left: then what waits above it waits for the device.
fn is_full(span: &SpanView) -> bool {
    let disks = span.system.environment.iter().flat_map(|environment| &environment.disks);
    let mut places = disks.filter_map(|disk| disk.device.queue.get("nr_requests")?.parse::<f64>().ok());
    let requests = span.queues.in_flight.map(|queue| queue.requests);
    requests.is_some_and(|requests| places.any(|places| requests >= FULL * places))
}
