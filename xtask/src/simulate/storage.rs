//! The storage world: a device with a cache and power cuts at any moment, honest or not, under the
//! program's stamps, its journal, and the read-back after a cut.

use super::course::RunTotals;
use super::device::{Device, Fault, SECTOR, Sector};
use crate::harness::{Failure, Random};
use diskspd::integrity::journal::format::{JournalPiece, read};
use diskspd::integrity::journal::{Acknowledged, JournalContent, JournalTarget, Mixing};
use diskspd::integrity::{Power, read_back};
use diskspd::results::SectorState;
use std::collections::BTreeMap;

const UNIT: u64 = 8 * SECTOR as u64;
const UNITS: u64 = 64;
const RUN: u64 = 4711;

type JournalLine = BTreeMap<(u32, u64), Acknowledged>;
type ReadBack = (Vec<(u64, SectorState)>, u64);

struct Program {
    random: Random,
    device: Device,
    /// Newest version of each unit.
    versions: Vec<u64>,
    unflushed: Vec<Acknowledged>,
    writes: u64,
    journal: Vec<u8>,
    said: Vec<(usize, JournalLine)>,
}

impl Program {
    fn add(&mut self, piece: &JournalPiece) {
        piece.append_to(&mut self.journal);
        let mut now = self.said.last().map(|(_, said)| said.clone()).unwrap_or_default();
        if let JournalPiece::Acks(acks) = piece {
            acks.iter().for_each(|ack| _ = now.insert((ack.target, ack.offset), *ack));
        }
        self.said.push((self.journal.len(), now));
    }

    fn write(&mut self, course: &mut RunTotals) {
        let count = 1 + self.random.number() % 3;
        let first = self.random.number() % (UNITS - count);
        self.writes += 1;
        let (write_offset, write_length) = (first * UNIT, (count * UNIT) as u32);
        let mut sectors = Vec::new();
        for unit in first..first + count {
            self.versions[unit as usize] += 1;
            let (offset, oldest, write) = (unit * UNIT, self.versions[unit as usize], self.writes);
            self.unflushed.push(Acknowledged {
                target: 0,
                writer: 0,
                offset,
                oldest,
                write,
                write_offset,
                write_length,
                overlapped: false,
                at_us: write,
            });
            let place = |offset: u64| {
                let index = ((offset - write_offset) as u32 / SECTOR as u32, write_length / SECTOR as u32);
                Sector { offset, version: oldest, write, index, is_damaged: false }
            };
            sectors.extend((offset..offset + UNIT).step_by(SECTOR).map(place));
        }
        course.step(format_args!("write {} of {write_length} at {write_offset}", self.writes));
        self.device.write(write_offset, &sectors, &mut self.random, course);
    }

    fn flush(&mut self, course: &mut RunTotals) {
        course.step(format_args!("flush"));
        self.device.flush(course);
        let acks = std::mem::take(&mut self.unflushed);
        self.add(&JournalPiece::Acks(&acks));
    }
}

fn word(ack: &Acknowledged, offset: u64, held: &[Option<Sector>]) -> Option<SectorState> {
    let at = |offset: u64| held[offset as usize / SECTOR];
    let write = ack.write_offset..ack.write_offset + u64::from(ack.write_length);
    let arrived = write.step_by(SECTOR).filter_map(at).any(|it| !it.is_damaged && it.write == ack.write);
    let missing = |otherwise| Some(if arrived { SectorState::Torn } else { otherwise });
    match at(offset) {
        None => missing(SectorState::Unwritten),
        Some(it) if it.is_damaged => Some(SectorState::Corrupt),
        Some(it) if it.offset != offset => Some(SectorState::Misplaced),
        Some(it) if it.version >= ack.oldest => None,
        Some(it) if it.version + 1 == ack.oldest => missing(SectorState::Lost),
        Some(_) => missing(SectorState::Stale),
    }
}

