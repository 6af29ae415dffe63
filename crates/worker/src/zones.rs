//! Zones (`--zoned`): the I/O positions of a worker in them. Its zones are exclusive, so it knows their
//! write pointers without querying the device.
//!
//! Each writing request has a zone, with one write in flight in it. When no further block fits, it
//! continues in an active zone, otherwise in an empty one, otherwise in a zone that is reset first. This
//! is the next in order, or any one for random I/O.

use diskspd_engine::{Direction, Io, Operation};
use diskspd_machine::zones::Zone;
use diskspd_plan::workload::{Pattern, Random};
use diskspd_plan::{WorkerPlan, WorkerTarget};

/// Modifier of the seed, so that addresses are equal with and without zones.
const SEED: u64 = u64::from_be_bytes(*b"in zones");

#[derive(Debug)]
pub(crate) struct Zones {
    /// State for each entry of the worker's list; `None` = not zoned.
    targets: Vec<Option<ZonedTarget>>,
    random: Random,
    /// Zones that a request, which is in no other call, has to reset before its next I/O.
    pub(super) owed: Vec<OwedReset>,
    /// Due resets of requests that flush first (`--fsync-every`).
    held: Vec<OwedReset>,
    /// Maximum number of concurrent resets; one if the thread executes them.
    pub(super) at_a_time: usize,
}

/// Reset before a request's next I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwedReset {
    pub(super) request: u32,
    pub(super) target: u32,
    /// Start of the zone in bytes.
    pub(super) offset: u64,
    pub(super) length: u32,
}

#[derive(Debug)]
struct ZonedTarget {
    zones: Vec<WorkedZone>,
    zone_size: u32,
    block: u64,
    alignment: u64,
    is_random: bool,
    writes: bool,
    /// First request of the target, and the zone of each request.
    first_request: u32,
    written: Vec<usize>,
    /// Start of the search for the next zone to write.
    next: usize,
    /// Position of the next sequential read: zone, and offset in bytes.
    reading: (usize, u64),
}

#[derive(Debug, Clone, Copy)]
struct WorkedZone {
    zone: Zone,
    taken: bool,
    reads: u32,
}

/// Preference of a zone for the next write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ZoneClass {
    Active,
    Empty,
    ToBeReset,
}

impl Zones {
    /// Returns `None` if no target has zones.
    pub(crate) fn new(plan: &WorkerPlan) -> Option<Zones> {
        let mut zones = Zones {
            targets: Vec::with_capacity(plan.targets.len()),
            random: Random::new(SEED ^ (plan.seed << 32)),
            owed: Vec::with_capacity(plan.depth as usize),
            held: Vec::with_capacity(plan.depth as usize),
            at_a_time: if plan.engine.row().kind == diskspd_engine::EngineKind::Nvme {
                usize::MAX
            } else {
                1
            },
        };
        let mut first_request = 0;
        for target in &plan.targets {
            zones.targets.push(ZonedTarget::new(target, first_request));
            first_request += if plan.floating { 0 } else { target.requests };
        }
        if zones.targets.iter().all(Option::is_none) {
            return None;
        }
        for (target, entry) in (0..).zip(&plan.targets).filter(|(_, entry)| entry.resets_zones()) {
            let Some(of) = &mut zones.targets[target as usize] else { continue };
            let first = of.first_request;
            for request in first..first + entry.requests {
                zones.owed.extend(of.next_zone(request, target, None, &mut zones.random));
            }
        }
        Some(zones)
    }

    /// Returns the position that replaces the drawn position of an I/O.
    pub(crate) fn place(&mut self, target: u32, io: &Io) -> u64 {
        let Some(of) = self.targets.get_mut(target as usize).and_then(Option::as_mut) else {
            return io.offset;
        };
        match io.op.direction() {
            Direction::Write => of.write_at(io.request),
            Direction::Read => of.read_at(io.offset, u64::from(io.length)),
        }
    }

    /// Records a successful I/O. Returns whether its request must reset a zone.
    pub(crate) fn ended(&mut self, target: u32, io: &Io, bytes: u64) -> bool {
        let Some(of) = self.targets.get_mut(target as usize).and_then(Option::as_mut) else { return false };
        if io.op == Operation::Read {
            of.has_read(io.offset);
            return false;
        }
        let Some(full) = of.has_written(io.request, bytes) else { return false };
        let owed = of.next_zone(io.request, target, Some(full), &mut self.random);
        self.owed.extend(owed);
        owed.is_some()
    }

