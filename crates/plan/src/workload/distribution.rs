//! Effective distributions: the user's ranges (`-rd`) laid out on the bytes of a target.

use super::Grid;
use diskspd_profile::{Distribution, DistributionKind};
use diskspd_results::EffectiveRange;

/// Lays a distribution out on a target. The ranges are in target order, without gaps in I/O points. Each
/// `io_base` is the end of the I/O points before, and draws are modulo the sum of all spans.
///
/// Empty if no range is within the target; positions are then uniform over all of it.
pub fn effective_ranges(distribution: &Distribution, grid: &Grid) -> Vec<EffectiveRange> {
    match distribution.kind {
        DistributionKind::Percent => percent_ranges(distribution, grid),
        DistributionKind::Absolute => absolute_ranges(distribution, grid),
    }
}

/// Range of the distribution, with the sums of the previous ranges.
struct StatedRange {
    io_base: u32,
    /// Percentage points of I/O; 0 = a gap.
    io_span: u32,
    /// Start in the unit of the distribution.
    start: u64,
    /// Length in the unit of the distribution.
    extent: u64,
}

/// Returns the ranges with cumulative I/O points and starts, without gaps.
fn stated_ranges(distribution: &Distribution) -> impl Iterator<Item = StatedRange> + '_ {
    let (mut io_base, mut start) = (0u32, 0u64);
    distribution
        .ranges
        .iter()
        .map(move |range| {
            let stated = StatedRange { io_base, io_span: range.io, start, extent: range.span };
            io_base = io_base.saturating_add(range.io);
            start = start.saturating_add(range.span);
            stated
        })
        .filter(|range| range.io_span > 0)
}

/// Maps every I/O point to a position of the grid. A range too small for a position is merged with the
/// neighbour with fewer I/O points. No two ranges start at the same position.
///
/// DISKSPD differs: here I/O points of several adjacent small ranges add up. A range that ends at its
/// start gets the length of one position.
fn percent_ranges(distribution: &Distribution, grid: &Grid) -> Vec<EffectiveRange> {
    let size = grid.aligned_size();
    let share = |percent: u64| (u128::from(percent) * u128::from(size) / 100).min(u128::from(size)) as u64;
    let mut out: Vec<EffectiveRange> = Vec::with_capacity(distribution.ranges.len());
    // I/O points of ranges without a position that go to the next range, and the position before the last
    // of them.
    let (mut carry, mut nearest) = (0, 0);

    for range in stated_ranges(distribution) {
        let first_byte = share(range.start);
        let to_the_end = range.start.saturating_add(range.extent) >= 100;
        let end = if to_the_end { size } else { first_byte.saturating_add(share(range.extent)).min(size) };
        let end = grid.round_down(end);

        if end < first_byte {
            match out.last_mut() {
                Some(last) if last.start == end => last.io_span += range.io_span,
                _ => (carry, nearest) = (carry + range.io_span, end),
            }
            continue;
        }

        let mut start = grid.round_down(first_byte);
        if let Some(last) = out.last_mut()
            && start < end
            && last.start == start
        {
            // The position is taken: leave it to the range before, which is no longer than that.
            start += grid.stride;
            last.length += grid.stride;
            if start == size {
                carry += range.io_span;
                continue;
            }
            if start == end {
                last.io_span += range.io_span;
                continue;
            }
        }
        if let Some(last) = out.last_mut()
            && last.io_span < range.io_span
        {
            last.io_span += carry;
            carry = 0;
        }
        out.push(EffectiveRange {
            io_base: range.io_base - carry,
            io_span: range.io_span + carry,
            start,
            length: end - start,
        });
        carry = 0;
    }

    if carry > 0 {
        match out.last_mut() {
            Some(last) => {
                last.io_span += carry;
                last.length = size - last.start;
            }
            // Holes all around.
            None => out.push(EffectiveRange { io_base: 0, io_span: carry, start: nearest, length: 0 }),
        }
    }
    for range in out.iter_mut().filter(|range| range.length == 0) {
        range.length = grid.stride;
    }
    out
}

/// Ranges as stated, without alignment; those beyond the end are left out, which leaves the others their
/// proportions.
fn absolute_ranges(distribution: &Distribution, grid: &Grid) -> Vec<EffectiveRange> {
    let mut out = Vec::with_capacity(distribution.ranges.len());
    for range in stated_ranges(distribution) {
        let Some(room) = grid.region.checked_sub(range.start).filter(|&room| room > 0) else { break };
        let cut = range.extent == 0 || range.extent > room;
        if cut && room < u64::from(grid.block_size) {
            break;
        }
        out.push(EffectiveRange {
            io_base: range.io_base,
            io_span: range.io_span,
            start: range.start,
            length: if cut { room } else { range.extent },
        });
    }
    out
}
