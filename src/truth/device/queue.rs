//! How many I/Os the devices had in flight, by their own clocks.

use super::limits::{LESS, MORE};
use super::part::{self, Part};
use crate::truth::SpanView;

/// What the devices right beneath the targets had in flight, on average over the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InFlight {
    /// I/Os of the devices: after merging and splitting, others' included.
    pub requests: f64,
    /// I/Os of the workers that these were; `None` = they can't be told from each other: the page cache lies between, or
    /// the devices did much more or less than was counted.
    pub counted: Option<f64>,
}

/// By the time that the devices' I/Os spent in them. It begins when the kernel has a place for an I/O in the device's queue
/// and ends when the device has completed it. `None` = some device has no such statistics, or there is none.
pub fn in_flight(span: &SpanView) -> Option<InFlight> {
    let facts = span.results.observed.as_ref()?.devices.as_ref()?;
    let parts = Part::all(span, facts);
    let (mut queue_ms, mut device, mut counted) = (0u64, (0u64, 0u64), (0u64, 0u64));
    for part in &parts {
        let done = part::done(facts, &part.first()).ok().filter(|_| part.has_devices())?;
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
    // A driver may count I/Os, but not their time.
    if queue_ms == 0 || facts.elapsed == 0 {
        return None;
    }
    let requests = queue_ms as f64 * 1e6 / facts.elapsed as f64;
    let same = (LESS..=MORE).contains(&(device.1 as f64 / counted.1 as f64));
    let comparable = same && !parts.iter().any(|part| part.buffered);
    // Merged, one of the device's is several of the workers'; split, several are one.
    let each = counted.0 as f64 / device.0.max(1) as f64;
    Some(InFlight { requests, counted: comparable.then_some(requests * each) })
}
