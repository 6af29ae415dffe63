//! Activity of other programs on the devices: bytes, I/Os, and I/Os in flight. Small I/Os take more of a
//! device's time than their bytes suggest.

use super::done::{DeviceIo, ios_for_bytes};
use super::effects::{JudgedPart, RuleOutcome, severity_for};
use super::foreign::ForeignIo;
use super::limits::*;
use super::part::IoCount;
use super::wording::{amount, count};
use crate::arrays;
use diskspd_figures::units::Millis;
use diskspd_machine::io_counters::Flow;
use diskspd_machine::stack::LayerKind;
use diskspd_results::Verdict;

impl JudgedPart<'_> {
    /// Returns the minimum number of other programs' I/Os: their bytes at the device's largest I/O size,
    /// but not below the usual size.
    pub(super) fn foreign_ios(&self, flow: Flow, counted: IoCount, foreign: u64) -> u64 {
        let ours = match counted.bytes {
            0 => 0,
            _ => {
                (ios_for_bytes(flow.bytes.saturating_sub(foreign), counted) as f64
                    * self.pieces_per_io(counted)) as u64
            }
        };
        flow.ios.saturating_sub(ours).min(foreign / SMALL_IO_BYTES)
    }

    fn pieces_per_io(&self, counted: IoCount) -> f64 {
        let block = counted.bytes.checked_div(counted.ios).unwrap_or(0);
        let first = self.part.first();
        let largest = first.iter().filter_map(|layer| layer.queue_limits?.largest_io).min();
        largest.filter(|largest| *largest > 0).map_or(1.0, |largest| block.div_ceil(largest).max(1) as f64)
    }

    /// Returns the minimum number of pieces per I/O by the device counters. Additional I/Os without
    /// foreign bytes are pieces, as with stripes and chunks, which no device limit shows.
    fn least_pieces(&self, device: &DeviceIo) -> f64 {
        let (read, write) = (self.part.read, self.part.write);
        let counted = read.bytes.saturating_add(write.bytes);
        let foreign = device.bytes().saturating_sub(counted).saturating_sub(self.allowance(counted));
        let ios = device.read.ios.saturating_add(device.write.ios).saturating_sub(foreign / SMALL_IO_BYTES);
        ios as f64 / read.ios.saturating_add(write.ios).max(1) as f64
    }

    /// Returns the I/Os in flight beyond this run's maximum, and the total. Not applicable if the kernel
    /// adds I/Os for this run: readahead, writeback, a journal.
    pub(super) fn foreign_in_flight(&self, device: &DeviceIo) -> Option<(f64, f64)> {
        let part = self.part;
        let changes = part.write.ios > 0 || part.discarded.ios > 0;
        if !part.depth_known || part.buffered || part.on_file_system && changes || self.facts.elapsed == 0 {
            return None;
        }
        let pieces =
            self.pieces_per_io(part.read).max(self.pieces_per_io(part.write)).max(self.least_pieces(device));
        let elapsed_ms = Millis::of_ns(self.facts.elapsed).ms();
        let all = device.queue_ms as f64 / elapsed_ms;
        // Those in flight at an edge count with all of their time, also with what lies outside.
        let ios = device.read.ios.saturating_add(device.write.ios).max(1);
        let mean_ms = device.queue_ms as f64 / ios as f64;
        let ours = part.in_flight.ios as f64 * pieces * (1.0 + 2.0 * mean_ms / elapsed_ms);
        Some(((all - ours).max(0.0), all))
    }

    /// Returns writes at the bottom of a read-only stack. They belong to other programs, unless reads fill
    /// a cache.
    pub(super) fn written_beneath_a_reader(&self, passed: &DeviceIo, leaves: &DeviceIo) -> Option<ForeignIo> {
        let reads_only = self.part.write.ios == 0 && self.part.discarded.ios == 0 && passed.write.bytes == 0;
        let layers = self.part.layers();
        let may_cache = layers
            .iter()
            .any(|layer| matches!(layer.kind, LayerKind::Bcache | LayerKind::Mapper) && !layer.one_to_one);
        let (upper, lower) = (DeviceIo { read: leaves.read, ..*passed }, leaves);
        (reads_only && !may_cache).then(|| ForeignIo::from_layers(&upper, lower))
    }

    pub(super) fn shared(&self, foreign: ForeignIo, names: &str, how: &str) -> Option<RuleOutcome> {
        let part = self.part;
        let counted_ios = part.read.ios.saturating_add(part.write.ios);
        let allowed = self.allowance(part.read.bytes.saturating_add(part.write.bytes));
        let floor = if part.on_file_system { COMMIT } else { BACKGROUND };
        let allowed_ios = part.in_flight.ios.saturating_add((counted_ios as f64 * self.slack) as u64);
        let share = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
        let by_bytes = share(foreign.bytes as f64, foreign.all as f64);
        let by_ios = share(foreign.ios as f64, foreign.all_ios as f64);
        let (in_flight, all_in_flight) = foreign.in_flight.unwrap_or_default();
        let by_time = share(in_flight, all_in_flight);
        let bytes = by_bytes >= MIN_FOREIGN_SHARE && foreign.bytes > allowed.saturating_add(floor);
        let ios =
            by_ios >= MIN_FOREIGN_SHARE && foreign.ios > allowed_ios.saturating_add(floor / SMALL_IO_BYTES);
        let time = by_time >= MIN_FOREIGN_SHARE && in_flight >= BACKGROUND_IN_FLIGHT;
        let percent = |share: f64| share * 100.0;
        let mut figures = Vec::new();
        if bytes || ios {
            let (theirs, all) = (amount(foreign.bytes), amount(foreign.all));
            figures.push(format!("{theirs} of {all} ({:.0} %)", percent(by_bytes)));
        }
        if ios {
            let (theirs, all) = (count(foreign.ios), count(foreign.all_ios));
            figures.push(format!("at least {theirs} of {all} I/Os ({:.0} %)", percent(by_ios)));
        }
        if time {
            figures.push(format!("at least {in_flight:.1} of {all_in_flight:.1} I/Os in flight"));
        }
        let (last, first) = figures.split_last()?;
        let figures =
            if first.is_empty() { last.clone() } else { format!("{} and {last}", first.join(", ")) };
        // The number of others' I/Os, and their I/Os in flight, show other users. Only bytes show that the
        // figures are mostly theirs.
        let mostly = bytes && by_bytes >= HIGH_FOREIGN_SHARE;
        let severity = Some(severity_for(mostly, true));
        let (who, remedy) = match arrays::at_work(self.facts, &part.layers()) {
            None => ("others".into(), "stop the other users of the device, or measure another one".into()),
            Some((array, upkeep)) => {
                (format!("{}, or others,", arrays::did(array, upkeep)), arrays::ended(array, upkeep))
            }
        };
        let message = format!("{who} used {names} during the run{how}: {figures} were not this run's");
        Some(RuleOutcome { verdict: Verdict::Shared, severity, message, remedy: Some(remedy) })
    }
}
