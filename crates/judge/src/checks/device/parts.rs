//! Grouping of a time span's targets by shared devices, with their counts.

use super::limits::BACKGROUND;
use super::part::{Beneath, Counted, Part};
use crate::checks::SpanContext;
use diskspd_model::machine::io_counters::{DeviceFacts, TargetDevices};
use diskspd_model::operation::Operation;
use diskspd_model::profile::Target;
use diskspd_model::results::TargetResults;

/// Below this number of I/Os per process of another program, its calls at the start change the mean size.
const CALLS_AT_START: u64 = 100;

impl<'a> Part<'a> {
    /// Returns all parts of a span; two targets with a common device are in the same part.
    pub fn all(span: &SpanContext<'a>, facts: &'a DeviceFacts) -> Vec<Part<'a>> {
        let mut parts: Vec<Vec<&TargetDevices>> = Vec::new();
        for target in &facts.targets {
            let (together, apart) = parts
                .into_iter()
                .partition::<Vec<_>, _>(|part| part.iter().any(|other| shares_device(other, target)));
            parts = apart;
            let joined = together.into_iter().reduce(|mut part, more| {
                part.extend(more);
                part
            });
            let mut part = joined.unwrap_or_default();
            part.push(target);
            parts.push(part);
        }
        parts.into_iter().map(|targets| Part::new(span, targets)).collect()
    }

    fn new(span: &SpanContext<'a>, targets: Vec<&'a TargetDevices>) -> Part<'a> {
        let mut part = Part {
            read: Counted::default(),
            write: Counted::default(),
            discarded: Counted::default(),
            durable: 0,
            flushes: 0,
            zeroed: Counted::default(),
            easy: 0,
            in_flight: Counted::default(),
            depth_known: span.program.is_none(),
            buffered: false,
            on_file_system: targets.iter().any(|target| target.stack.file_system.is_some()),
            each: vec![Default::default(); targets.len()],
            beneath: Beneath::new(&targets),
            targets,
        };
        for got in span.rows() {
            if let Some(at) = part.place(got.target) {
                let asked = span.target_of(got.target).map(|asked| asked.target);
                part.add_durable(span, got);
                // The program's own pattern, and zeros (-Z); random data and data of the user's don't count,
                // nor what is as reducible as the user wants it.
                let repeats = !span.asked.random_write_data;
                let plain = |asked: &Target| asked.random_data_source.is_none() && asked.content.is_none();
                if repeats && asked.is_some_and(plain) {
                    part.easy = part.easy.saturating_add(got.write.bytes);
                }
                part.add_others(at, got);
                let Some((read, write)) = part.each.get_mut(at) else { continue };
                for (sum, more) in [
                    (&mut part.read, &got.read),
                    (&mut part.write, &got.write),
                    (read, &got.read),
                    (write, &got.write),
                ] {
                    sum.bytes = sum.bytes.saturating_add(more.bytes);
                    sum.ios = sum.ios.saturating_add(more.ios);
                }
            }
        }
        for asked in span.targets() {
            if !part.has(asked.id) {
                continue;
            }
            let requests = requests_in_flight(span, asked.target);
            part.in_flight.ios = part.in_flight.ios.saturating_add(requests);
            let bytes = requests.saturating_mul(u64::from(asked.target.block_size));
            part.in_flight.bytes = part.in_flight.bytes.saturating_add(bytes);
            part.buffered |= asked.target.memory_mapped_io || span.is_cached(asked);
        }
        if let Some(program) = span.program {
            part.leave_out_start(program.processes);
        }
        part
    }

    /// Each process of another program reads its libraries and configuration with some small calls.
    fn leave_out_start(&mut self, processes: u64) {
        for side in [&mut self.read, &mut self.write] {
            if side.bytes <= BACKGROUND {
                *side = Counted::default();
            }
            if side.ios < processes.saturating_mul(CALLS_AT_START) {
                side.ios = 0;
            }
        }
    }

    fn add_durable(&mut self, span: &SpanContext, got: &TargetResults) {
        let durable = span.target_of(got.target).filter(|asked| asked.target.is_durable());
        if let Some(asked) = durable {
            self.durable = self.durable.saturating_add(got.write.ios);
            let flushes = if span.flushes_by_fsync(asked) { got.write.ios } else { 0 };
            self.flushes = self.flushes.saturating_add(flushes);
        } else {
            let single = got.other(Operation::DurableWrite).map_or(0, |writes| writes.ios);
            self.durable = self.durable.saturating_add(single);
        }
        // Each flush may be a write of no bytes to the device, as those of durable writes.
        let flushes = got.other(Operation::Flush).map_or(0, |flushes| flushes.ios);
        self.durable = self.durable.saturating_add(flushes);
        self.flushes = self.flushes.saturating_add(flushes);
    }

    fn add_others(&mut self, at: usize, got: &TargetResults) {
        for (op, _, share) in Operation::replacements() {
            let Some(done) = got.other(op) else { continue };
            // What the kernel counts as writes of the device; a file system makes its own of it.
            let sums = match share.writes_on_devices && !self.on_file_system {
                true => [Some(&mut self.write), self.each.get_mut(at).map(|(_, write)| write)],
                false => [Some(&mut self.discarded), None],
            };
            let zeroed = sums[1].is_some().then_some(&mut self.zeroed);
            for sum in sums.into_iter().chain([zeroed]).flatten() {
                sum.bytes = sum.bytes.saturating_add(done.bytes);
                sum.ios = sum.ios.saturating_add(done.ios);
            }
        }
    }
}

fn shares_device(part: &TargetDevices, target: &TargetDevices) -> bool {
    match (&part.stack.no_device_reason, &target.stack.no_device_reason) {
        (None, None) => part.stack.layers.iter().any(|layer| target.stack.layer(&layer.name).is_some()),
        (one, other) => one == other,
    }
}

/// How many I/Os on a target can be in flight at once.
fn requests_in_flight(span: &SpanContext, target: &Target) -> u64 {
    let (threads, each) = match (span.asked.thread_count, span.asked.request_count) {
        (0, _) => (target.threads_per_file, target.request_count),
        (pool, 0) => (pool, target.request_count),
        (pool, floating) => (pool, floating),
    };
    u64::from(threads) * u64::from(each.max(1))
}
