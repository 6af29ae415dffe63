//! The stamp of a verified sector (docs/reference/integrity.md has the format).

use diskspd_sys::crc32c::{Linear, crc32c, remainder, remainder_of_words};
use diskspd_sys::payload_words;

const MAGIC: [u8; 4] = *b"DSV1";
/// Bytes of the checksum, which is first and covers the rest.
const CHECKSUM: usize = 4;
/// Bytes of a stamp; the rest of the sector is derived from it.
const LENGTH: usize = 56;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectorStamp {
    pub run: u64,
    /// Byte offset of the sector in the target.
    pub offset: u64,
    /// Version of the sector, from 1.
    pub generation: u64,
    /// Number of the target in the run.
    pub target: u32,
    pub writer: u32,
    pub write: u64,
    /// Index of the sector in its write.
    pub index: u32,
    pub sectors: u32,
}

impl SectorStamp {
    pub fn fill(&self, sector: &mut [u8]) {
        let (stamp, rest) = sector.split_at_mut(LENGTH);
        let mut at = CHECKSUM;
        let mut put = |bytes: &[u8]| {
            stamp[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        };
        put(&MAGIC);
        [self.run, self.offset, self.generation].iter().for_each(|number| put(&number.to_le_bytes()));
        [self.target, self.writer].iter().for_each(|number| put(&number.to_le_bytes()));
        put(&self.write.to_le_bytes());
        [self.index, self.sectors].iter().for_each(|number| put(&number.to_le_bytes()));
        payload_words::fill(rest.as_chunks_mut().0, self.stamp_word(), STEP);
    }

    /// Returns the CRC remainder of the stamp between checksum and words. It does not read memory, because
    /// unaligned reads would wait for the preceding writes.
    fn remainder(&self) -> u32 {
        let high = |number: u64| number >> 32;
        let numbers =
            [u32::from_le_bytes(MAGIC).into(), self.run, self.offset, self.generation, self.target.into()];
        let [magic, run, offset, generation, target] = numbers;
        let words = [
            magic | run << 32,
            high(run) | offset << 32,
            high(offset) | generation << 32,
            high(generation) | target << 32,
            u64::from(self.writer) | self.write << 32,
            high(self.write) | u64::from(self.index) << 32,
        ];
        remainder_of_words(u32::MAX, words, self.sectors)
    }

    /// Returns the basis of the words after the stamp. It differs for every version of a place, so mixed
    /// halves of sectors are detected.
    fn stamp_word(&self) -> u64 {
        (self.run ^ self.offset).wrapping_add(self.generation.wrapping_mul(STEP))
    }

    /// Returns the stamp of a sector without a check of its checksum; `None` = no stamp.
    pub fn read_from(sector: &[u8]) -> Option<SectorStamp> {
        let stamp = sector.get(..LENGTH)?;
        let word = |at: usize| stamp[at..].first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let half = |at: usize| stamp[at..].first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        (stamp[CHECKSUM..].starts_with(&MAGIC)).then_some(())?;
        Some(SectorStamp {
            run: word(8)?,
            offset: word(16)?,
            generation: word(24)?,
            target: half(32)?,
            writer: half(36)?,
            write: word(40)?,
            index: half(48)?,
            sectors: half(52)?,
        })
    }

    /// Returns the oldest and the newest version in a sector, regardless of its checksum. `None` if a word
    /// belongs to no version.
    pub(crate) fn versions_in(&self, sector: &[u8]) -> Option<(u64, u64)> {
        let place = self.run ^ self.offset;
        let (mut oldest, mut newest) = (self.generation, self.generation);
        let (words, rest) = sector.get(LENGTH..)?.as_chunks();
        for (number, word) in (1u64..).zip(words) {
            let word = u64::from_le_bytes(*word) ^ number.wrapping_mul(STEP);
            let version = word.wrapping_sub(place).wrapping_mul(STEP_INVERSE);
            (oldest, newest) = (oldest.min(version), newest.max(version));
        }
        (oldest > 0 && newest <= SectorStamp::NEWEST && rest.is_empty()).then_some((oldest, newest))
    }

    /// Maximum plausible version of a sector.
    pub(crate) const NEWEST: u64 = 1 << 40;

    /// Whether the write of this sector covers a byte offset in the target. `sector` is the sector size in
    /// bytes.
    pub(crate) fn write_covers(&self, offset: u64, sector: u64) -> bool {
        let start = self.offset.wrapping_sub(u64::from(self.index).wrapping_mul(sector));
        offset.wrapping_sub(start) / sector < u64::from(self.sectors)
    }
}

/// Golden ratio, a multiplier that changes all bits of a word.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
const STEP_INVERSE: u64 = {
    // Newton's iteration: each step doubles the bits that are right, three at first.
    let (mut inverse, mut step) = (STEP, 0);
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(STEP.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
};

/// Computes and compares the checksums of sectors of one length.
///
/// The words after a stamp are derived from it, and a CRC is linear. The checksum is therefore the XOR of
/// the contributions of stamp, word and multiples. Written words need not be read again. Read words are
/// compared with their expected values, which is faster than a CRC.
#[derive(Debug)]
pub struct SectorChecksums {
    sector: usize,
    /// Remainder of the stamp, as if the rest of the sector were zero.
    of_stamp: Linear,
    /// Remainder of a word, as if the rest of the sector were this word.
    of_word: Linear,
    /// Remainder of the multiples alone.
    of_multiples: u32,
}

impl SectorChecksums {
    pub fn new(sector: usize) -> SectorChecksums {
        let zeros = vec![0; sector.saturating_sub(LENGTH)];
        let mut multiples = zeros.clone();
        payload_words::fill(multiples.as_chunks_mut().0, 0, STEP);
        let words = || 0..zeros.len() / 8;
        SectorChecksums {
            sector,
            of_stamp: Linear::new(|bit| remainder(bit, &zeros)),
            of_word: Linear::new(|bit| words().fold(0, |sum, _| remainder(sum, &[0; 8]) ^ bit)),
            of_multiples: remainder(0, &multiples),
        }
    }

    /// Writes the checksum into a stamped sector.
    #[inline]
    pub fn seal(&self, stamp: &SectorStamp, sector: &mut [u8]) {
        let sum = self.of_filled(stamp);
        sector[..CHECKSUM].copy_from_slice(&sum.to_le_bytes());
    }

    #[inline]
    fn of_filled(&self, stamp: &SectorStamp) -> u32 {
        let of_word = remainder(0, &stamp.stamp_word().to_le_bytes());
        !(self.of_stamp.transform(stamp.remainder()) ^ self.of_word.transform(of_word) ^ self.of_multiples)
    }

    /// Checks each sector for a stamp with a valid checksum.
    pub fn intact(&self, bytes: &[u8], fits: &mut Vec<bool>) {
        fits.clear();
        fits.extend(bytes.chunks_exact(self.sector).map(|sector| self.is_intact(sector)));
    }

    fn is_intact(&self, sector: &[u8]) -> bool {
        let Some(stamp) = SectorStamp::read_from(sector) else { return false };
        let sum = match payload_words::are_filled(sector[LENGTH..].as_chunks().0, stamp.stamp_word(), STEP) {
            true => self.of_filled(&stamp),
            // Other words: earlier versions of the program made them in another way.
            false => crc32c(&sector[CHECKSUM..]),
        };
        sector.starts_with(&sum.to_le_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: SectorStamp = SectorStamp {
        run: 0x0123_4567_89ab_cdef,
        offset: 3 * 512,
        generation: 7,
        target: 2,
        writer: 5,
        write: 99,
        index: 1,
        sectors: 3,
    };

    fn sealed_sectors(sectors: usize, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; sectors * length];
        let checksums = SectorChecksums::new(length);
        for (number, sector) in bytes.chunks_exact_mut(length).enumerate() {
            let stamp = SectorStamp { index: number as u32, ..STAMP };
            stamp.fill(sector);
            checksums.seal(&stamp, sector);
        }
        bytes
    }

    #[test]
    fn sector_has_stamp_and_full_checksum() {
        for (sectors, length) in [(1, 512), (4, 512), (9, 512), (5, 4096)] {
            let mut bytes = sealed_sectors(sectors, length);
            let (checksums, mut fits) = (SectorChecksums::new(length), Vec::new());
            checksums.intact(&bytes, &mut fits);
            assert_eq!(fits, vec![true; sectors]);
            let stamps: Vec<u32> =
                bytes.chunks(length).map(|sector| SectorStamp::read_from(sector).unwrap().index).collect();
            assert_eq!(stamps, (0..sectors as u32).collect::<Vec<_>>());
            for bit in [0, 31, 32, 64, 130, 200, 500, 8 * LENGTH, 8 * length - 1] {
                let at = (sectors - 1) * length + bit / 8;
                bytes[at] ^= 1 << (bit % 8);
                checksums.intact(&bytes, &mut fits);
                assert_eq!(fits.iter().position(|fits| !fits), Some(sectors - 1), "bit {bit}");
                bytes[at] ^= 1 << (bit % 8);
            }
        }
    }

    #[test]
    fn stamp_checksum_is_crc_of_its_words() {
        for length in [512, 1024, 4096, 65536] {
            let mut bytes = sealed_sectors(3, length);
            for sector in bytes.chunks_exact_mut(length) {
                assert_eq!(sector[..4], crc32c(&sector[4..]).to_le_bytes(), "{length}");
                // What another version of the program put behind the stamp.
                sector[LENGTH..].fill(0x5a);
                let sum = crc32c(&sector[4..]);
                sector[..4].copy_from_slice(&sum.to_le_bytes());
            }
            let mut fits = Vec::new();
            SectorChecksums::new(length).intact(&bytes, &mut fits);
            assert_eq!(fits, [true; 3]);
        }
    }

    #[test]
    fn stamp_format_matches_documentation() {
        let bytes = sealed_sectors(2, 512);
        let stamp = &bytes[512..568];
        assert_eq!(&stamp[4..8], b"DSV1");
        assert_eq!(stamp[8..16], 0x0123_4567_89ab_cdefu64.to_le_bytes());
        let numbers: Vec<u8> = [16, 24, 32, 36, 40, 48, 52].map(|at: usize| stamp[at]).to_vec();
        assert_eq!(numbers, [0, 7, 2, 5, 99, 1, 3]);
        assert_eq!(stamp[..4], crc32c(&bytes[516..]).to_le_bytes());
    }

    #[test]
    fn versions_of_a_sector_differ_in_every_word() {
        let versions = [6, 7].map(|generation| {
            let mut sector = [0; 512];
            SectorStamp { generation, ..STAMP }.fill(&mut sector);
            sector
        });
        let [before, after] = versions.each_ref().map(|sector| sector[LENGTH..].chunks(8));
        assert!(before.zip(after).all(|(before, after)| before != after));
    }

    #[test]
    fn every_word_of_a_sector_encodes_its_version() {
        let version = |generation| {
            let mut sector = vec![0; 512];
            SectorStamp { generation, ..STAMP }.fill(&mut sector);
            sector
        };
        let versions = |sector: &[u8]| SectorStamp::read_from(sector).unwrap().versions_in(sector);
        assert_eq!(versions(&version(7)), Some((7, 7)));
        for at in (8..512).step_by(8) {
            let mixed = [&version(7)[..at], &version(9)[at..]].concat();
            let first = if at <= 24 { 9 } else { 7 };
            assert_eq!(versions(&mixed), Some((first, 9)), "{at}");
        }
        for (at, byte) in [(60, 1), (200, 0x80), (511, 4)] {
            let mut sector = version(7);
            sector[at] ^= byte;
            assert_eq!(versions(&sector), None, "{at}");
        }
        for other in [0, 0xff] {
            let mut sector = version(7);
            sector[256..].fill(other);
            assert_eq!(versions(&sector), None);
        }
    }

    #[test]
    fn write_extent_is_a_multiple_of_sectors() {
        let reach = |offset| STAMP.write_covers(offset, 512);
        assert_eq!(
            [0, 512, 1024, 2047, 2048, 2560, 3072].map(reach),
            [false, false, true, true, true, false, false]
        );
    }

    #[test]
    fn unstamped_sector_is_reported() {
        assert!(
            [&[0; 512][..], &[0xff; 512], b"", &sealed_sectors(1, 512)[..LENGTH - 1]]
                .iter()
                .all(|bytes| SectorStamp::read_from(bytes).is_none())
        );
    }
}
