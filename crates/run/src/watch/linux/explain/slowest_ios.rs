//! Keeps the slowest I/Os of each second and of the time span, and explains them.

use super::events::TaskNames;
use super::places::TargetExtents;
use super::throttles::Throttles;
use diskspd_base::operation::Operation;
use diskspd_checks::slow::{self, Attributed, BlockEvent, BlockMatch, BlockTimes, HeldBy, ThreadTimeline};
use diskspd_results::{Culprit, CulpritKind, SlowIo, SlowIos, SlowSecond};
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_worker::telemetry::io_log::Entry;
use std::cmp::Reverse;
use std::collections::VecDeque;

/// Maximum number of kept device events for matching; the latest are kept.
const MAX_EVENTS: usize = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Thread {
    pub number: i32,
    pub course: ThreadTimeline,
}

#[derive(Debug, Clone, Copy)]
struct SlowCandidate {
    worker: u32,
    io: Entry,
}

impl SlowCandidate {
    fn reaped_at(&self) -> Nanos {
        self.io.start.saturating_add(self.io.latency)
    }
}

#[derive(Debug)]
pub(super) struct SlowestIoBuffer {
    wanted: usize,
    pub begin: Nanos,
    pub places: Vec<TargetExtents>,
    pub names: TaskNames,
    pub threads: Vec<Thread>,
    pub throttles: Throttles,
    block: VecDeque<BlockEvent>,
    /// Device flushes, kept separately because a flush can begin long before the I/O that it delays.
    flushes: DeviceFlushes,
    /// End of a gap of events; earlier I/Os cannot be explained.
    blind_until: Nanos,
    waiting: Vec<SlowCandidate>,
    pub found: SlowIos,
}

impl SlowestIoBuffer {
    /// Creates the buffer for this number of I/Os per second and in total.
    pub(super) fn new(wanted: u32, places: Vec<TargetExtents>) -> SlowestIoBuffer {
        SlowestIoBuffer {
            wanted: wanted as usize,
            begin: Nanos::MAX,
            places,
            names: TaskNames::default(),
            threads: Vec::new(),
            throttles: Throttles::default(),
            block: VecDeque::new(),
            flushes: DeviceFlushes::default(),
            blind_until: 0,
            waiting: Vec::new(),
            found: SlowIos { requested: wanted, ..SlowIos::default() },
        }
    }

    /// Records an event of a device, in order of time.
    pub(super) fn record_event(&mut self, seen: BlockEvent) {
        if seen.flush {
            return self.flushes.take_flush(&seen);
        }
        if self.block.len() == MAX_EVENTS {
            self.block.pop_front();
        }
        self.block.push_back(seen);
    }

    /// Adds an I/O that may be among the slowest.
    pub(super) fn offer(&mut self, worker: u32, io: Entry) {
        self.waiting.push(SlowCandidate { worker, io });
    }

    /// Records the loss of events until `now`.
    pub(super) fn note_loss(&mut self, now: Nanos) {
        self.block.clear();
        self.flushes.all.clear();
        self.threads.iter_mut().for_each(|thread| thread.course.forget());
        self.blind_until = now;
    }

    /// Explains the I/Os of the seconds that were over at `until`, by when all events are known.
    pub(super) fn close(&mut self, until: Nanos) {
        let begin = self.begin;
        let second = move |candidate: &SlowCandidate| (candidate.reaped_at().saturating_sub(begin)) / SECOND;
        let over = until.saturating_sub(begin) / SECOND;
        let is_over = |candidate: &SlowCandidate| until == Nanos::MAX || second(candidate) < over;
        let (mut closed, waiting): (Vec<_>, Vec<_>) = self.waiting.drain(..).partition(is_over);
        self.waiting = waiting;
        closed.sort_by_key(second);
        for ios in closed.chunk_by_mut(|one, next| second(one) == second(next)) {
            ios.sort_by_key(|candidate| Reverse(candidate.io.latency));
            let number = ios.first().map_or(0, second);
            self.explain_ios(number as u32, &ios[..ios.len().min(self.wanted)]);
        }
    }

