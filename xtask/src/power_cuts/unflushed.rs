//! Acknowledged writes without a flush, which were reported as durable before the disk had them.
//!
//! A disk with a cache keeps writes before a completed flush. There must therefore be a flush between a
//! write and its acknowledgement, regardless of the file system.

use super::disk::{Disk, DiskEvent, SECTOR};
use crate::harness::Failure;
use diskspd::integrity::SectorStamp;
use diskspd::integrity::journal::{Acknowledged, format};
use diskspd::results::FailedSector;
use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub struct Unflushed {
    pub acknowledged: usize,
    pub not_durable: HashSet<(u64, u64)>,
    /// Numbers of the events at which the journal first recorded it. A cut there shows the fault, if any
    /// does.
    pub seen_at: Vec<usize>,
    /// Times of acknowledgement in us since the journal began. All writes of a flush share its end time,
    /// without another flush since the last of them.
    told_at_us: HashSet<u64>,
}

impl Unflushed {
    pub fn from_journal(disk: &Disk, journal: &[u8]) -> Result<Unflushed, Failure> {
        let mut found = Unflushed::default();
        let run = format::read(journal)?.run;
        let mut saying = GrowingJournal::new(journal);
        // By place: the versions that came, and when. A cache may leave out what was replaced in it.
        let mut written: HashMap<u64, Vec<(u64, usize)>> = HashMap::new();
        let mut last_flush = None;
        for (number, (event, bytes)) in disk.events().enumerate() {
            for ack in saying.until(bytes)? {
                let mut came = written.get(&ack.offset).into_iter().flatten();
                found.acknowledged += 1;
                if !came.any(|(version, at)| *version >= ack.oldest && last_flush > Some(*at)) {
                    found.not_durable.insert((ack.offset, ack.oldest));
                    found.told_at_us.insert(ack.at_us);
                    found.seen_at.push(number);
                }
            }
            match event {
                DiskEvent::Flush => last_flush = Some(number),
                DiskEvent::Write { data, .. } => {
                    let stamps = data.chunks_exact(SECTOR).filter_map(SectorStamp::read_from);
                    for stamp in stamps.filter(|stamp| stamp.run == run) {
                        written.entry(stamp.offset).or_default().push((stamp.generation, number));
                    }
                }
            }
        }
        Ok(found)
    }

    pub fn explains(&self, failed: &FailedSector) -> bool {
        self.told_at_us.contains(&failed.at_us)
    }
}

/// A journal, read as it grows.
struct GrowingJournal<'a> {
    journal: &'a [u8],
    /// Bytes of the first pieces, without which none is understood.
    head: usize,
    read: usize,
}

impl<'a> GrowingJournal<'a> {
    fn new(journal: &'a [u8]) -> GrowingJournal<'a> {
        // The run, and its one target.
        let head = (0..2).fold(0, |at, _| {
            let length = journal.get(at..).and_then(|rest| rest.first_chunk());
            length.map_or(at, |length| at + 8 + u32::from_le_bytes(*length) as usize)
        });
        let head = head.min(journal.len());
        GrowingJournal { journal, head, read: head }
    }

    fn until(&mut self, bytes: u64) -> Result<Vec<Acknowledged>, Failure> {
        let to = self.journal.len().min(bytes as usize);
        if to <= self.read {
            return Ok(Vec::new());
        }
        let new = [&self.journal[..self.head], &self.journal[self.read..to]].concat();
        let said = format::read(&new[..])?;
        // What of it is no whole piece is read again.
        self.read = to.saturating_sub(said.broken as usize);
        Ok(said.acknowledged.into_values().filter(|ack| !ack.overlapped).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::served::ServedDisk;
    use diskspd::integrity::SectorChecksums;
    use diskspd::integrity::journal::format::JournalPiece;
    use diskspd::integrity::journal::{JournalTarget, Mixing};

    const RUN: u64 = 9;
    const UNIT: u64 = 4096;

    fn written(disk: &mut Disk, at: usize, offset: u64, generation: u64) {
        let (target, writer, write, index, sectors) = (0, 0, generation, 0, 1);
        let stamp = SectorStamp { run: RUN, offset, generation, target, writer, write, index, sectors };
        let mut sector = vec![0; SECTOR];
        stamp.fill(&mut sector);
        SectorChecksums::new(SECTOR).seal(&stamp, &mut sector);
        disk.write(at, &sector);
    }

    fn acknowledged(file: &std::path::Path, offset: u64, oldest: u64, overlapped: bool) {
        let (target, writer, write, at_us) = (0, 0, oldest, offset / UNIT);
        let (write_offset, write_length) = (offset, UNIT as u32);
        let ack = Acknowledged {
            target,
            writer,
            offset,
            oldest,
            write,
            write_offset,
            write_length,
            overlapped,
            at_us,
        };
        let mut bytes = std::fs::read(file).unwrap();
        JournalPiece::Acks(&[ack]).append_to(&mut bytes);
        std::fs::write(file, bytes).unwrap();
    }

    #[test]
    fn unflushed_acknowledged_writes_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("journal");
        let mut head = Vec::new();
        JournalPiece::Run(RUN, 1, "").append_to(&mut head);
        let (id, sector, unit, mixing, atomic) = (0, 512, UNIT, Mixing::Never, false);
        let path = "t".into();
        JournalPiece::Target(JournalTarget { id, sector, unit, mixing, atomic, path }).append_to(&mut head);
        std::fs::write(&file, head).unwrap();
        let mut disk = Disk::new(1 << 16, SECTOR, file.clone());
        let begin = disk.record();
        // Flushed; replaced in a cache before it came; not flushed; never written; and one that overlapped.
        written(&mut disk, 0, 0, 1);
        written(&mut disk, 512, UNIT, 3);
        disk.flush();
        written(&mut disk, 1024, 2 * UNIT, 1);
        acknowledged(&file, 0, 1, false);
        acknowledged(&file, UNIT, 2, false);
        acknowledged(&file, 2 * UNIT, 1, false);
        acknowledged(&file, 3 * UNIT, 1, false);
        acknowledged(&file, 4 * UNIT, 1, true);
        disk.flush();
        disk.show_cuts(begin);
        let found = Unflushed::from_journal(&disk, &std::fs::read(&file).unwrap()).unwrap();
        assert_eq!(found.acknowledged, 4);
        assert_eq!(found.seen_at, [4, 4]);
        assert_eq!(found.not_durable, HashSet::from([(2 * UNIT, 1), (3 * UNIT, 1)]));
        let failed = |at_us| FailedSector {
            fault: diskspd::results::SectorState::Lost,
            offset: 0,
            expected: 1,
            found: None,
            at_us,
        };
        assert!([2, 3].map(failed).iter().all(|failed| found.explains(failed)));
        assert!(![0, 1, 4].map(failed).iter().any(|failed| found.explains(failed)));
    }
}
