//! Grouping of a time span's targets by shared devices, with their counts.

use super::limits::{BACKGROUND, COMMIT, MIN_FOREIGN_SHARE};
use super::part::{IoCount, Part, SharedFacts};
use crate::SpanContext;
use diskspd_base::operation::Operation;
use diskspd_machine::io_counters::{DeviceFacts, TargetDevices};
use diskspd_profile::{Target, TargetId};
use diskspd_results::TargetResults;
use std::collections::HashMap;

/// Below this number of I/Os per process of another program, its calls at the start change the mean size.
const CALLS_AT_START: u64 = 100;

impl<'a> Part<'a> {
    /// Returns all parts of a span; two targets with a common device are in the same part.
    pub(crate) fn all(span: &SpanContext<'a>, facts: &'a DeviceFacts) -> Vec<Part<'a>> {
        group_targets(&facts.targets).into_iter().map(|targets| Part::new(span, targets)).collect()
    }

    fn new(span: &SpanContext<'a>, targets: Vec<&'a TargetDevices>) -> Part<'a> {
        let mut part = Part {
            read: IoCount::default(),
            write: IoCount::default(),
            discarded: IoCount::default(),
            durable: 0,
            flushes: 0,
            zeroed: IoCount::default(),
            easy: 0,
            in_flight: IoCount::default(),
            depth_known: span.program.is_none(),
            buffered: false,
            on_file_system: targets.iter().any(|target| target.stack.file_system.is_some()),
            each: vec![Default::default(); targets.len()],
            beneath: SharedFacts::new(&targets),
            targets,
        };
        let places = part.targets.iter().map(|target| target.target).enumerate();
        let places: Vec<(usize, TargetId)> = places.filter(|(at, id)| part.place(*id) == Some(*at)).collect();
        for (at, id) in places {
            for got in span.rows_of(id) {
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
            for asked in span.targets_of(id) {
                let requests = requests_in_flight(span, asked.target);
                part.in_flight.ios = part.in_flight.ios.saturating_add(requests);
                let bytes = requests.saturating_mul(u64::from(asked.target.block_size));
                part.in_flight.bytes = part.in_flight.bytes.saturating_add(bytes);
                part.buffered |= asked.target.memory_mapped_io || span.is_cached(asked);
            }
        }
        if let Some(program) = span.program {
            part.leave_out_start(program.processes);
        }
        part
    }

    /// Excludes the start of processes, each of which reads libraries and configuration with some small
    /// calls, and writes logs. More than [`BACKGROUND`] of this does not matter next to much I/O of the other
    /// direction.
    fn leave_out_start(&mut self, processes: u64) {
        let small_next_to = |other: IoCount| COMMIT.min((MIN_FOREIGN_SHARE * other.bytes as f64) as u64);
        let least = [small_next_to(self.write), small_next_to(self.read)];
        for (side, least) in [&mut self.read, &mut self.write].into_iter().zip(least) {
            if side.bytes <= BACKGROUND.max(least) {
                *side = IoCount::default();
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
            let single = got.aux_results(Operation::DurableWrite).map_or(0, |writes| writes.ios);
            self.durable = self.durable.saturating_add(single);
        }
        // Each flush may be a write of no bytes to the device, as those of durable writes.
        let flushes = got.aux_results(Operation::Flush).map_or(0, |flushes| flushes.ios);
        self.durable = self.durable.saturating_add(flushes);
        self.flushes = self.flushes.saturating_add(flushes);
    }

    fn add_others(&mut self, at: usize, got: &TargetResults) {
        for (op, _, share) in Operation::replacements() {
            let Some(done) = got.aux_results(op) else { continue };
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

/// Targets with a common device, or without devices for the same reason.
#[derive(Default)]
struct Group<'a> {
    targets: Vec<&'a TargetDevices>,
    /// Index of the last target.
    last: usize,
    /// Group into which it was merged.
    joined: Option<usize>,
}

fn group_targets(targets: &[TargetDevices]) -> Vec<Vec<&TargetDevices>> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<(bool, &str), usize> = HashMap::new();
    for (last, target) in targets.iter().enumerate() {
        let stack = &target.stack;
        let keys: Vec<(bool, &str)> = match &stack.no_device_reason {
            Some(reason) => vec![(false, reason)],
            None => stack.layers.iter().map(|layer| (true, layer.name.as_str())).collect(),
        };
        let mut shared: Vec<usize> = keys
            .iter()
            .filter_map(|key| known.get(key))
            .map(|group| resolve_group(&groups, *group))
            .collect();
        shared.sort_by_key(|group| groups[*group].last);
        shared.dedup();
        let own = shared.first().copied().unwrap_or_else(|| {
            groups.push(Group::default());
            groups.len() - 1
        });
        for other in shared.into_iter().skip(1) {
            let more = std::mem::take(&mut groups[other].targets);
            groups[own].targets.extend(more);
            groups[other].joined = Some(own);
        }
        groups[own].targets.push(target);
        groups[own].last = last;
        known.extend(keys.into_iter().map(|key| (key, own)));
    }
    groups.retain(|group| group.joined.is_none());
    groups.sort_by_key(|group| group.last);
    groups.into_iter().map(|group| group.targets).collect()
}

fn resolve_group(groups: &[Group], group: usize) -> usize {
    std::iter::successors(Some(group), |group| groups[*group].joined).last().unwrap_or(group)
}

/// Returns the maximum number of I/Os in flight on a target.
fn requests_in_flight(span: &SpanContext, target: &Target) -> u64 {
    let (threads, each) = match (span.asked.thread_count, span.asked.request_count) {
        (0, _) => (target.threads_per_file, target.request_count),
        (pool, 0) => (pool, target.request_count),
        (pool, floating) => (pool, floating),
    };
    u64::from(threads) * u64::from(each.max(1))
}
