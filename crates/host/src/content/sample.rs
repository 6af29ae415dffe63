//! Blocks read here and there, past the page cache.

use super::estimate::{compressed_size, fingerprint, is_zero};
use super::{Order, Sample, open};
use diskspd_sys::anchor::Location;
use diskspd_sys::clock::{self, Nanos};
use diskspd_sys::extents::{ExtentPiece, PieceKind};
use diskspd_sys::memory::Buffer;
use rustix::fs::{Advice, OFlags};
use std::collections::HashSet;
use std::fs::File;
use std::num::NonZero;
use std::os::unix::fs::FileExt;

/// Number of blocks in a sample. With 128, a share of 10 % is estimated as 5 to 16 % (95 % confidence),
/// and a share of 50 % never as a third.
const BLOCKS: u64 = 128;
/// Bytes of a sampled block, unless the device has larger logical blocks.
const BLOCK: u64 = 4096;

/// Reads at least one block between `order.from` and `to` until the deadline, skipping holes. `None` if no
/// block can be read.
pub(super) fn take(
    order: &Order,
    cached: &File,
    to: u64,
    gaps: &[ExtentPiece],
    until: Nanos,
) -> Option<Sample> {
    let block = BLOCK.max(order.direct.into());
    let mut direct = match order.direct {
        0 => None,
        _ => open(order.located.access_path(), OFlags::DIRECT),
    };
    // Through the cache nothing is read ahead.
    let _ = rustix::fs::fadvise(cached, 0, None, Advice::Random);
    let mut buffer = Buffer::new(usize::try_from(block).ok()?).ok()?;
    let mut sample = Sample { block_size: block, direct: direct.is_some(), ..Sample::default() };
    let mut seen = HashSet::new();
    for offset in sample_offsets(order.from, to, block) {
        let gap = gap_at(gaps, offset);
        if gap == Some(PieceKind::Hole) {
            continue;
        }
        let bytes = buffer.as_mut_slice();
        let read = match direct.as_ref().map(|file| file.read_at(bytes, offset)) {
            Some(Ok(read)) => Some(read),
            // It claimed support without having it (file systems in user space); the cache always works.
            Some(Err(_)) | None => {
                (direct, sample.direct) = (None, false);
                let read = cached.read_at(bytes, offset).ok();
                // Pages that were not cached before must not stay.
                let _ = rustix::fs::fadvise(cached, offset, NonZero::new(block), Advice::DontNeed);
                read
            }
        };
        if let Some(block) = read.and_then(|read| bytes.get(..read)).filter(|block| !block.is_empty()) {
            add(&mut sample, block, gap.is_some(), &mut seen);
        }
        if clock::monotonic() >= until {
            break;
        }
    }
    (sample.blocks + sample.unwritten > 0).then_some(sample)
}

fn add(sample: &mut Sample, block: &[u8], unwritten: bool, seen: &mut HashSet<u64>) {
    let zero = is_zero(block);
    if unwritten {
        sample.unwritten += 1;
        sample.unwritten_zeros += u64::from(zero);
        return;
    }
    sample.blocks += 1;
    sample.zeros += u64::from(zero);
    if !zero {
        sample.duplicates += u64::from(!seen.insert(fingerprint(block)));
        // The last block of a file may be a short one: as if it were whole.
        sample.compressed += compressed_size(block) as u64 * sample.block_size / block.len() as u64;
    }
}

fn gap_at(gaps: &[ExtentPiece], offset: u64) -> Option<PieceKind> {
    let before = gaps.partition_point(|gap| gap.from <= offset);
    gaps.get(before.checked_sub(1)?).filter(|gap| offset < gap.to).map(|gap| gap.kind)
}

/// Offsets of sampled blocks: one in each of equal parts, at an irregular position, because contents may
/// follow a pattern. In an order in which the first few are distributed as evenly as all.
fn sample_offsets(from: u64, to: u64, block: u64) -> Vec<u64> {
    let first = from.div_ceil(block);
    let end = (to / block).max(first);
    let blocks = end - first;
    if blocks == 0 {
        return vec![from / block * block];
    }
    let count = blocks.min(BLOCKS);
    let step = (1..count).rev().find(|step| step * 8 <= count * 5 && common_divisor(*step, count) == 1);
    (0..count)
        .map(|turn| turn * step.unwrap_or(1) % count)
        .map(|part| {
            let begin = u128::from(part) * u128::from(blocks) / u128::from(count);
            let end = (u128::from(part) + 1) * u128::from(blocks) / u128::from(count);
            let width = (end - begin).max(1) as u64;
            (first + begin as u64 + scatter(part) % width) * block
        })
        .collect()
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// Returns a reproducible pseudo-random number for a part, so that repeated checks agree.
fn scatter(part: u64) -> u64 {
    let mixed = (part + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_covers_range_with_distinct_blocks() {
        for (from, to) in
            [(0, 4096), (0, 10 << 20), (12288, 1 << 40), (1 << 20, (1 << 20) + 8 * 4096), (0, 129 * 4096)]
        {
            let offsets = sample_offsets(from, to, 4096);
            let mut sorted = offsets.clone();
            sorted.sort_unstable();
            sorted.dedup();
            let blocks = (to - from) / 4096;
            assert_eq!(sorted.len() as u64, blocks.min(BLOCKS), "{from} to {to}");
            assert!(sorted.iter().all(|at| at % 4096 == 0 && *at >= from && at + 4096 <= to));
            for (part, at) in sorted.iter().enumerate() {
                let share = (to - from) as u128 * part as u128 / sorted.len() as u128;
                assert!(u128::from(*at) + 4096 > u128::from(from) + share, "{from} to {to}: part {part}");
            }
        }
        assert_eq!(sample_offsets(100, 200, 4096), [0], "less than a block");
    }

    #[test]
    fn first_samples_are_spread_over_range() {
        let first: Vec<u64> =
            sample_offsets(0, 128 << 20, 4096).into_iter().take(8).map(|at| at >> 24).collect();
        let halves = first.iter().filter(|eighth| **eighth < 4).count();
        assert!((3..=5).contains(&halves), "{first:?}");
    }

    #[test]
    fn sample_finds_gap_of_an_offset() {
        let gap = ExtentPiece::new;
        let gaps = [gap(0, 4096, PieceKind::Hole), gap(8192, 16384, PieceKind::Unwritten)];
        for (offset, expected) in [
            (0, Some(PieceKind::Hole)),
            (4095, Some(PieceKind::Hole)),
            (4096, None),
            (8192, Some(PieceKind::Unwritten)),
            (16384, None),
        ] {
            assert_eq!(gap_at(&gaps, offset), expected, "{offset}");
        }
        assert_eq!(gap_at(&[], 0), None);
    }

    #[test]
    fn blocks_are_counted_by_content() {
        let mut sample = Sample { block_size: 4096, ..Sample::default() };
        let mut seen = HashSet::new();
        for (byte, unwritten) in [(0, false), (1, false), (1, false), (2, false), (0, true), (3, true)] {
            add(&mut sample, &[byte; 4096], unwritten, &mut seen);
        }
        assert_eq!((sample.blocks, sample.zeros, sample.duplicates), (4, 1, 1));
        assert_eq!((sample.unwritten, sample.unwritten_zeros), (2, 1));
        assert!(sample.compressed > 0 && sample.compressed < 100);
    }
}