    fn explain_ios(&mut self, second: u32, ios: &[SlowCandidate]) {
        let blocks = self.block_times(ios);
        let explained: Vec<SlowIo> =
            ios.iter().zip(&blocks).map(|(candidate, block)| self.explain_io(candidate, block)).collect();
        let mut row = SlowSecond { second, ios: explained.len() as u64, ..SlowSecond::default() };
        row.longest_ns = explained.first().map_or(0, |io| io.latency_ns);
        explained.iter().for_each(|io| row.stages.add_all(&io.stages));
        self.found.seconds.push(row);
        self.found.ios.extend(explained);
        self.found.ios.sort_by_key(|io| Reverse(io.latency_ns));
        self.found.ios.truncate(self.wanted);
    }

    fn block_times(&self, ios: &[SlowCandidate]) -> Vec<BlockTimes> {
        let mut found = vec![BlockMatch::default(); ios.len()];
        let mut ranges: Vec<(u32, u64, u64, usize)> = Vec::new();
        // Of several pieces the first begins and the last one ends.
        let mut is_whole = vec![false; ios.len()];
        for (index, SlowCandidate { io, .. }) in ios.iter().enumerate() {
            let Some(places) = self.places.get(io.target as usize) else { continue };
            let sectors = places.sectors(io.offset, io.size);
            is_whole[index] = sectors.len() == 1;
            ranges.extend(sectors.into_iter().map(|(device, from, to)| (device, from, to, index)));
        }
        ranges.sort_unstable();
        let longest = ranges.iter().map(|(_, from, to, _)| to - from).max().unwrap_or(0);
        let from = ios.iter().map(|candidate| candidate.io.start).min().unwrap_or(0);
        let first = self.block.partition_point(|seen| seen.at < from);
        for seen in self.block.range(first..) {
            let end = seen.sector.saturating_add(u64::from(seen.sectors));
            let behind = ranges.partition_point(|(device, from, ..)| (*device, *from) < (seen.device, end));
            for (device, from, to, index) in ranges[..behind].iter().rev() {
                if *device != seen.device || from.saturating_add(longest) <= seen.sector {
                    break;
                }
                let SlowCandidate { io, .. } = &ios[*index];
                let is_its = *to > seen.sector
                    && (io.op == Operation::Write) == seen.write
                    && (io.start..=ios[*index].reaped_at()).contains(&seen.at);
                if is_its {
                    let is_exact = is_whole[*index] && (*from, *to) == (seen.sector, end);
                    found[*index].take(seen, is_exact);
                }
            }
        }
        let mut times: Vec<BlockTimes> = found.into_iter().map(|found| found.times).collect();
        for (times, candidate) in times.iter_mut().zip(ios) {
            let device = self.places.get(candidate.io.target as usize).and_then(TargetExtents::device);
            times.flush = device.and_then(|(device, _)| self.flushes.longest_flush(device, candidate));
        }
        times
    }

    fn explain_io(&self, candidate: &SlowCandidate, block: &BlockTimes) -> SlowIo {
        let SlowCandidate { worker, io } = candidate;
        let places = self.places.get(io.target as usize);
        let group = self.find_throttle(io.start, places, block);
        let nothing = Thread::default();
        let thread = self.threads.get(*worker as usize).unwrap_or(&nothing);
        let blind = io.start < self.blind_until;
        let Attributed { stages, culprit } = slow::attribute(
            (io.start, candidate.reaped_at()),
            &if blind { BlockTimes::default() } else { *block },
            &thread.course,
            thread.number,
            group.is_some(),
        );
        let device = places.map_or("", TargetExtents::name);
        let named = |(kept, ns)| match kept {
            HeldBy::ByTask(name) => Culprit {
                kind: CulpritKind::Task,
                name: self.names.name_of_event(name).to_owned(),
                duration_ns: ns,
            },
            HeldBy::By(kind) => {
                let name = match kind {
                    CulpritKind::Throttle => group.unwrap_or_default(),
                    CulpritKind::Device | CulpritKind::Flush => device,
                    CulpritKind::Stopped | CulpritKind::Task => "",
                };
                Culprit { kind, name: name.to_owned(), duration_ns: ns }
            }
        };
        SlowIo {
            thread: *worker,
            target: places.map(|places| places.id).unwrap_or_default(),
            operation: io.op.row().name.to_owned(),
            offset: io.offset,
            length: io.size,
            submitted_ns: io.start.cast_signed().wrapping_sub(self.begin.cast_signed()),
            latency_ns: io.latency,
            stages,
            cause: culprit.map(named),
        }
    }