    pub(crate) fn hold(&mut self, request: u32) {
        let owed = self.owed.extract_if(.., |owed| owed.request == request);
        self.held.extend(owed);
    }

    /// Records a flush of a request. Returns whether it must reset a zone.
    pub(crate) fn release(&mut self, request: u32) -> bool {
        let before = self.owed.len();
        self.owed.extend(self.held.extract_if(.., |owed| owed.request == request));
        self.owed.len() > before
    }
}

impl ZonedTarget {
    fn new(target: &WorkerTarget, first_request: u32) -> Option<ZonedTarget> {
        let share = target.zones.as_ref()?;
        let worked = |zone: &Zone| WorkedZone { zone: *zone, taken: false, reads: 0 };
        Some(ZonedTarget {
            zones: share.zones.iter().map(worked).collect(),
            zone_size: share.zone_size,
            block: target.workload.block_size.into(),
            alignment: target.workload.stride.max(1),
            is_random: target.workload.pattern == Pattern::Random,
            writes: target.workload.write_ratio > 0,
            first_request,
            written: vec![0; target.requests as usize],
            next: 0,
            reading: (0, 0),
        })
    }

    fn class(&self, index: usize) -> ZoneClass {
        let Zone { written, active, .. } = self.zones[index].zone;
        match self.zones[index].zone.room() >= self.block {
            // An active zone may be empty: somebody has opened it.
            true if active || written > 0 => ZoneClass::Active,
            true => ZoneClass::Empty,
            false => ZoneClass::ToBeReset,
        }
    }

    /// Finds the next zone for a request that has filled `left`. A zone that must be reset counts as empty
    /// from now on, so that it is not read.
    fn next_zone(
        &mut self,
        request: u32,
        target: u32,
        left: Option<usize>,
        random: &mut Random,
    ) -> Option<OwedReset> {
        let count = self.zones.len();
        let begin =
            if self.is_random { (random.next_u64() % count.max(1) as u64) as usize } else { self.next };
        let turned = (0..count).map(|step| (begin + step) % count);
        let free = turned.filter(|index| !self.zones[*index].taken && Some(*index) != left);
        let ready =
            |index: &usize| self.class(*index) != ZoneClass::ToBeReset || self.zones[*index].reads == 0;
        let found = free.filter(ready).min_by_key(|index| self.class(*index));
        // A thread with one zone has just that one. Plans see to it that there is one.
        let index = found.or(left)?;
        let is_reset = self.class(index) == ZoneClass::ToBeReset;
        self.zones[index].taken = true;
        *self.written.get_mut((request - self.first_request) as usize)? = index;
        self.next = (index + 1) % count;
        let zone = &mut self.zones[index].zone;
        if !is_reset {
            return None;
        }
        (zone.written, zone.active) = (0, false);
        Some(OwedReset { request, target, offset: zone.start, length: self.zone_size })
    }

    fn request_slot(&self, request: u32) -> usize {
        self.written.get((request - self.first_request) as usize).copied().unwrap_or(0)
    }

    fn write_at(&mut self, request: u32) -> u64 {
        let Zone { start, written, .. } = self.zones[self.request_slot(request)].zone;
        start + written
    }

    /// Records a completed write; returns its zone if no further write fits.
    fn has_written(&mut self, request: u32, bytes: u64) -> Option<usize> {
        let index = self.request_slot(request);
        let zone = &mut self.zones[index].zone;
        zone.written += bytes;
        let is_full = zone.room() < self.block;
        self.zones[index].taken = !is_full;
        is_full.then_some(index)
    }

