//! A disk that records every write and flush in order, so that its state after a power cut at any moment can
//! be reproduced.

use crate::harness::Random;
use crate::served::ServedDisk;
use std::collections::HashMap;
use std::path::PathBuf;

/// Size of a sector in bytes.
pub const SECTOR: usize = 512;
/// Size in bytes of a page of changes kept for a cut.
const PAGE: usize = 4096;

pub enum DiskEvent {
    /// Write of bytes from an offset on.
    Write {
        offset: usize,
        data: Vec<u8>,
    },
    Flush,
}

pub struct Disk {
    whole: usize,
    content: Vec<u8>,
    events: Vec<DiskEvent>,
    /// Size of the journal in bytes at each event.
    journal_bytes: Vec<u64>,
    journal: PathBuf,
    /// Number of events applied to `content`; not counted during recording.
    applied: usize,
    /// Whether events are recorded; otherwise cuts are shown.
    is_recorded: bool,
    shown: usize,
    changed: HashMap<usize, Vec<u8>>,
}

impl Disk {
    pub fn new(size: usize, whole: usize, journal: PathBuf) -> Disk {
        Disk {
            whole,
            content: vec![0; size],
            events: Vec::new(),
            journal_bytes: Vec::new(),
            journal,
            applied: 0,
            is_recorded: false,
            shown: 0,
            changed: HashMap::new(),
        }
    }

    pub fn record(&mut self) -> Vec<u8> {
        self.settle();
        self.is_recorded = true;
        self.content.clone()
    }

    /// Ends the recording; `begin` is the result of [`Disk::record`]. Returns the number of events.
    pub fn show_cuts(&mut self, begin: Vec<u8>) -> usize {
        self.settle();
        (self.content, self.is_recorded) = (begin, false);
        self.events.len()
    }

    /// Applies the changes to the content.
    fn settle(&mut self) {
        for (page, bytes) in self.changed.drain() {
            self.content[page * PAGE..][..bytes.len()].copy_from_slice(&bytes);
        }
    }

    fn remember(&mut self, event: DiskEvent) {
        self.events.push(event);
        self.journal_bytes.push(std::fs::metadata(&self.journal).map_or(0, |found| found.len()));
    }

    fn change(&mut self, offset: usize, data: &[u8]) {
        let mut done = 0;
        while done < data.len() {
            let at = offset + done;
            let (page, within) = (at / PAGE, at % PAGE);
            let length = (PAGE - within).min(data.len() - done);
            let content = &self.content;
            let bytes = self.changed.entry(page).or_insert_with(|| content[page * PAGE..][..PAGE].to_vec());
            bytes[within..within + length].copy_from_slice(&data[done..done + length]);
            done += length;
        }
    }

    /// Shows the disk after a power cut at an event. All writes before the last flush are present; of
    /// later ones, including the event itself, the part chosen by `keep`. Cuts must be in ascending order.
    /// Returns the length of the journal in bytes.
    pub fn cut(&mut self, at: usize, mut keep: impl FnMut(usize) -> SurvivingSectors) -> u64 {
        self.changed.clear();
        self.shown += 1;
        let before = &self.events[self.applied..at];
        let durable = before.iter().rposition(|event| matches!(event, DiskEvent::Flush)).unwrap_or(0);
        for event in &self.events[self.applied..self.applied + durable] {
            if let DiskEvent::Write { offset, data } = event {
                self.content[*offset..][..data.len()].copy_from_slice(data);
            }
        }
        self.applied += durable;
        let in_flight = std::mem::take(&mut self.events);
        for event in &in_flight[self.applied..=at] {
            let DiskEvent::Write { offset, data } = event else { continue };
            match keep(data.len() / self.whole) {
                SurvivingSectors::Nothing => {}
                SurvivingSectors::All => self.change(*offset, data),
                SurvivingSectors::Sectors(kept) => {
                    let sectors = data.chunks(self.whole).zip((*offset..).step_by(self.whole)).zip(kept);
                    for ((sector, at), _) in sectors.filter(|(_, kept)| *kept) {
                        self.change(at, sector);
                    }
                }
            }
        }
        self.events = in_flight;
        self.journal_bytes[at]
    }

    /// Returns the number of the shown cut, from 1.
    pub fn shown_cut(&self) -> usize {
        self.shown
    }

    /// Returns the numbers of the flush events.
    pub fn flushes(&self) -> Vec<usize> {
        let flushes = self.events.iter().enumerate().filter(|(_, event)| matches!(event, DiskEvent::Flush));
        flushes.map(|(number, _)| number).collect()
    }

