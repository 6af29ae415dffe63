//! Verification of the durable writes in a journal: after a power loss, or after any run.

use super::classify::{Expected, SectorVerdict, is_torn, judge};
use super::journal::{Acknowledged, JournalContent, JournalTarget, MAX_SECTOR_BYTES, Mixing};
use super::stamp::{SectorChecksums, SectorStamp};
use super::system::{identity, open, read_exact};
use diskspd_base::message_error::MessageError;
use diskspd_results::{FailedSector, IntegrityResults, SectorState};
use diskspd_sys::memory::Buffer;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

/// Maximum size of one read in bytes.
const PIECE: u64 = MAX_SECTOR_BYTES as u64;
/// Bytes that are read in search of the other sectors of damaged writes, at most: some at first, and more
/// for each byte that is read
/// back. A search that is left out says "lost" where it might say "torn".
const INITIAL_SEARCH_BYTES: u64 = 256 << 20;
const SEARCHED_PER_BYTE: u64 = 16;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct TargetReadBack {
    /// Number of units with an acknowledged version.
    pub units: u64,
    /// Sector results. Failures have the acknowledgement time of the required version, in us since the
    /// journal's start.
    pub results: IntegrityResults,
    pub newer: u64,
}

/// Whether the storage had power between the run and the read-back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Power {
    /// Held, because the machine did not restart; data can only be missing due to a kill.
    Held,
    /// Known to be lost.
    Lost,
    /// Unknown, because the machine restarted, or the journal does not state it.
    Unknown,
}

/// Reads all sectors back of which a journal says something, from the target at a path.
///
/// # Errors
/// Fails if a target cannot be opened, or without memory.
pub fn read_back(
    content: &JournalContent,
    target: &JournalTarget,
    path: &Path,
    power: Power,
) -> Result<TargetReadBack, MessageError> {
    let memory = || Buffer::new(PIECE as usize).map_err(|error| format!("cannot allocate memory: {error}"));
    let found = TargetReadBack::default();
    let mut reader = BackReader {
        content,
        target,
        power,
        checksums: SectorChecksums::new(target.sector as usize),
        file: open(path)?,
        beside: Some(memory()?),
        found,
        block: None,
        arrived: None,
        end: u64::MAX,
        searchable: INITIAL_SEARCH_BYTES,
    };
    let mut data = memory()?;
    let acks: Vec<&Acknowledged> =
        content.acknowledged.range((target.id, 0)..=(target.id, u64::MAX)).map(|(_, ack)| ack).collect();
    let longest = (PIECE / target.unit).max(1) as usize;
    let mut rest = &acks[..];
    while let Some(first) = rest.first() {
        // Units that lie side by side are read together.
        let follows =
            |(index, ack): &(usize, &&Acknowledged)| ack.offset == first.offset + *index as u64 * target.unit;
        let count = rest.iter().enumerate().take(longest).take_while(follows).count();
        let (together, others) = rest.split_at(count);
        reader.judge_units(together, &mut data);
        rest = others;
    }
    Ok(reader.found)
}

struct BackReader<'a> {
    content: &'a JournalContent,
    target: &'a JournalTarget,
    power: Power,
    checksums: SectorChecksums,
    file: File,
    found: TargetReadBack,
    beside: Option<Buffer>,
    /// Offset of the last checked unit, and version of its first whole sector.
    block: Option<(u64, u64)>,
    arrived: Option<(u32, u64, Option<SectorStamp>)>,
    /// Byte offset of the known end of the target.
    end: u64,
    /// Remaining bytes that may be read to find other sectors.
    searchable: u64,
}

