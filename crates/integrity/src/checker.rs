//! The integrity checks of a worker: before submission and after completion of its I/Os.

use super::Integrity;
use super::classify::{Expected, SectorVerdict, is_torn, judge};
use super::damaged::DamagedSectors;
use super::durable::is_durable;
use super::generations::{Generations, UnitVersions};
use super::journal::Acknowledged;
use super::order::{MAX_RUNS, StampedAs};
use super::stamp::{SectorChecksums, SectorStamp};
use diskspd_base::operation::Operation;
use diskspd_engine::{CompletedIo, Engine, Io};
use diskspd_plan::WorkerPlan;
use diskspd_profile::TargetId;
use diskspd_results::{FailedSector, FoundStamp, IntegrityResults, SectorState, TargetResults};
use diskspd_sys::clock::{self, Nanos};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Stamps a thread's writes and checks its reads. During the run it allocates only for writes waiting for
/// a flush, and for details of failures.
pub struct SectorChecker<'a> {
    run: &'a Integrity,
    thread: u32,
    targets: Vec<CheckedTarget>,
    flights: Vec<CheckedFlight>,
    /// Possible versions at the start of reads, a fixed number of units per request.
    looks: Vec<UnitVersions>,
    units_of_request: usize,
    /// Number of the last started write.
    writes: u64,
    start_signal: Nanos,
    /// Data of an I/O, and whether the checksums of its sectors are valid.
    data: Vec<u8>,
    fits: Vec<bool>,
    acks: Vec<Acknowledged>,
}

struct CheckedTarget {
    id: TargetId,
    sector: usize,
    checksums: Arc<SectorChecksums>,
    /// Versions; `None` = this run's stamps are unknown.
    versions: Option<Arc<Generations>>,
    /// Whether a completed write is durable.
    is_durable: bool,
    results: IntegrityResults,
    /// Runs whose stamps are in a read-only target.
    stamped: Vec<StampedAs>,
    /// Writes that the next flush makes durable, with the number of earlier ones.
    unflushed: VecDeque<Acknowledged>,
    flushed: u64,
}

#[derive(Clone, Copy)]
struct CheckedFlight {
    io: Io,
    is_open: bool,
    write: u64,
    /// Number of completed writes, from the start, that the flush makes durable.
    flushes_to: u64,
}

