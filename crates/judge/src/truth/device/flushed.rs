//! Whether the devices were asked to flush their write caches.

use super::done::done;
use crate::truth::SpanView;
use diskspd_model::profile::TargetId;

/// What became of writes on a device whose cache has to be flushed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flushed {
    /// The device right beneath the target.
    pub device: String,
    /// Its flushes, others' included; `None` = the kernel doesn't tell.
    pub flushes: Option<u64>,
    /// Whether single writes can go past the cache, which nobody counts.
    pub past_cache: bool,
    /// Writes counted that had to be on the medium when they ended, of all targets on the device.
    pub durable: u64,
    /// I/Os that can be in flight at once: these can share a flush.
    pub at_once: u64,
}

/// `None` = there is no such device beneath the target.
pub fn flushed(span: &SpanView, target: TargetId) -> Option<Flushed> {
    let facts = span.devices()?;
    let part = span.parts.iter().find(|part| part.has(target) && part.has_devices())?;
    let first = part.first();
    let has_cache = |traits: &diskspd_model::machine::stack::Traits| traits.write_back == Some(true);
    let device = first.iter().find(|layer| layer.traits.as_ref().is_some_and(has_cache))?;
    let fua = part.layers().iter().any(|layer| layer.traits.is_none_or(|traits| traits.fua != Some(false)));
    Some(Flushed {
        device: device.name.clone(),
        flushes: done(part, facts, &first).ok()?.flushes,
        past_cache: fua,
        durable: part.durable,
        at_once: part.in_flight.ios.max(1),
    })
}
