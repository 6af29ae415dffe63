//! What a verified sector carries. docs/integrity.md has the format.

use crate::sys::crc32c::{crc32c, crc32c_of_each};

/// Begins every stamp, behind the checksum.
const MAGIC: [u8; 4] = *b"DSV1";
/// Bytes of the checksum, which comes first and covers all that follows.
const CHECKSUM: usize = 4;
/// Bytes of a stamp; what follows in the sector depends on it.
const LENGTH: usize = 56;

/// Who wrote a sector, where, and which version of the place it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectorStamp {
    /// Of the run; random.
    pub run: u64,
    /// Where the sector belongs, byte offset in the target.
    pub offset: u64,
    /// Version of the place, from 1.
    pub generation: u64,
    /// Number of the target in the run.
    pub target: u32,
    /// Number of the thread.
    pub writer: u32,
    /// Number of the write among those of the thread.
    pub write: u64,
    /// Number of the sector in its write.
    pub index: u32,
    /// Sectors of the write.
    pub sectors: u32,
}

impl SectorStamp {
    /// Fills a sector, but for its checksum.
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
        // Other bytes in every version of a place: half of a sector can't be taken for that of another.
        let mut word = (self.run ^ self.offset).wrapping_add(self.generation.wrapping_mul(STEP));
        for bytes in rest.chunks_exact_mut(8) {
            word = word.wrapping_add(STEP);
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// The stamp of a sector, whether or not the checksum fits; `None` = it has none.
    pub fn of(sector: &[u8]) -> Option<SectorStamp> {
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

    /// Whether the write that this sector is of reaches to a place (byte offset in the target), for sectors
    /// of so many bytes.
    pub fn write_covers(&self, offset: u64, sector: u64) -> bool {
        let start = self.offset.wrapping_sub(u64::from(self.index).wrapping_mul(sector));
        offset.wrapping_sub(start) / sector < u64::from(self.sectors)
    }
}

/// The golden ratio, as is usual where words are to differ in all their bits.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// Sectors whose checksums are made at a time.
const ABREAST: usize = 4;

/// Tells the checksum of each sector, by its number.
fn checksums(bytes: &[u8], sector: usize, mut told: impl FnMut(usize, u32)) {
    let body = |number: usize| &bytes[number * sector + CHECKSUM..(number + 1) * sector];
    let sectors = bytes.len() / sector;
    let abreast = sectors / ABREAST * ABREAST;
    for first in (0..abreast).step_by(ABREAST) {
        let sums = crc32c_of_each::<ABREAST>(std::array::from_fn(|number| body(first + number)));
        (first..).zip(sums).for_each(|(number, sum)| told(number, sum));
    }
    (abreast..sectors).for_each(|number| told(number, crc32c(body(number))));
}

/// Puts the checksum into each sector. `sums` is room for them.
pub fn seal(bytes: &mut [u8], sector: usize, sums: &mut Vec<u32>) {
    sums.clear();
    checksums(bytes, sector, |_, sum| sums.push(sum));
    for (bytes, sum) in bytes.chunks_exact_mut(sector).zip(sums) {
        bytes[..CHECKSUM].copy_from_slice(&sum.to_le_bytes());
    }
}

/// Of each sector whether its checksum fits.
pub fn intact(bytes: &[u8], sector: usize, fits: &mut Vec<bool>) {
    fits.clear();
    checksums(bytes, sector, |number, sum| {
        fits.push(bytes[number * sector..].starts_with(&sum.to_le_bytes()))
    });
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

    fn sealed(sectors: usize, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; sectors * length];
        for (number, sector) in bytes.chunks_exact_mut(length).enumerate() {
            SectorStamp { index: number as u32, ..STAMP }.fill(sector);
        }
        seal(&mut bytes, length, &mut Vec::new());
        bytes
    }

    #[test]
    fn a_sector_has_its_stamp_and_a_checksum_over_every_bit() {
        for (sectors, length) in [(1, 512), (4, 512), (9, 512), (5, 4096)] {
            let mut bytes = sealed(sectors, length);
            let mut fits = Vec::new();
            intact(&bytes, length, &mut fits);
            assert_eq!(fits, vec![true; sectors]);
            let stamps: Vec<u32> =
                bytes.chunks(length).map(|sector| SectorStamp::of(sector).unwrap().index).collect();
            assert_eq!(stamps, (0..sectors as u32).collect::<Vec<_>>());
            for bit in [0, 31, 32, 500, 8 * length - 1] {
                let at = (sectors - 1) * length + bit / 8;
                bytes[at] ^= 1 << (bit % 8);
                intact(&bytes, length, &mut fits);
                assert_eq!(fits.iter().position(|fits| !fits), Some(sectors - 1), "bit {bit}");
                bytes[at] ^= 1 << (bit % 8);
            }
        }
    }

    #[test]
    fn the_format_is_the_one_that_is_documented() {
        let bytes = sealed(2, 512);
        let stamp = &bytes[512..568];
        assert_eq!(&stamp[4..8], b"DSV1");
        assert_eq!(stamp[8..16], 0x0123_4567_89ab_cdefu64.to_le_bytes());
        let numbers: Vec<u8> = [16, 24, 32, 36, 40, 48, 52].map(|at: usize| stamp[at]).to_vec();
        assert_eq!(numbers, [0, 7, 2, 5, 99, 1, 3]);
        assert_eq!(stamp[..4], crc32c(&bytes[516..]).to_le_bytes());
    }

    #[test]
    fn every_version_of_a_place_differs_in_all_of_its_words() {
        let versions = [6, 7].map(|generation| {
            let mut sector = [0; 512];
            SectorStamp { generation, ..STAMP }.fill(&mut sector);
            sector
        });
        let [before, after] = versions.each_ref().map(|sector| sector[LENGTH..].chunks(8));
        assert!(before.zip(after).all(|(before, after)| before != after));
    }

    #[test]
    fn a_write_reaches_as_far_as_its_sectors() {
        let reach = |offset| STAMP.write_covers(offset, 512);
        assert_eq!(
            [0, 512, 1024, 2047, 2048, 2560, 3072].map(reach),
            [false, false, true, true, true, false, false]
        );
    }

    #[test]
    fn what_has_no_stamp_is_told() {
        assert!(
            [&[0; 512][..], &[0xff; 512], b"", &sealed(1, 512)[..LENGTH - 1]]
                .iter()
                .all(|bytes| SectorStamp::of(bytes).is_none())
        );
    }
}