    /// Returns all writes in order: number of the event, offset, data.
    pub fn writes(&self) -> impl Iterator<Item = (usize, usize, &[u8])> {
        self.events.iter().enumerate().filter_map(|(number, event)| match event {
            DiskEvent::Write { offset, data } => Some((number, *offset, &data[..])),
            DiskEvent::Flush => None,
        })
    }

    /// Lists all events up to one, a line each: number, position and length of a write in bytes.
    pub fn listed(&self, at: usize) -> String {
        let line = |(number, event): (usize, &DiskEvent)| match event {
            DiskEvent::Write { offset, data } => format!("{number} write {offset} {}\n", data.len()),
            DiskEvent::Flush => format!("{number} flush\n"),
        };
        self.events.iter().enumerate().take(at + 1).map(line).collect()
    }

    /// Returns all events in order, with the size of the journal in bytes at each.
    pub fn events(&self) -> impl Iterator<Item = (&DiskEvent, u64)> {
        self.events.iter().zip(self.journal_bytes.iter().copied())
    }

    /// Returns the size of the journal in bytes at an event.
    pub fn journal_bytes(&self, at: usize) -> u64 {
        self.journal_bytes[at]
    }

    pub fn damage(&mut self, offset: usize, data: &[u8]) {
        self.change(offset, data);
    }
}

impl ServedDisk for Disk {
    fn size(&self) -> usize {
        self.content.len()
    }

    fn read(&self, offset: usize, into: &mut [u8]) -> usize {
        let length = into.len().min(self.size().saturating_sub(offset));
        let mut done = 0;
        while done < length {
            let at = offset + done;
            let within = at % PAGE;
            let piece = (PAGE - within).min(length - done);
            let from = match self.changed.get(&(at / PAGE)) {
                Some(page) => &page[within..],
                None => &self.content[at..],
            };
            into[done..done + piece].copy_from_slice(&from[..piece]);
            done += piece;
        }
        length
    }

    fn write(&mut self, offset: usize, data: &[u8]) {
        if self.is_recorded {
            self.remember(DiskEvent::Write { offset, data: data.to_vec() });
        }
        self.change(offset, data);
    }

    fn flush(&mut self) {
        if self.is_recorded {
            self.remember(DiskEvent::Flush);
        }
    }
}

pub enum SurvivingSectors {
    Nothing,
    All,
    Sectors(Vec<bool>),
}

impl SurvivingSectors {
    /// Draws the sectors of a write that arrive (none, all, the first, or any).
    pub fn draw(random: &mut Random, sectors: usize) -> SurvivingSectors {
        match random.below(4) {
            0 => SurvivingSectors::Nothing,
            1 => SurvivingSectors::All,
            2 => {
                let arrived = random.below(sectors + 1);
                SurvivingSectors::Sectors((0..sectors).map(|number| number < arrived).collect())
            }
            _ => SurvivingSectors::Sectors((0..sectors).map(|_| random.below(2) == 0).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn byte(disk: &Disk, offset: usize) -> u8 {
        let mut byte = [0];
        disk.read(offset, &mut byte);
        byte[0]
    }

    #[test]
    fn simulated_power_cut_keeps_flushed_data() {
        let mut disk = Disk::new(8 * PAGE, SECTOR, "/nowhere".into());
        disk.write(0, &[1; 1024]);
        let begin = disk.record();
        disk.write(0, &[2; 1024]);
        disk.flush();
        disk.write(0, &[3; 1024]);
        assert_eq!(byte(&disk, 0), 3);
        assert_eq!(disk.show_cuts(begin), 3);
        let one = |kept: [bool; 2]| SurvivingSectors::Sectors(kept.to_vec());
        for (at, kept, first, last) in [
            (0, SurvivingSectors::Nothing, 1, 1),
            (0, SurvivingSectors::All, 2, 2),
            (0, one([true, false]), 2, 1),
            (0, one([false, true]), 1, 2),
            // The flush has not ended: what it was to make durable isn't yet.
            (1, SurvivingSectors::Nothing, 1, 1),
            (2, SurvivingSectors::Nothing, 2, 2),
            (2, one([true, false]), 3, 2),
        ] {
            let mut kept = Some(kept);
            disk.cut(at, |_| kept.take().unwrap());
            assert_eq!((byte(&disk, 0), byte(&disk, 1023)), (first, last), "{at}");
        }
        disk.damage(1000, &[9; 24]);
        assert_eq!((byte(&disk, 0), byte(&disk, 1023)), (3, 9));
        disk.cut(2, |_| SurvivingSectors::Nothing);
        assert_eq!(byte(&disk, 1023), 2, "a cut shows no earlier damage");
        assert_eq!(disk.flushes(), [1]);
        assert_eq!(disk.writes().map(|(number, ..)| number).collect::<Vec<_>>(), [0, 2]);
    }
}
