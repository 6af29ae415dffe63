//! The completed blocks of a thread on a target (`--each-once`).

/// A bit for each block, and one level up for each 64 bits whether all are set. The next free block is
/// therefore found in a few steps, even if few are left.
#[derive(Debug)]
pub(super) struct BlockMap {
    unit: u64,
    /// Number of blocks, at least 1.
    blocks: u64,
    /// Number of remaining blocks; never 0 between two I/Os.
    left: u64,
    /// Levels from the blocks up; the last level is a single word. Bits past the end are set.
    levels: Vec<Vec<u64>>,
}

const BITS: u64 = u64::BITS as u64;

impl BlockMap {
    /// Creates a map of this number of free blocks of `unit` bytes.
    pub(super) fn new(blocks: u64, unit: u64) -> BlockMap {
        let blocks = blocks.max(1);
        let mut levels = Vec::new();
        let mut bits = blocks;
        loop {
            let words = bits.div_ceil(BITS);
            levels.push(vec![0; words as usize]);
            bits = words;
            if words == 1 {
                break;
            }
        }
        let mut map = BlockMap { unit, blocks, left: 0, levels };
        map.clear_blocks();
        map
    }

    /// Returns the memory in bytes of a map of this number of blocks.
    pub(super) fn bytes(blocks: u64) -> u64 {
        let (mut bits, mut bytes) = (blocks.max(1), 0u64);
        loop {
            let words = bits.div_ceil(BITS);
            bytes = bytes.saturating_add(words.saturating_mul(8));
            if words == 1 {
                return bytes;
            }
            bits = words;
        }
    }

    /// Marks all blocks as free.
    fn clear_blocks(&mut self) {
        let mut bits = self.blocks;
        for level in &mut self.levels {
            level.fill(0);
            let behind = bits % BITS;
            if let Some(last) = level.last_mut().filter(|_| behind > 0) {
                *last = !0 << behind;
            }
            bits = level.len() as u64;
        }
        self.left = self.blocks;
    }

    /// Returns the position and length of an I/O at the first free block from here on, wrapping around the
    /// end. It ends before the next completed block, and its blocks count as completed. If no blocks are
    /// left, all become free again.
    // Targets without a map have its code out of the way.
    #[inline(never)]
    pub(super) fn take(&mut self, position: u64, length: u32) -> (u64, u32) {
        let wanted = (position / self.unit).min(self.blocks - 1);
        let first = self.next_left(wanted).or_else(|| self.next_left(0)).unwrap_or(0);
        let count = u64::from(length).div_ceil(self.unit).max(1);
        let mut taken = 0;
        while taken < count && first + taken < self.blocks && self.set(first + taken) {
            taken += 1;
        }
        self.left -= taken;
        if self.left == 0 {
            self.clear_blocks();
        }
        // A product that is smaller than a 32-bit number is one itself.
        let bytes = taken.saturating_mul(self.unit).min(length.into()) as u32;
        (first * self.unit, bytes)
    }

    /// Marks a block as done; returns whether it was free.
    fn set(&mut self, block: u64) -> bool {
        let mut index = block;
        for (number, level) in self.levels.iter_mut().enumerate() {
            let (word, bit) = (&mut level[(index / BITS) as usize], 1 << (index % BITS));
            if number == 0 && *word & bit != 0 {
                return false;
            }
            *word |= bit;
            if *word != !0 {
                break;
            }
            index /= BITS;
        }
        true
    }

    /// The first block from this one on that was not yet accessed; `None` = none up to the end.
    fn next_left(&self, from: u64) -> Option<u64> {
        // Up, until a word has a bit that is left at the place or behind it; then down to the block.
        let (mut number, mut index) = (0, from);
        let found = loop {
            let level = self.levels.get(number)?;
            let word = level.get((index / BITS) as usize)?;
            let left = !word & (!0 << (index % BITS));
            if left != 0 {
                break index - index % BITS + u64::from(left.trailing_zeros());
            }
            (number, index) = (number + 1, index / BITS + 1);
        };
        let down = self.levels.get(..number)?.iter().rev();
        Some(
            down.fold(found, |word, level| word * BITS + u64::from((!level[word as usize]).trailing_zeros())),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn draw_slowly(done: &mut BTreeSet<u64>, blocks: u64, from: u64, count: u64) -> (u64, u64) {
        let mut all = (from..blocks).chain(0..from);
        let first = all.find(|block| !done.contains(block)).unwrap();
        let taken = (first..blocks.min(first + count)).take_while(|block| !done.contains(block)).count();
        done.extend(first..first + taken as u64);
        if done.len() as u64 == blocks {
            done.clear();
        }
        (first, taken as u64)
    }

    #[test]
    fn map_of_one_block_repeats_it() {
        let mut map = BlockMap::new(1, 4096);
        assert_eq!(
            [map.take(0, 4096), map.take(0, 65536), map.take(9999, 512)],
            [(0, 4096), (0, 4096), (0, 512)]
        );
    }

    #[test]
    fn memory_estimate_matches_usage() {
        for blocks in [1, 64, 65, 4096, 4097, 300_000] {
            let words: usize = BlockMap::new(blocks, 1).levels.iter().map(Vec::len).sum();
            assert_eq!(BlockMap::bytes(blocks), words as u64 * 8, "{blocks}");
        }
        assert_eq!(BlockMap::bytes(1 << 28) >> 20, 32, "a TiB in blocks of 4 KiB");
    }

    proptest! {
        #[test]
        fn block_map_matches_a_plain_set(
            blocks in prop_oneof![1u64..200, Just(64), Just(4096), 4000u64..4200],
            asked in proptest::collection::vec((any::<u64>(), 1u64..40), 1..600),
        ) {
            let (mut map, mut done) = (BlockMap::new(blocks, 512), BTreeSet::new());
            for (from, count) in asked {
                let from = from % blocks;
                let (first, taken) = draw_slowly(&mut done, blocks, from, count);
                prop_assert_eq!(map.take(from * 512, count as u32 * 512), (first * 512, taken as u32 * 512));
                prop_assert_eq!(map.left, blocks - done.len() as u64);
            }
        }
    }
}