    /// Returns the position of a read. Sequential: the written data after the last read. Random: the drawn
    /// position, if it is below the write pointer of one of the thread's zones, otherwise a position in a
    /// written zone, chosen by the drawn number.
    fn read_at(&mut self, drawn: u64, length: u64) -> u64 {
        let count = self.zones.len();
        let (zone, within) = match self.is_random {
            true => {
                // Each zone of the device begins at a multiple of this.
                let size = u64::from(self.zone_size).max(1);
                let (number, within) = (drawn / size, drawn % size);
                let own = self.zones.partition_point(|worked| worked.zone.start <= drawn).checked_sub(1);
                let own = own.filter(|index| self.zones[*index].zone.start == drawn - within);
                (own.unwrap_or((number % count.max(1) as u64) as usize), within)
            }
            false => self.reading,
        };
        let fits = |index: usize, from: u64| from + length <= self.zones[index].zone.written;
        let turned = (0..count).map(|step| (zone + step) % count);
        let found = match self.is_random {
            true => turned.clone().find(|index| fits(*index, 0)),
            // Behind the last one it begins anew, also where there is just one.
            false if fits(zone, within) => Some(zone),
            false => turned.clone().skip(1).chain([zone]).find(|index| fits(*index, 0)),
        };
        debug_assert!(found.is_some(), "plans see to it that something can be read");
        let index = found.unwrap_or(zone);
        let Zone { start, written, .. } = self.zones[index].zone;
        let offset = match self.is_random {
            true => {
                let places = written.saturating_sub(length) / self.alignment + 1;
                within / self.alignment % places * self.alignment
            }
            false if index == zone && fits(zone, within) => within,
            false => 0,
        };
        self.reading = (index, offset + length);
        self.zones[index].reads += u32::from(self.writes);
        start + offset
    }

