//! Number of I/Os in flight at the devices, by their own clocks, and the speed of the devices.

use super::done::count_done;
use super::limits::{MAX_EQUAL_RATIO, MIN_EQUAL_RATIO};
use super::part::Part;
use diskspd_figures::units::seconds_of_ns;
use diskspd_machine::io_counters::DeviceFacts;
use diskspd_machine::stack::Layer;

/// Mean number of I/Os in flight on the targets' devices during the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct InFlight {
    /// I/Os of the devices after merging and splitting, including other programs'.
    pub requests: f64,
    /// Corresponding I/Os of the workers; `None` if unknown because of the page cache, or because the
    /// devices did much more or less than counted.
    pub counted: Option<f64>,
}

/// Load of a time span's devices, by their own clocks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Queues {
    /// I/Os in flight, from the time that I/Os spent in the targets' devices. It starts when the kernel
    /// allocates a queue slot, and ends with the device's completion. `None` without statistics or
    /// devices.
    pub in_flight: Option<InFlight>,
    /// Mean number of the workers' I/Os in flight at the lowest devices during the window. If they did
    /// more or less than counted (compression, redundancy), the ratio of I/Os applies. `None` as above,
    /// with the page cache in between, or if the devices changed.
    pub at_the_bottom: Option<f64>,
    /// Speed of the targets' devices; `None` = no statistics or devices.
    pub rates: Option<Rates>,
}

impl Queues {
    pub(crate) fn from_parts(parts: &[Part], facts: &DeviceFacts) -> Queues {
        let in_flight = average_queue(parts, facts, Part::first).map(|(requests, each, same)| InFlight {
            requests,
            counted: each.filter(|_| same).map(|each| requests * each),
        });
        let moved = parts.iter().any(|part| !part.moved_to().is_empty());
        let bottom = average_queue(parts, facts, Part::leaves).filter(|_| !moved);
        let at_the_bottom = bottom.and_then(|(requests, each, _)| Some(requests * each?));
        Queues { in_flight, at_the_bottom, rates: rates(parts, facts) }
    }
}

/// Maximum ratio of device to counted bytes that indicates other work, because no data compresses so well.
const MAX_OTHER_WORK_RATIO: f64 = 0.02;

/// Returns for devices of each part: I/Os in flight, worker I/Os per device I/O (`None` with the page
/// cache in between), and whether the bytes match.
fn average_queue<'a>(
    parts: &[Part<'a>],
    facts: &DeviceFacts,
    devices: fn(&Part<'a>) -> Vec<&'a Layer>,
) -> Option<(f64, Option<f64>, bool)> {
    let (mut queue_ms, mut device, mut counted) = (0u64, (0u64, 0u64), (0u64, 0u64));
    for part in parts {
        let done = count_done(part, facts, &devices(part)).ok().filter(|_| part.has_devices())?;
        queue_ms = queue_ms.saturating_add(done.queue_ms);
        for (sum, ios, bytes) in [
            (&mut device, done.read.ios.saturating_add(done.write.ios), done.bytes()),
            (
                &mut counted,
                part.read.ios.saturating_add(part.write.ios),
                part.read.bytes.saturating_add(part.write.bytes),
            ),
        ] {
            *sum = (sum.0.saturating_add(ios), sum.1.saturating_add(bytes));
        }
    }
    let came_down = device.1 as f64 >= MAX_OTHER_WORK_RATIO * counted.1 as f64;
    // A driver may count I/Os, but not their time.
    if queue_ms == 0 && came_down || facts.elapsed == 0 {
        return None;
    }
    let requests = queue_ms as f64 * 1e6 / facts.elapsed as f64;
    let same = (MIN_EQUAL_RATIO..=MAX_EQUAL_RATIO).contains(&(device.1 as f64 / counted.1 as f64));
    let buffered = parts.iter().any(|part| part.buffered);
    // Merged, one of the device's is several of the workers'; split, several are one. What never came down
    // to the device (the page cache beneath a loop device had it) was not merged into the little that did.
    let each = if came_down { counted.0 as f64 / device.0.max(1) as f64 } else { 1.0 };
    Some((requests, (!buffered).then_some(each), same))
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Rates {
    pub read_bytes: f64,
    pub write_bytes: f64,
    pub reads: f64,
    pub writes: f64,
}

fn rates(parts: &[Part], facts: &DeviceFacts) -> Option<Rates> {
    let seconds = seconds_of_ns(facts.elapsed.max(1));
    let mut rates = Rates::default();
    for part in parts {
        let done = count_done(part, facts, &part.first()).ok().filter(|_| part.has_devices())?;
        for (rate, number) in [
            (&mut rates.read_bytes, done.read.bytes),
            (&mut rates.write_bytes, done.write.bytes),
            (&mut rates.reads, done.read.ios),
            (&mut rates.writes, done.write.ios),
        ] {
            *rate += number as f64 / seconds;
        }
    }
    Some(rates)
}
