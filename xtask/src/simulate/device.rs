//! A device with a cache, which may confirm writes too early. It stores the identity of sectors instead of
//! their bytes.

use super::course::RunTotals;
use crate::harness::Random;
use diskspd::integrity::{SectorChecksums, SectorStamp};

/// Size of a sector in bytes.
pub const SECTOR: usize = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sector {
    pub offset: u64,
    /// Version of its unit.
    pub version: u64,
    pub write: u64,
    /// Number of the sector in it, and how many it has.
    pub index: (u32, u32),
    /// Some of its bits are wrong.
    pub is_damaged: bool,
}

/// Kind of a single device fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A write never arrives.
    Lost,
    /// The first sectors of a write arrive.
    Torn,
    /// A write arrives at another place.
    Misdirected,
    IgnoredFlush,
    Reordered,
    /// A bit of a sector is wrong.
    Damaged,
}

impl Fault {
    pub fn from_number(number: u64) -> Fault {
        use Fault::{Damaged, IgnoredFlush, Lost, Misdirected, Reordered, Torn};
        let all = [Lost, Torn, Misdirected, IgnoredFlush, Reordered, Damaged];
        all.get(number as usize % 12).copied().unwrap_or(Fault::None)
    }
}

pub struct Device {
    durable: Vec<Option<Sector>>,
    /// Sectors that are in no order yet, with their places.
    cache: Vec<(usize, Sector)>,
    fault: Fault,
    countdown: u64,
    ignores_flushes: bool,
    delayed: Vec<(usize, Sector)>,
}

impl Device {
    pub fn new(sectors: usize, fault: Fault, countdown: u64) -> Device {
        let (durable, cache, delayed) = (vec![None; sectors], Vec::new(), Vec::new());
        Device { durable, cache, fault, countdown, ignores_flushes: false, delayed }
    }

    pub fn is_honest(&self) -> bool {
        self.fault == Fault::None
    }

    pub fn write(&mut self, offset: u64, sectors: &[Sector], random: &mut Random, course: &mut RunTotals) {
        let first = offset as usize / SECTOR;
        let mut placed: Vec<_> = (first..).zip(sectors.iter().copied()).collect();
        let happens = self.fault != Fault::None && self.countdown == 0;
        self.countdown = if happens { u64::MAX } else { self.countdown.saturating_sub(1) };
        let delayed = std::mem::take(&mut self.delayed);
        if happens {
            course.step(format_args!("{:?} happens", self.fault));
            match self.fault {
                Fault::Lost => placed.clear(),
                Fault::Torn => placed.truncate(1 + random.number() as usize % (sectors.len() - 1)),
                Fault::Misdirected => {
                    let elsewhere = random.number() as usize % (self.durable.len() - sectors.len());
                    placed.iter_mut().for_each(|(place, _)| *place = *place - first + elsewhere);
                }
                Fault::IgnoredFlush => self.ignores_flushes = true,
                Fault::Reordered => self.delayed = std::mem::take(&mut placed),
                Fault::Damaged => {
                    let which = random.number() as usize % placed.len();
                    placed[which].1.is_damaged = true;
                }
                Fault::None => {}
            }
        }
        self.cache.extend(placed.into_iter().chain(delayed));
    }

    pub fn flush(&mut self, course: &mut RunTotals) {
        if self.ignores_flushes {
            course.step(format_args!("the flush is ignored"));
            return;
        }
        self.cache.drain(..).for_each(|(place, sector)| self.durable[place] = Some(sector));
    }

    pub fn cut(&mut self, random: &mut Random, course: &mut RunTotals) -> Vec<Option<Sector>> {
        // In their order: of two versions the later one may arrive alone, and is never replaced by the other.
        let share = random.number() % 4;
        for (place, sector) in self.cache.drain(..) {
            if random.number() % 4 < share {
                self.durable[place] = Some(sector);
            }
        }
        course.step(format_args!("power is cut: {:?}", self.durable));
        std::mem::take(&mut self.durable)
    }

    pub fn bytes(held: &[Option<Sector>], run: u64) -> Vec<u8> {
        let checksums = SectorChecksums::new(SECTOR);
        let mut bytes = vec![0; held.len() * SECTOR];
        for (sector, held) in bytes.chunks_exact_mut(SECTOR).zip(held) {
            let Some(Sector { offset, version, write, index: (index, sectors), is_damaged }) = *held else {
                continue;
            };
            let stamp =
                SectorStamp { run, offset, generation: version, target: 0, writer: 0, write, index, sectors };
            stamp.fill(sector);
            checksums.seal(&stamp, sector);
            sector[300] ^= u8::from(is_damaged);
        }
        bytes
    }
}
