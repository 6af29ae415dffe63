//! I/Os in flight that are neither at the device nor with the threads, but in the kernel above the device.

use super::{Limits, groups};
use crate::{SpanContext, interrupts, processors};
use diskspd_results::ResourceUsage;

const MIN_MAJORITY_SHARE: f64 = 0.5;
/// Minimum share of a thread's time on a CPU above which the thread is the limit.
const SATURATED: f64 = 0.95;
/// With this share of the depth at the device, the way to it and back takes too little of an I/O's time to
/// limit the run.
const NEARLY_ALL: f64 = 0.75;
/// Interrupts that wake CPUs cost some us, from a deep sleep 100 or 200. Of I/Os that are at the device for
/// longer than this that is less than a tenth, s.
const LONG: f64 = 0.001;
/// Mean I/Os in flight below which devices were idle half of the time.
const IDLE_DEVICE: f64 = 0.5;
/// Minimum mean idle share of CPUs with spare time.
const IDLE: f64 = 0.1;
const FULL_CPU_SHARE: f64 = 0.9;

/// Returns the mean number of outstanding I/Os, and of I/Os at the lowest devices. `None` if unknown, or
/// for a depth of one.
pub(super) fn depths(span: &SpanContext, effort: &ResourceUsage) -> Option<(f64, f64)> {
    let depth = effort.reachable_depth();
    let at_device = span.queues.at_the_bottom?;
    (depth > effort.workers.len() as u64).then_some((depth as f64, at_device))
}

pub(super) fn device_is_short(span: &SpanContext, effort: &ResourceUsage) -> bool {
    depths(span, effort).is_some_and(|(depth, at_device)| at_device < MIN_MAJORITY_SHARE * depth)
        && !is_full(span)
}

#[derive(Debug)]
pub(super) enum KernelPath {
    /// Only a part of the outstanding I/Os was at the device; the rest was in between.
    Long { depth: f64, at_device: f64 },
    /// Nearly all I/Os were at the device, but its fast interrupts went to CPUs without bound threads. The
    /// wake-up time is included in the device's time.
    Crossing,
}

/// Returns the delay that may have limited the run if the storage did not. By Little's law, the share of
/// the depth at the device is the share of an I/O's time there.
pub(super) fn way_matters(span: &SpanContext, effort: &ResourceUsage) -> Option<KernelPath> {
    if is_full(span) {
        return None;
    }
    let (depth, at_device) = (effort.reachable_depth() as f64, span.queues.at_the_bottom?);
    if at_device < NEARLY_ALL * depth {
        return Some(KernelPath::Long { depth, at_device });
    }
    let iops = span.measured.total.total.throughput.iops;
    (at_device < LONG * iops && interrupts::crossing(span).is_some()).then_some(KernelPath::Crossing)
}

/// Returns the targets' device and its I/Os in flight, if a layer between it and the lowest devices had most
/// of the outstanding ones (device mapper, loop device).
pub(super) fn held_by_layer(span: &SpanContext, depth: f64) -> Option<(String, f64)> {
    let [part] = span.parts.as_slice() else { return None };
    let [first] = part.first()[..] else { return None };
    let held = span.queues.in_flight?.counted?;
    let is_upper = part.leaves().iter().all(|leaf| leaf.name != first.name);
    (is_upper && held >= MIN_MAJORITY_SHARE * depth).then(|| (first.name.replace('!', "/"), held))
}