    /// Returns the control group that limited a target's I/O between its submission and the block layer,
    /// if another program's task queued it.
    fn find_throttle(
        &self,
        start: Nanos,
        places: Option<&TargetExtents>,
        block: &BlockTimes,
    ) -> Option<&str> {
        let (device, _) = places?.device()?;
        let (queued, by) = block.queued?;
        let group = self.throttles.group(device, start, queued)?;
        (!diskspd_host::threads::is_own(by)).then_some(group)
    }
}

/// Maximum gap in ns between flushes that count as one, because waiting I/Os cannot run between them.
const BURST_DISTANCE_NS: Nanos = 1_000_000;

/// Maximum number of kept flushes; the latest are kept.
const MAX_FLUSHES: usize = 1 << 14;

#[derive(Debug, Default)]
struct DeviceFlushes {
    /// Device, start and end; a pending flush has no end.
    all: VecDeque<(u32, Nanos, Nanos)>,
}

impl DeviceFlushes {
    fn take_flush(&mut self, seen: &BlockEvent) {
        match seen.step {
            slow::BlockStep::Issued => {
                let last = |(device, _, end): &&mut (u32, Nanos, Nanos)| {
                    *device == seen.device
                        && *end != Nanos::MAX
                        && seen.at <= end.saturating_add(BURST_DISTANCE_NS)
                };
                match self.all.iter_mut().rev().find(last) {
                    Some((_, _, end)) => *end = Nanos::MAX,
                    None => {
                        if self.all.len() == MAX_FLUSHES {
                            self.all.pop_front();
                        }
                        self.all.push_back((seen.device, seen.at, Nanos::MAX));
                    }
                }
            }
            slow::BlockStep::Completed => {
                let open = |(device, _, end): &&mut (u32, Nanos, Nanos)| {
                    *device == seen.device && *end == Nanos::MAX
                };
                if let Some((_, _, end)) = self.all.iter_mut().find(open) {
                    *end = seen.at;
                }
            }
            slow::BlockStep::Queued(_) => {}
        }
    }

    fn longest_flush(&self, device: u32, candidate: &SlowCandidate) -> Option<(Nanos, Nanos)> {
        let (start, reaped) = (candidate.io.start, candidate.reaped_at());
        let within =
            |(_, begin, end): &&(u32, Nanos, Nanos)| (*end).min(reaped).saturating_sub((*begin).max(start));
        let its = self.all.iter().filter(|(of, ..)| *of == device);
        its.max_by_key(within).filter(|flush| within(flush) > 0).map(|(_, begin, end)| (*begin, *end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_flushes_are_merged() {
        let mut flushes = DeviceFlushes::default();
        let mut saw = |at, step| {
            let (device, sector, sectors, write) = (1, 0, 0, true);
            flushes.take_flush(&BlockEvent { at, step, device, sector, sectors, write, flush: true });
        };
        const MS: Nanos = 1_000_000;
        for (begin, end) in [(10, 70), (70, 130), (200, 210)] {
            saw(begin * MS, slow::BlockStep::Issued);
            saw(end * MS, slow::BlockStep::Completed);
        }
        assert_eq!(flushes.all, [(1, 10 * MS, 130 * MS), (1, 200 * MS, 210 * MS)]);
    }

    #[test]
    fn slowest_ios_are_kept_per_second_and_span() {
        let mut keeper = SlowestIoBuffer::new(2, Vec::new());
        keeper.begin = 1000;
        let mut offer = |second: u64, latency: Nanos| {
            let (op, start) = (Operation::Read, 1000 + second * SECOND + 5);
            keeper.offer(0, Entry { target: 0, op, offset: 0, size: 512, start, latency, due: None });
        };
        for (second, latency) in [(0, 5), (0, 7), (0, 6), (1, 1), (2, 9)] {
            offer(second, latency);
        }
        keeper.close(1000 + 2 * SECOND);
        let rows: Vec<_> =
            keeper.found.seconds.iter().map(|row| (row.second, row.ios, row.longest_ns)).collect();
        assert_eq!(rows, [(0, 2, 7), (1, 1, 1)]);
        keeper.close(Nanos::MAX);
        let latencies: Vec<_> = keeper.found.ios.iter().map(|io| io.latency_ns).collect();
        assert_eq!(latencies, [9, 7]);
        assert!(keeper.found.ios.iter().all(|io| io.stages.unattributed_ns == io.latency_ns));
        assert_eq!(keeper.found.ios[0].submitted_ns, 2 * SECOND as i64 + 5);
    }
}
