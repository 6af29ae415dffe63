//! Content of an existing file from a sample of its blocks. Zeros cannot replace data, because many
//! devices and everything that compresses return them without accessing the medium.

use diskspd_host::content::estimate::is_zero;
use diskspd_sys::memory::Buffer;
use diskspd_sys::{page_cache, positioned};
use std::fs::File;
use std::io;
use std::path::Path;

/// Number of sampled blocks: the first, the last, and others evenly between them.
const BLOCKS: u64 = 16;
/// Bytes of each block.
const BLOCK: u64 = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileSample {
    blocks: u64,
    zeros: u64,
}

impl FileSample {
    /// Whether the file contains data instead of requested zeros, or zeros instead of requested data.
    ///
    /// A run with writes replaces the content of `-c` with other data or scattered zeros, which does not
    /// require rewriting.
    pub(super) fn contradicts(&self, zeros_ordered: bool) -> bool {
        match zeros_ordered {
            true => self.zeros < self.blocks,
            false => self.zeros > 0 && 2 * self.zeros >= self.blocks,
        }
    }
}

/// Reads blocks of a file through the page cache, because unwritten data also counts. It disables
/// readahead.
pub(super) fn take(path: &Path, size: u64) -> io::Result<FileSample> {
    let file = File::open(path)?;
    page_cache::read_nothing_ahead(&file);
    let mut block = Buffer::new(BLOCK as usize)?;
    let mut sample = FileSample { blocks: 0, zeros: 0 };
    for offset in sample_offsets(size) {
        let length = BLOCK.min(size - offset) as usize;
        let Some(bytes) = block.as_mut_slice().get_mut(..length) else { continue };
        positioned::read_exact(&file, bytes, offset)?;
        // Blocks of the pattern begin with a zero: alone, it tells nothing.
        if length == 1 {
            continue;
        }
        sample.blocks += 1;
        sample.zeros += u64::from(is_zero(bytes));
    }
    Ok(sample)
}

fn sample_offsets(size: u64) -> impl Iterator<Item = u64> {
    let blocks = size.div_ceil(BLOCK);
    let (count, last) = (blocks.min(BLOCKS), blocks.saturating_sub(1));
    (0..count)
        .map(move |turn| (u128::from(last) * u128::from(turn) / u128::from(count.max(2) - 1)) as u64 * BLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_includes_first_last_and_middle_blocks() {
        let at = |size| sample_offsets(size).collect::<Vec<_>>();
        assert!(at(0).is_empty());
        assert_eq!(at(1), [0]);
        assert_eq!(at(4097), [0, 4096]);
        assert_eq!(at(BLOCKS * BLOCK), (0..BLOCKS).map(|block| block * BLOCK).collect::<Vec<_>>());
        for size in [100 * BLOCK, (1 << 40) + 5, i64::MAX as u64] {
            let offsets = at(size);
            assert_eq!(offsets.len() as u64, BLOCKS);
            assert_eq!((offsets[0], offsets[15]), (0, (size - 1) / BLOCK * BLOCK));
            assert!(offsets.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn sample_finds_zeros_for_data_and_data_for_zeros() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let size = 64 * BLOCK;
        // How many of the blocks are data; whether that contradicts an order of zeros, and one of data.
        for (data, zeros_ordered, data_ordered) in
            [(0, false, true), (1, true, true), (31, true, true), (40, true, false), (64, true, false)]
        {
            let mut content = vec![1; (data * BLOCK) as usize];
            content.resize(size as usize, 0);
            std::fs::write(&path, content).unwrap();
            let sample = take(&path, size).unwrap();
            assert_eq!(sample.blocks, BLOCKS);
            assert_eq!(
                (sample.contradicts(true), sample.contradicts(false)),
                (zeros_ordered, data_ordered),
                "{data} of 64: {sample:?}"
            );
        }
        take(&path, size + 1).unwrap_err();
        let nothing = take(&path, 0).unwrap();
        assert!(!nothing.contradicts(true) && !nothing.contradicts(false));
        // The pattern in one byte more than a block, and in a single one.
        let content: Vec<u8> = (0..=BLOCK).map(|at| at as u8).collect();
        for size in [1, BLOCK + 1] {
            std::fs::write(&path, &content[..size as usize]).unwrap();
            assert!(!take(&path, size).unwrap().contradicts(false), "{size}");
        }
    }
}