/// Whether the targets' devices were idle half of the time without further data (page cache in between),
/// so the device was underused.
pub(super) fn devices_are_idle(span: &SpanContext) -> bool {
    let known = span.queues.in_flight.filter(|_| span.queues.at_the_bottom.is_none());
    known.is_some_and(|queue| queue.requests < IDLE_DEVICE)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LimitDoubt {
    /// An I/O limit or control of the process's groups was in force on a device, for some of the time.
    IoLimit,
    /// Device interrupts on CPUs without bound threads; the wake-up time belongs to neither side.
    Interrupts,
    /// Programs used the CPUs, and kernel threads may have waited for them.
    Crowded,
}

/// Returns the doubt about the kernel as the cause; `None` = certain.
pub(super) fn doubt(span: &SpanContext, effort: &ResourceUsage, limits: &Limits) -> Option<LimitDoubt> {
    if kernel_used_the_cpus(span, effort, limits) {
        return None;
    }
    if groups::in_force(span, effort) {
        return Some(LimitDoubt::IoLimit);
    }
    if interrupts::crossing(span).is_some() {
        return Some(LimitDoubt::Interrupts);
    }
    let (kernel, programs) = processors::used_by_others(effort)?;
    let crowded = mean_idle(span).is_some_and(|idle| idle <= IDLE) && programs > kernel.unwrap_or(0.0);
    crowded.then_some(LimitDoubt::Crowded)
}

/// Whether most outstanding I/Os were neither at the device nor with running or CPU-waiting threads. CPU
/// waits are then not the cause.
pub(super) fn most_are_between(span: &SpanContext, effort: &ResourceUsage) -> bool {
    let known = depths(span, effort).filter(|_| device_is_short(span, effort));
    known.is_some_and(|(depth, at_device)| {
        sleeping_share(span, effort) - at_device >= MIN_MAJORITY_SHARE * depth
    })
}

/// Whether the kernel above the device limited the run: most I/Os were there, or hardly any at the device
/// while threads of the kernel used the CPUs up.
pub(super) fn limits(span: &SpanContext, effort: &ResourceUsage, limits: &Limits) -> bool {
    if limits.busiest.is_none_or(|busiest| busiest >= SATURATED) || !device_is_short(span, effort) {
        return false;
    }
    most_are_between(span, effort) || kernel_used_the_cpus(span, effort, limits)
}

/// Returns the share of the depth that belongs to sleeping threads.
fn sleeping_share(span: &SpanContext, effort: &ResourceUsage) -> f64 {
    // What a thread that works or waits for a CPU has not collected yet is with it.
    let window = span.measured.seconds * 1e9;
    effort
        .workers
        .iter()
        .filter_map(|worker| Some((worker, worker.times?)))
        .map(|(worker, times)| {
            let awake = times.busy.saturating_add(times.run_delay.unwrap_or(0)) as f64 / window;
            f64::from(worker.reachable_depth()) * (1.0 - awake).max(0.0)
        })
        .sum()
}

fn kernel_used_the_cpus(span: &SpanContext, effort: &ResourceUsage, limits: &Limits) -> bool {
    let Some((Some(kernel), programs)) = processors::used_by_others(effort) else { return false };
    let own = limits.busy.unwrap_or(0.0) * effort.workers.len() as f64;
    mean_idle(span).is_some_and(|idle| idle <= IDLE) && kernel >= own && kernel >= programs
}

/// Returns the mean idle share of CPUs; `None` = not observed.
fn mean_idle(span: &SpanContext) -> Option<f64> {
    let shares = processors::shares(span);
    let idle = shares.iter().map(|share| share.idle).sum::<f64>() / shares.len().max(1) as f64;
    (!shares.is_empty()).then_some(idle)
}

fn is_full(span: &SpanContext) -> bool {
    full_queue(span).is_some()
}

/// Returns a disk with a full queue, and the queue's size (`nr_requests`). `None` if no queue is full, or
/// its I/Os are in the kernel above a lower device (workers of a loop device).
pub(super) fn full_queue<'a>(span: &SpanContext<'a>) -> Option<(&'a str, u64)> {
    let queue = span.queues.in_flight?;
    let requests = queue.requests;
    if span
        .queues
        .at_the_bottom
        .is_some_and(|ios| ios < MIN_MAJORITY_SHARE * queue.counted.unwrap_or(requests))
    {
        return None;
    }
    let mut disks = span.system.environment.iter().flat_map(|environment| &environment.disks);
    disks.find_map(|disk| {
        let places: u64 = disk.device.queue.get("nr_requests")?.parse().ok()?;
        (requests >= FULL_CPU_SHARE * places as f64).then_some((disk.device.name.as_str(), places))
    })
}
