//! Content of writes that can be reduced to a stated part (`--compress`, `--dedupe`).

use super::Random;
use diskspd_profile::ContentShape;

/// Minimum number of random bytes at the beginning of a unit, so that two units always differ.
const MIN_RANDOM_BYTES: usize = 32;
/// Distance in new units between a unit and its nearest repetition, and the number of candidates for it. 4
/// MiB exceed the default window of compressors, so that they save only the share of `--compress`. 8 MiB
/// less than deduplication remembers.
const SIZE_STEP: u64 = 1024;
const CHOICE: u64 = 1024;

/// Content that a thread writes to a target, in units of [`ContentShape::UNIT`] bytes.
///
/// It has a separate generator, so addresses and directions do not depend on it.
#[derive(Debug, Clone)]
pub struct ReducibleContent {
    /// Upper bound of random numbers that select a repeated unit.
    repeats: u64,
    random_percent: usize,
    choices: Random,
    /// Seed that distinguishes the units of threads and targets.
    seed: u64,
    /// Number of unique units so far.
    new: u64,
}

/// Content of a unit: random bytes from this generator, then zeros.
#[derive(Debug, Clone)]
pub struct Unit {
    pub random: Random,
    /// Number of random bytes at the beginning of the unit.
    pub random_bytes: usize,
}

impl ReducibleContent {
    /// Creates the content for the thread with this seed on its target number `target`.
    pub fn new(shape: ContentShape, seed: u64, target: usize) -> ReducibleContent {
        let mut choices = Random::new(CONTENT ^ (seed << 16) ^ target as u64);
        let share = u64::MAX / 100 * u64::from(shape.dedupe.min(ContentShape::MAX_SHARE));
        ReducibleContent {
            repeats: share,
            random_percent: 100 - shape.compress.min(ContentShape::MAX_SHARE) as usize,
            seed: choices.next_u64(),
            choices,
            new: 0,
        }
    }

    #[inline]
    pub fn unit(&mut self, bytes: usize) -> Unit {
        let drawn = self.choices.next_u64();
        let number = if drawn < self.repeats {
            // Before the first unit the numbers are those of units that were never written.
            self.new.wrapping_sub(SIZE_STEP + drawn % CHOICE)
        } else {
            self.new += 1;
            self.new - 1
        };
        let random_bytes = (bytes * self.random_percent / 100).max(MIN_RANDOM_BYTES).min(bytes);
        Unit { random: Random::new(self.seed.wrapping_add(number)), random_bytes }
    }

    /// Fills a buffer with the content of one write.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        for bytes in buffer.chunks_mut(ContentShape::UNIT) {
            let Unit { mut random, random_bytes } = self.unit(bytes.len());
            let (head, tail) = bytes.split_at_mut(random_bytes);
            for piece in head.chunks_mut(Random::CHUNK) {
                piece.copy_from_slice(&random.next_chunk()[..piece.len()]);
            }
            tail.fill(0);
        }
    }
}

const CONTENT: u64 = u64::from_be_bytes(*b"contents");

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::DeflateEncoder};
    use std::collections::HashSet;
    use std::io::Write;

    fn compressed_size(bytes: &[u8]) -> usize {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap().len()
    }

    fn write_blocks(compress: u32, dedupe: u32, block: usize, writes: usize) -> Vec<Vec<u8>> {
        let mut content = ReducibleContent::new(ContentShape { compress, dedupe }, 1, 0);
        let write = |_| {
            let mut bytes = vec![0xee; block];
            content.fill(&mut bytes);
            bytes
        };
        (0..writes).map(write).collect()
    }

    #[test]
    fn compressor_saves_the_stated_share() {
        for (compress, dedupe) in [(0, 0), (25, 0), (60, 25), (60, 0), (90, 50), (99, 0)] {
            for block in [4096, 65536, 131_072] {
                let writes = write_blocks(compress, dedupe, block, (1 << 20) / block);
                let left: usize = writes.iter().map(|write| compressed_size(write)).sum();
                let saved = 100.0 - left as f64 * 100.0 / f64::from(1 << 20);
                let off = saved - f64::from(compress);
                // What a compressor takes for itself weighs more in small blocks.
                assert!((-2.5..=0.5).contains(&off), "--compress {compress}, {block}: {saved} % are saved");
            }
        }
        // Half of 512 bytes is little for a compressor that has to begin anew: deflate takes 55 of its own.
        let small = write_blocks(50, 0, 512, 2048);
        let left: usize = small.iter().map(|write| compressed_size(write)).sum();
        assert!((0.48..0.64).contains(&(left as f64 / f64::from(1 << 20))), "{left}");
    }

    #[test]
    fn stated_share_of_units_repeats_distant_units() {
        const UNITS: usize = 120_000;
        for dedupe in [0, 25, 50, 90] {
            // The first bytes of a unit tell it from all others.
            let mut content = ReducibleContent::new(ContentShape { compress: 60, dedupe }, 3, 1);
            let units: Vec<u64> = (0..UNITS).map(|_| content.unit(4096).random.next_u64()).collect();
            let distinct: HashSet<u64> = units.iter().copied().collect();
            let share = f64::from(dedupe) / 100.0;
            let expected = UNITS as f64 * share;
            // Repeats of what came before the first unit aren't repeats yet; five deviations.
            let slack =
                5.0 * (expected * (1.0 - share)).sqrt() + (SIZE_STEP + CHOICE) as f64 * share / (1.0 - share);
            let repeats = (UNITS - distinct.len()) as f64;
            assert!((repeats - expected).abs() <= slack, "--dedupe {dedupe}: {repeats} of {UNITS}");
            for window in units.chunks(SIZE_STEP as usize) {
                let mut once = HashSet::new();
                let again = window.iter().filter(|unit| !once.insert(**unit)).count();
                // Two units can repeat the same third one.
                assert!(again as f64 <= window.len() as f64 * share, "{again}");
            }
        }
    }

    #[test]
    fn threads_write_different_units_reproducibly() {
        let shape = ContentShape { compress: 10, dedupe: 0 };
        let of = |seed, target| {
            let mut bytes = vec![0; 3 * 4096 + 100];
            ReducibleContent::new(shape, seed, target).fill(&mut bytes);
            bytes
        };
        let all = [of(0, 0), of(1, 0), of(0, 1), of(1, 1), of(2, 0)];
        let units: HashSet<&[u8]> = all.iter().flat_map(|bytes| bytes.chunks(4096)).collect();
        assert_eq!(units.len(), 5 * 4);
        assert_eq!(of(1, 1), all[3]);
    }
}