impl BackReader<'_> {
    /// Judges adjacent units.
    fn judge_units(&mut self, acks: &[&Acknowledged], data: &mut Buffer) {
        let start = acks[0].offset;
        let end = start + acks.len() as u64 * self.target.unit;
        self.found.units += acks.len() as u64;
        for from in (start..end).step_by(PIECE as usize) {
            if from >= self.end {
                let units = acks.iter().skip(((from - start) / self.target.unit) as usize);
                return units.for_each(|ack| self.count_missing(ack, from));
            }
            let data = &mut data.as_mut_slice()[..PIECE.min(end - from) as usize];
            let readable = self.fill_data(data, from);
            self.searchable = self.searchable.saturating_add(SEARCHED_PER_BYTE * data.len() as u64);
            let mut fits = Vec::new();
            self.checksums.intact(data, &mut fits);
            for (number, sector) in data.chunks_exact(self.target.sector as usize).enumerate() {
                let offset = from + number as u64 * u64::from(self.target.sector);
                let ack = acks[((offset - start) / self.target.unit) as usize];
                self.judge_sector(
                    ack,
                    offset,
                    sector,
                    fits[number],
                    readable.as_ref().is_none_or(|r| r[number]),
                );
            }
        }
    }

    fn count_missing(&mut self, ack: &Acknowledged, from: u64) {
        let from = from.max(ack.offset);
        let sectors = (ack.offset + self.target.unit - from) / u64::from(self.target.sector);
        let (expected, at_us) = (ack.oldest, ack.at_us);
        let sector = |number| {
            let offset = from + number * u64::from(self.target.sector);
            FailedSector { fault: SectorState::Unreadable, offset, expected, found: None, at_us }
        };
        self.found.results.fail_all(SectorState::Unreadable, sectors, sector);
    }

    /// Reads from an offset on; `None` = all of it, else of each sector whether it could be read.
    fn fill_data(&mut self, data: &mut [u8], offset: u64) -> Option<Vec<bool>> {
        let beyond = self.end.saturating_sub(offset);
        if beyond >= data.len() as u64 && read_exact(&self.file, data, offset).is_ok() {
            return None;
        }
        let sector = self.target.sector as usize;
        let each = data.chunks_mut(sector).zip((offset..).step_by(sector));
        Some(
            each.map(|(data, offset)| {
                let read =
                    if offset < self.end { read_exact(&self.file, data, offset) } else { return false };
                if read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::UnexpectedEof) {
                    self.end = offset;
                }
                read.is_ok()
            })
            .collect(),
        )
    }

    fn judge_sector(
        &mut self,
        ack: &Acknowledged,
        offset: u64,
        sector: &[u8],
        fits: bool,
        is_readable: bool,
    ) {
        let may_be_mixed = match self.target.mixing {
            Mixing::Never => false,
            // What the page cache holds of a run that was only killed is whole, and is read behind it.
            Mixing::WhenCut => !self.content.has_ended && self.power != Power::Held,
            Mixing::WhenKilled => !self.content.has_ended,
            Mixing::Always => true,
        };
        let expected = Expected {
            run: Some(self.content.run),
            target: self.target.id,
            offset,
            oldest: ack.oldest,
            // The journal does not contain writes that began and were never acknowledged.
            newest: SectorStamp::NEWEST,
            may_be_mixed: ack.overlapped || may_be_mixed,
        };
        let stamp = SectorStamp::read_from(sector).filter(|_| is_readable);
        let verdict = match is_readable {
            true => judge(&expected, sector, fits),
            false => SectorVerdict::Failed(SectorState::Unreadable),
        };
        let verdict = match stamp {
            Some(stamp) if verdict == SectorVerdict::Verified => self.of_block(ack, stamp.generation),
            _ => verdict,
        };
        let counts = &mut self.found.results.counts;
        match verdict {
            SectorVerdict::Verified => {
                counts.verified += 1;
                self.found.newer += u64::from(stamp.is_some_and(|stamp| stamp.generation > ack.oldest));
            }
            SectorVerdict::Unknown => counts.unknown += 1,
            SectorVerdict::Undecided => counts.undecided += 1,
            SectorVerdict::Failed(fault) => {
                let there = self.arrived_stamp(ack);
                let length = u64::from(self.target.sector);
                let held = stamp.filter(|_| fits);
                let torn = is_torn(fault, offset, held, there.into_iter(), length);
                self.found.results.fail(FailedSector {
                    fault: match torn {
                        true if self.target.atomic => SectorState::NotAtomic,
                        true => SectorState::Torn,
                        false => fault,
                    },
                    offset,
                    expected: ack.oldest,
                    found: stamp.map(|stamp| stamp.found_stamp(expected.run)),
                    at_us: ack.at_us,
                });
            }
        }
    }

    /// Judges a sector within its unit. All sectors of an atomic unit must have one version, even an
    /// unacknowledged one. Overlapping writes have no guarantee.
    fn of_block(&mut self, ack: &Acknowledged, version: u64) -> SectorVerdict {
        if !self.target.atomic || ack.overlapped {
            return SectorVerdict::Verified;
        }
        let first = self.block.filter(|(offset, _)| *offset == ack.offset).map(|(_, version)| version);
        self.block = Some((ack.offset, first.unwrap_or(version)));
        match first.is_none_or(|first| first == version) {
            true => SectorVerdict::Verified,
            false => SectorVerdict::Failed(SectorState::NotAtomic),
        }
    }

    /// Returns a sector of the acknowledged write, if any reached the target.
    fn arrived_stamp(&mut self, ack: &Acknowledged) -> Option<SectorStamp> {
        if let Some((writer, write, there)) = self.arrived
            && (writer, write) == (ack.writer, ack.write)
        {
            return there;
        }
        let length = u64::from(ack.write_length);
        let there = match self.searchable.checked_sub(length) {
            Some(rest) => {
                self.searchable = rest;
                self.look_for(ack)
            }
            None => None,
        };
        self.arrived = Some((ack.writer, ack.write, there));
        there
    }

    fn look_for(&mut self, ack: &Acknowledged) -> Option<SectorStamp> {
        let end = ack.write_offset.checked_add(u64::from(ack.write_length))?.min(self.end);
        let mut beside = self.beside.take()?;
        let mut pieces = (ack.write_offset..end).step_by(PIECE as usize);
        let there = pieces.find_map(|from| {
            let data = &mut beside.as_mut_slice()[..PIECE.min(end - from) as usize];
            self.look_in(data, from, ack)
        });
        self.beside = Some(beside);
        there
    }

    fn look_in(&mut self, data: &mut [u8], from: u64, ack: &Acknowledged) -> Option<SectorStamp> {
        let readable = self.fill_data(data, from);
        let mut fits = Vec::new();
        self.checksums.intact(data, &mut fits);
        let sectors = data.chunks_exact(self.target.sector as usize).zip(&fits).enumerate();
        let whole = sectors.filter(|(number, (_, fits))| {
            **fits && readable.as_ref().is_none_or(|readable| readable[*number])
        });
        let of_write = |stamp: &SectorStamp| {
            (stamp.run, stamp.target) == (self.content.run, self.target.id)
                && (stamp.writer, stamp.write) == (ack.writer, ack.write)
        };
        whole.filter_map(|(_, (sector, _))| SectorStamp::read_from(sector)).find(of_write)
    }
}

/// The first two of these paths that lead to one file or device, by their places in the list.
pub fn same_target<'a>(paths: impl Iterator<Item = &'a Path>) -> Option<(usize, usize)> {
    let mut known = BTreeMap::new();
    paths.enumerate().find_map(|(place, path)| Some((known.insert(identity(path)?, place)?, place)))
}

#[cfg(test)]
mod tests;