impl<'a> SectorChecker<'a> {
    pub fn new(run: &'a Integrity, plan: &WorkerPlan, files: &[u32]) -> SectorChecker<'a> {
        let mut targets: Vec<CheckedTarget> = Vec::new();
        let (mut longest, mut units) = (0, 1);
        for (target, &file) in plan.targets.iter().zip(files) {
            let versions = run.versions(target.id);
            longest = longest.max(target.slot as usize);
            let unit = versions.as_ref().map_or(u64::MAX, |versions| versions.unit());
            units = units.max(u64::from(target.slot).div_ceil(unit) as usize);
            // Files are numbered in the order in which targets first use them.
            if file as usize == targets.len() {
                let (id, sector, is_durable) =
                    (target.id, target.verified.sector as usize, is_durable(target));
                // Nearly always all have the same: it stays in the nearest cache.
                let known = targets.iter().find(|known| known.sector == sector);
                let checksums = known.map_or_else(
                    || Arc::new(SectorChecksums::new(sector)),
                    |known| Arc::clone(&known.checksums),
                );
                let (results, stamped, unflushed, flushed) = Default::default();
                targets.push(CheckedTarget {
                    id,
                    sector,
                    checksums,
                    versions,
                    is_durable,
                    results,
                    stamped,
                    unflushed,
                    flushed,
                });
            }
        }
        let depth = plan.depth as usize;
        let none = CheckedFlight { io: Io::NONE, is_open: false, write: 0, flushes_to: 0 };
        SectorChecker {
            run,
            thread: plan.thread,
            targets,
            flights: vec![none; depth],
            looks: vec![UnitVersions::default(); depth * units],
            units_of_request: units,
            writes: run.first_write(),
            start_signal: 0,
            data: vec![0; longest],
            fits: Vec::with_capacity(longest / 512),
            acks: Vec::with_capacity(depth * units),
        }
    }

    /// Sets the origin of the times of failures.
    pub fn starts(&mut self, start_signal: Nanos) {
        self.start_signal = start_signal;
    }

    pub fn begin(&mut self, batch: &[Io], engine: &mut dyn Engine) {
        if batch.len() > 1 {
            self.look_ahead(batch);
        }
        for io in batch {
            let is_open = match io.op {
                Operation::Write => self.run.mode().stamps() && self.begin_write(io, engine),
                Operation::Read => self.run.mode().checks() && self.begin_read(io),
                // Verified targets have no other operations except flushes, which begin separately.
                _ => false,
            };
            let write = self.writes;
            self.flights[io.request as usize] = CheckedFlight { io: *io, is_open, write, flushes_to: 0 };
        }
    }

    /// Prefetches the versions for a batch. They are scattered over memory larger than any cache, so
    /// parallel fetches are faster than sequential ones.
    fn look_ahead(&self, batch: &[Io]) {
        let first = |io: &Io| Some(self.targets[io.file as usize].versions.as_ref()?.first_look(io.offset));
        let seen = batch.iter().filter_map(first).fold(0, |seen, versions| seen | versions.latest());
        std::hint::black_box(seen);
    }

    fn begin_read(&mut self, io: &Io) -> bool {
        let target = &self.targets[io.file as usize];
        let Some(versions) = &target.versions else { return true };
        let first = io.request as usize * self.units_of_request;
        let looks = &mut self.looks[first..first + self.units_of_request];
        // Of what lies outside nothing is known but that nothing of this run belongs there.
        let units = touched_units(versions, io, u64::from(io.length)).unwrap_or_default();
        looks.fill(UnitVersions::default());
        looks.iter_mut().zip(units).for_each(|(look, unit)| *look = versions.unit_versions(unit));
        true
    }

    fn begin_write(&mut self, io: &Io, engine: &mut dyn Engine) -> bool {
        let target = &self.targets[io.file as usize];
        let Some(versions) = &target.versions else { return false };
        let Some(units) = touched_units(versions, io, u64::from(io.length)) else {
            versions.abandon_writes(io.offset, u64::from(io.length));
            return false;
        };
        self.writes += 1;
        let data = &mut self.data[..io.length as usize];
        let mut stamp = SectorStamp {
            run: self.run.number(),
            offset: io.offset,
            generation: 0,
            target: target.id.0,
            writer: self.thread,
            write: self.writes,
            index: 0,
            sectors: (data.len() / target.sector) as u32,
        };
        for (unit, data) in units.zip(data.chunks_exact_mut(versions.unit() as usize)) {
            stamp.generation = versions.begin(unit).latest();
            for sector in data.chunks_exact_mut(target.sector) {
                stamp.fill(sector);
                target.checksums.seal(&stamp, sector);
                stamp.offset += target.sector as u64;
                stamp.index += 1;
            }
        }
        if let Some(mut slot) = engine.slot_mut(io) {
            slot.copy_from(data);
        }
        true
    }

    pub fn ended(&mut self, done: &[CompletedIo], engine: &dyn Engine) {
        for ended in done {
            let flight = self.flights[ended.request as usize];
            if !std::mem::take(&mut self.flights[ended.request as usize].is_open) {
                continue;
            }
            let bytes = u64::try_from(ended.result).unwrap_or(0).min(u64::from(flight.io.length));
            match flight.io.op {
                Operation::Write => self.note_written(&flight, bytes == u64::from(flight.io.length)),
                Operation::Read => self.read(&flight.io, bytes as usize, engine),
                _ => {}
            }
        }
        self.acknowledge_writes();
    }

    /// Records the end of a write; `whole` = completely written.
    fn note_written(&mut self, flight: &CheckedFlight, whole: bool) {
        let CheckedFlight { io, write, .. } = *flight;
        let target = &mut self.targets[io.file as usize];
        let Some(versions) = &target.versions else { return };
        let Some(units) = touched_units(versions, &io, u64::from(io.length)) else { return };
        let at_us = self.run.journal().map(|journal| journal.now_us());
        let known = self.acks.len();
        for unit in units {
            let now = versions.end(unit, whole);
            let Some(at_us) = at_us.filter(|_| whole && now.oldest() > 0) else { continue };
            let ack = Acknowledged {
                target: target.id.0,
                writer: self.thread,
                offset: unit as u64 * versions.unit(),
                oldest: now.oldest(),
                write,
                write_offset: io.offset,
                write_length: io.length,
                overlapped: now.is_open(),
                at_us,
            };
            match target.is_durable {
                true => self.acks.push(ack),
                false => target.unflushed.push_back(ack),
            }
        }
        if whole {
            target.results.counts.stamped += u64::from(io.length) / target.sector as u64;
            target.results.counts.acknowledged += (self.acks.len() - known) as u64;
        }
    }

    fn acknowledge_writes(&mut self) {
        if let Some(journal) = self.run.journal() {
            journal.push(&mut self.acks);
        }
    }

    pub fn flushing(&mut self, batch: &[Io]) {
        for io in batch {
            let target = &self.targets[io.file as usize];
            let flushes_to = target.flushed + target.unflushed.len() as u64;
            self.flights[io.request as usize] =
                CheckedFlight { io: *io, is_open: false, write: 0, flushes_to };
        }
    }

    /// Records a successful flush of a request.
    pub fn flushed(&mut self, request: u32) {
        let flight = self.flights[request as usize];
        let target = &mut self.targets[flight.io.file as usize];
        // Another flush may have taken some of them.
        let count = flight.flushes_to.saturating_sub(target.flushed);
        let now = self.run.journal().map_or(0, |journal| journal.now_us());
        let durable = target.unflushed.drain(..count as usize);
        self.acks.extend(durable.map(|ack| Acknowledged { at_us: now, ..ack }));
        target.flushed += count;
        target.results.counts.acknowledged += count;
        self.acknowledge_writes();
    }

    fn read(&mut self, io: &Io, bytes: usize, engine: &dyn Engine) {
        let target = &mut self.targets[io.file as usize];
        let data = &mut self.data[..bytes / target.sector * target.sector];
        let first = io.request as usize * self.units_of_request;
        let looks = &self.looks[first..first + self.units_of_request];
        let Some(slot) = engine.slot(io) else { return };
        slot.copy_to(data);
        target.checksums.intact(data, &mut self.fits);
        let mut expected = Expected {
            run: target.versions.is_some().then(|| self.run.number()),
            target: target.id.0,
            offset: io.offset,
            oldest: 0,
            newest: 0,
            may_be_mixed: false,
        };
        let mut faults = Vec::new();
        for (number, (sector, fits)) in data.chunks_exact(target.sector).zip(&self.fits).enumerate() {
            expected.offset = io.offset + (number * target.sector) as u64;
            if let Some(versions) = &target.versions {
                let unit = expected.offset / versions.unit();
                let before = looks[(unit - io.offset / versions.unit()) as usize];
                expected.oldest = before.oldest();
                expected.newest = versions.first_look(expected.offset).latest();
                // A write may have begun and ended since.
                expected.may_be_mixed = before.is_open() || expected.newest != before.latest();
            }
            let stamp = SectorStamp::read_from(sector).filter(|_| target.versions.is_none() && *fits);
            let run = stamp.and_then(|stamp| stamped_as(target.id, &mut target.stamped, &stamp, self.run));
            expected.target = match (&run, &stamp) {
                (Some(run), _) => run.number,
                (None, stamp) => stamp.map_or(target.id.0, |stamp| stamp.target),
            };
            let counts = &mut target.results.counts;
            match judge(&expected, sector, *fits) {
                SectorVerdict::Verified => {
                    counts.verified += 1;
                    if let (Some(run), Some(stamp)) = (run, stamp) {
                        run.sectors += 1;
                        run.first
                            .get_or_insert_with(|| misplaced_sector(&expected, &stamp, self.start_signal));
                    }
                }
                SectorVerdict::Unknown => counts.unknown += 1,
                SectorVerdict::Undecided => counts.undecided += 1,
                SectorVerdict::Failed(fault) => faults.push((expected, fault)),
            }
        }
        if !faults.is_empty() {
            let at_us = clock::monotonic().saturating_sub(self.start_signal) / 1000;
            let read = FailedRead { start: io.offset, data, fits: &self.fits, faults: &faults, at_us };
            note_failures(target, &read, self.run.damaged());
        }
    }

    pub fn finish(&mut self, results: &mut [TargetResults]) {
        for target in &mut self.targets {
            if let Some(of) = results.iter_mut().find(|results| results.target == target.id) {
                let mut found = std::mem::take(&mut target.results);
                let most = target.stamped.iter().max_by_key(|stamped| stamped.sectors);
                found.stamped_as = most.map(|stamped| stamped.number);
                let stamped = std::mem::take(&mut target.stamped);
                self.run.order().record_found(self.thread, target.id, stamped);
                of.integrity.get_or_insert_default().add_thread(found);
            }
        }
    }
}

fn stamped_as<'a>(
    target: TargetId,
    known: &'a mut Vec<StampedAs>,
    stamp: &SectorStamp,
    all: &Integrity,
) -> Option<&'a mut StampedAs> {
    let of_run = known.iter().position(|known| known.run == stamp.run);
    if of_run.is_none() && known.len() < MAX_RUNS {
        let number = all.order().number(target, stamp.run, stamp.target);
        known.push(StampedAs { run: stamp.run, number, sectors: 0, first: None });
        return known.last_mut();
    }
    known.get_mut(of_run?)
}