    fn has_read(&mut self, offset: u64) {
        if !self.writes {
            return;
        }
        let index = self.zones.partition_point(|worked| worked.zone.start <= offset);
        if let Some(worked) = index.checked_sub(1).and_then(|index| self.zones.get_mut(index)) {
            worked.reads = worked.reads.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_target(written: &[u64], requests: u32, write_ratio: u32, is_random: bool) -> ZonedTarget {
        let zone = |(index, blocks): (u64, &u64)| WorkedZone {
            zone: Zone {
                start: 16 * (index + 1),
                capacity: 12,
                written: *blocks,
                active: (1..12).contains(blocks),
            },
            taken: false,
            reads: 0,
        };
        ZonedTarget {
            zones: (0..).zip(written).map(zone).collect(),
            zone_size: 16,
            block: 4,
            alignment: 4,
            is_random,
            writes: write_ratio > 0,
            first_request: 3,
            written: vec![0; requests as usize],
            next: 0,
            reading: (0, 0),
        }
    }

    fn sample_zones(of: ZonedTarget) -> Zones {
        let mut zones = Zones {
            targets: vec![None, None],
            random: Random::new(1),
            owed: Vec::new(),
            held: Vec::new(),
            at_a_time: 1,
        };
        let requests = of.written.len() as u32;
        zones.targets[1] = Some(of);
        let of = zones.targets[1].as_mut().unwrap();
        for request in 3..3 + requests {
            zones.owed.extend(of.next_zone(request, 1, None, &mut zones.random));
        }
        zones
    }

    fn sample_io(request: u32, op: Operation, offset: u64) -> Io {
        Io { request, op, offset, length: 4, ..Io::NONE }
    }

    /// Writes once with a request; returns the position, and the zone that is reset afterwards.
    fn write(zones: &mut Zones, request: u32) -> (u64, Option<u64>) {
        let drawn = sample_io(request, Operation::Write, 0);
        let offset = zones.place(1, &drawn);
        let owes = zones.ended(1, &Io { offset, ..drawn }, 4);
        assert_eq!(owes, !zones.owed.is_empty());
        (offset, zones.owed.pop().map(|owed| owed.offset))
    }

    #[test]
    fn zones_are_ordered_active_empty_then_reset_full() {
        let mut zones = sample_zones(sample_target(&[12, 0, 8, 12], 1, 100, false));
        assert!(zones.owed.is_empty());
        let written: Vec<_> = (0..8).map(|_| write(&mut zones, 3)).collect();
        let expected = [
            (56, None),
            (32, None),
            (36, None),
            // The next one in order behind it: the third.
            (40, Some(48)),
            (48, None),
            (52, None),
            (56, Some(64)),
            (64, None),
        ];
        assert_eq!(written, expected);
    }

    #[test]
    fn writes_have_zones_and_full_zones_are_reset() {
        let mut zones = sample_zones(sample_target(&[12, 11, 4], 3, 100, false));
        let resets: Vec<_> =
            zones.owed.drain(..).map(|owed| (owed.request, owed.offset, owed.length)).collect();
        assert_eq!(resets, [(4, 16, 16), (5, 32, 16)], "a block does not fit into the second either");
        let placed = [3, 4, 5].map(|request| zones.place(1, &sample_io(request, Operation::Write, 0)));
        assert_eq!(placed, [52, 16, 32]);
    }

    #[test]
    fn flush_precedes_the_reset_after_a_write() {
        let mut zones = sample_zones(sample_target(&[8], 1, 100, false));
        let drawn = sample_io(3, Operation::Write, 0);
        assert!(zones.ended(1, &drawn, 4));
        zones.hold(3);
        assert!(zones.owed.is_empty());
        assert!(!zones.release(4));
        assert!(zones.release(3) && zones.owed.len() == 1);
        assert!(!zones.release(3));
    }

    #[test]
    fn single_zone_is_reset_and_reused() {
        let mut zones = sample_zones(sample_target(&[0], 1, 100, true));
        let written: Vec<_> = (0..4).map(|_| write(&mut zones, 3)).collect();
        assert_eq!(written, [(16, None), (20, None), (24, Some(16)), (16, None)]);
    }

    #[test]
    fn zones_being_read_are_not_reset() {
        let mut zones = sample_zones(sample_target(&[12, 12, 8, 12], 1, 50, false));
        let read = sample_io(4, Operation::Read, 0);
        let at = zones.place(1, &read);
        assert_eq!(at, 16);
        assert_eq!(write(&mut zones, 3), (56, Some(64)));
        // Its reset was done; the first zone is still read.
        assert_eq!([0; 3].map(|_| write(&mut zones, 3)), [(64, None), (68, None), (72, Some(32))]);
        zones.ended(1, &Io { offset: at, ..read }, 4);
        assert_eq!([0; 3].map(|_| write(&mut zones, 3)), [(32, None), (36, None), (40, Some(48))]);
        assert_eq!([0; 3].map(|_| write(&mut zones, 3)), [(48, None), (52, None), (56, Some(64))]);
        assert_eq!([0; 3].map(|_| write(&mut zones, 3)), [(64, None), (68, None), (72, Some(16))]);
    }

    #[test]
    fn sequential_reads_follow_written_data_and_wrap() {
        let mut of = sample_target(&[8, 0, 4, 3], 1, 0, false);
        let read: Vec<_> = (0..5).map(|_| of.read_at(0, 4)).collect();
        assert_eq!(read, [16, 20, 48, 16, 20]);
        let mut only = sample_target(&[4], 1, 0, false);
        assert_eq!([0; 2].map(|_| only.read_at(0, 4)), [16, 16]);
    }

    #[test]
    fn random_reads_stay_below_write_pointers() {
        let mut of = sample_target(&[8, 0, 12, 0], 1, 0, true);
        for drawn in (16..80).step_by(4) {
            let offset = of.read_at(drawn, 4);
            assert!((16..24).contains(&offset) || (48..60).contains(&offset), "{drawn}: {offset}");
            let is_there = (16..24).contains(&drawn) || (48..60).contains(&drawn);
            assert!(!is_there || offset == drawn, "{drawn}: {offset}");
        }
    }

    #[test]
    fn mixed_thread_has_zones_for_reads_and_resets() {
        for (requests, count) in [(1, 2), (2, 4), (3, 6), (3, 9)] {
            for is_random in [false, true] {
                let mut written = vec![0; count];
                written[0] = 12;
                let mut zones = sample_zones(sample_target(&written, requests, 50, is_random));
                let mut random = Random::new(7);
                zones.owed.clear();
                for _ in 0..5000 {
                    // All of a round are in flight at a time.
                    let round: Vec<_> = (3..3 + requests)
                        .map(|request| {
                            let op = if random.next_u32().is_multiple_of(2) {
                                Operation::Read
                            } else {
                                Operation::Write
                            };
                            let drawn = sample_io(request, op, 16 + random.next_u64() % 64);
                            Io { offset: zones.place(1, &drawn), ..drawn }
                        })
                        .collect();
                    for io in round.iter().rev() {
                        zones.ended(1, io, 4);
                    }
                    zones.owed.clear();
                }
                let of = zones.targets[1].as_ref().unwrap();
                assert!(of.zones.iter().all(|worked| worked.reads == 0));
                assert_eq!(of.zones.iter().filter(|worked| worked.taken).count(), requests as usize);
            }
        }
    }
}