/// Plays a seed, and returns the hash of its course.
///
/// # Errors
/// What doesn't hold.
pub fn world(seed: u64, is_shown: bool) -> (u64, Result<(), Failure>) {
    let mut course = RunTotals::new(is_shown);
    let mut random = Random(seed);
    let fault = Fault::from_number(random.number());
    let mixing = [Mixing::Never, Mixing::WhenCut][random.number() as usize % 2];
    let target =
        JournalTarget { id: 0, sector: SECTOR as u32, unit: UNIT, mixing, atomic: false, path: "a".into() };
    course.step(format_args!("{fault:?}, {mixing:?}"));
    let mut program = Program {
        device: Device::new((UNITS * UNIT) as usize / SECTOR, fault, random.number() % 30),
        random,
        versions: vec![0; UNITS as usize],
        unflushed: Vec::new(),
        writes: 0,
        journal: Vec::new(),
        said: Vec::new(),
    };
    program.add(&JournalPiece::Run(RUN, 0, ""));
    program.add(&JournalPiece::Target(target));
    for _ in 0..20 + program.random.number() % 80 {
        match program.random.number() % 5 {
            0 => program.flush(&mut course),
            _ => program.write(&mut course),
        }
    }
    let held = program.device.cut(&mut program.random, &mut course);
    let holds = judge(&mut program, &held, &mut course);
    (course.hash(), holds)
}

fn judge(program: &mut Program, held: &[Option<Sector>], course: &mut RunTotals) -> Result<(), Failure> {
    let begun = program.said[1].0;
    let length = program.journal.len();
    let left = match program.random.number() % 4 {
        0 => begun + program.random.number() as usize % (length - begun + 1),
        _ => length,
    };
    course.step(format_args!("{left} bytes of the journal are left"));
    let content = read(&program.journal[..left])?;
    let whole = program.said.iter().rev().find(|(length, _)| *length <= left);
    if whole.is_none_or(|(_, said)| *said != content.acknowledged) {
        return Err(format!("of {left} bytes the journal says something else than was written").into());
    }
    let found = found(&content, held)?;
    let expected: BTreeMap<u64, SectorState> = content
        .acknowledged
        .values()
        .flat_map(|ack| (ack.offset..ack.offset + UNIT).step_by(SECTOR).map(move |offset| (ack, offset)))
        .filter_map(|(ack, offset)| Some((offset, word(ack, offset, held)?)))
        .collect();
    course.step(format_args!("{expected:?}"));
    match () {
        () if program.device.is_honest() && !expected.is_empty() => Err(format!(
            "the device keeps its promises, but it lacks writes that the journal lists: {expected:?}"
        )
        .into()),
        () if found.1 != expected.len() as u64 => {
            Err(format!("{} sectors fail, {} have to: {expected:?}", found.1, expected.len()).into())
        }
        () => match found.0.iter().find(|(offset, fault)| expected.get(offset) != Some(fault)) {
            Some((offset, fault)) => {
                Err(format!("sector at {offset} is called {fault:?}: it is {:?}", expected.get(offset))
                    .into())
            }
            None => Ok(()),
        },
    }
}

fn found(content: &JournalContent, held: &[Option<Sector>]) -> Result<ReadBack, Failure> {
    let image = tempfile::NamedTempFile::new()?;
    std::fs::write(image.path(), Device::bytes(held, RUN))?;
    let found = read_back(content, &content.targets[&0], image.path(), Power::Unknown)?.results;
    let listed = found.failures.iter().map(|failed| (failed.offset, failed.fault)).collect();
    let failed: u64 = found.counts.failed.values().sum();
    let sectors = content.acknowledged.len() as u64 * (UNIT / SECTOR as u64);
    if found.counts.verified + failed != sectors {
        return Err(
            format!("{sectors} sectors are reported neither right nor wrong: {:?}", found.counts).into()
        );
    }
    Ok((listed, failed))
}