fn misplaced_sector(expected: &Expected, stamp: &SectorStamp, start_signal: Nanos) -> FailedSector {
    FailedSector {
        fault: SectorState::Misplaced,
        offset: expected.offset,
        expected: expected.oldest,
        found: Some(stamp.found_stamp(expected.run)),
        at_us: clock::monotonic().saturating_sub(start_signal) / 1000,
    }
}

/// Returns the units in the first `bytes` of an I/O; `None` if a unit is partial or outside.
fn touched_units(versions: &Generations, io: &Io, bytes: u64) -> Option<Range<usize>> {
    let (unit, end) = (versions.unit(), io.offset + u64::from(io.length));
    let whole = io.offset.is_multiple_of(unit) && end.is_multiple_of(unit) && end <= versions.covered();
    whole.then(|| (io.offset / unit) as usize..(io.offset + bytes).div_ceil(unit) as usize)
}

/// Read with damaged sectors.
struct FailedRead<'a> {
    /// Byte offset in the target.
    start: u64,
    data: &'a [u8],
    fits: &'a [bool],
    faults: &'a [(Expected, SectorState)],
    /// Time of detection in µs since the start signal.
    at_us: u64,
}

/// Counts the damaged sectors of a read, no sector twice, and keeps the first ones in detail.
#[cold]
fn note_failures(target: &mut CheckedTarget, read: &FailedRead, damaged: &DamagedSectors) {
    let FailedRead { start, data, fits, faults, at_us } = *read;
    let length = target.sector;
    let stamp_at = |offset: u64| SectorStamp::read_from(&data[(offset - start) as usize..]);
    let is_whole = |offset: &u64| fits[(offset - start) as usize / length];
    let failed = |offset: &u64| faults.iter().any(|(expected, _)| expected.offset == *offset);
    for (expected, fault) in faults {
        if !damaged.is_new(target.id, expected.offset / length as u64) {
            target.results.counts.failed_again += 1;
            continue;
        }
        let offsets = (0..fits.len()).map(|number| start + (number * length) as u64);
        let there = offsets.filter(|offset| is_whole(offset) && !failed(offset)).filter_map(stamp_at);
        let held = stamp_at(expected.offset).filter(|_| is_whole(&expected.offset));
        let torn = is_torn(*fault, expected.offset, held, there, length as u64);
        let fault = if torn { SectorState::Torn } else { *fault };
        target.results.fail(FailedSector {
            fault,
            offset: expected.offset,
            expected: expected.oldest,
            found: stamp_at(expected.offset).map(|stamp| stamp.found_stamp(expected.run)),
            at_us,
        });
    }
}

impl SectorStamp {
    pub(super) fn found_stamp(&self, run: Option<u64>) -> FoundStamp {
        FoundStamp {
            of_this_run: run == Some(self.run),
            target: self.target,
            offset: self.offset,
            generation: self.generation,
            writer: self.writer,
            write: self.write,
        }
    }
}

/// Treats outstanding writes as indeterminate, after the engine was dropped.
impl Drop for SectorChecker<'_> {
    fn drop(&mut self) {
        for flight in std::mem::take(&mut self.flights) {
            if flight.is_open && flight.io.op == Operation::Write {
                self.note_written(&flight, false);
            }
        }
    }
}
