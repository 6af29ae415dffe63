//! Drawing random positions.

use super::spread::SpreadTable;
use super::{Grid, Modulus, Random, TargetWorkload};
use diskspd_profile::DistributionKind;
use diskspd_results::EffectiveRange;

/// Source of the random positions of a thread on a target.
#[derive(Debug)]
pub(super) struct Positions {
    stride: Modulus,
    places: PositionSource,
}

#[derive(Debug)]
enum PositionSource {
    /// Uniformly distributed positions of the grid.
    Uniform(Modulus),
    /// Positions by the ranges of a distribution. Boxed, so that the common case stays small.
    Ranges(Box<Ranges>),
    Table(Box<SpreadTable>),
}

/// Generator of uniformly distributed positions of the grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Uniform {
    stride: Modulus,
    size: Modulus,
    /// Mask of the possible bits if stride and size are powers of two, otherwise 0.
    mask: u64,
}

impl Uniform {
    fn new(stride: Modulus, size: Modulus) -> Uniform {
        let masks = stride.power_mask().zip(size.power_mask());
        let mask = masks.map_or(0, |(within_stride, within_size)| within_size & !within_stride);
        Uniform { stride, size, mask }
    }

    /// Whether [`Uniform::draw`] works without a division.
    #[inline(always)]
    pub(super) fn is_masked(&self) -> bool {
        self.mask != 0
    }

    #[inline(always)]
    pub(super) fn draw(&self, masked: bool, random: &mut Random) -> u64 {
        let number = random.next_u64();
        let position = match masked {
            false => self.size.reduce(self.stride.round_down(number)),
            true => number & self.mask,
        };
        debug_assert_eq!(self.stride.reduce(position), 0, "{position} is on the grid");
        position
    }
}

#[derive(Debug)]
struct Ranges {
    ranges: Vec<Range>,
    /// The range of each I/O point, an index into `ranges`: one look instead of a search that mispredicts.
    by_point: Vec<u8>,
    points: Modulus,
}

#[derive(Debug)]
struct Range {
    start: u64,
    length: Modulus,
    /// Last usable position.
    limit: u64,
}

impl Positions {
    /// Returns all positions of the grid, or the positions selected by a distribution. Also returns its
    /// effective ranges; empty without a distribution, or if the target ends before its first range.
    pub(super) fn new(workload: &TargetWorkload, grid: &Grid) -> (Positions, Vec<EffectiveRange>) {
        let stride = Modulus::new(grid.stride);
        if let Some(spread) = workload.spread {
            let places = PositionSource::Table(Box::new(SpreadTable::new(spread, grid)));
            return (Positions { stride, places }, Vec::new());
        }
        let distribution = workload.distribution.as_ref();
        let effective = distribution.map(|d| super::effective_ranges(d, grid)).unwrap_or_default();
        let places = match distribution {
            Some(distribution) if !effective.is_empty() => {
                PositionSource::Ranges(Box::new(Ranges::new(distribution.kind, &effective, grid)))
            }
            _ => PositionSource::Uniform(Modulus::new(grid.aligned_size())),
        };
        (Positions { stride, places }, effective)
    }

    /// Returns the uniform generator; `None` = a distribution is used.
    #[inline]
    pub(super) fn uniform(&self) -> Option<Uniform> {
        match &self.places {
            PositionSource::Uniform(size) => Some(Uniform::new(self.stride, *size)),
            PositionSource::Ranges(_) | PositionSource::Table(_) => None,
        }
    }

    /// Draws a position relative to the base offset: one number, and a second one to choose the range of a
    /// distribution.
    #[inline(always)]
    pub(super) fn draw(&self, random: &mut Random) -> u64 {
        match &self.places {
            PositionSource::Uniform(size) => size.reduce(self.stride.round_down(random.next_u64())),
            PositionSource::Ranges(ranges) => {
                ranges.draw_place(self.stride.round_down(random.next_u64()), random)
            }
            PositionSource::Table(table) => table.draw(random),
        }
    }

    pub(super) fn moves(&self) -> bool {
        matches!(&self.places, PositionSource::Table(table) if table.moves())
    }

    /// Sets the elapsed time since the start in ns.
    pub(super) fn move_to(&mut self, elapsed: u64) {
        if let PositionSource::Table(table) = &mut self.places {
            table.move_to(elapsed);
        }
    }
}

impl Ranges {
    /// Returns the position of an aligned number in the range that the next number chooses.
    // Kept out of the loop that draws without a distribution.
    #[inline(never)]
    fn draw_place(&self, aligned: u64, random: &mut Random) -> u64 {
        let point = self.points.reduce(random.next_u64());
        let range = &self.ranges[usize::from(self.by_point[point as usize])];
        (range.start + range.length.reduce(aligned)).min(range.limit)
    }

    fn new(kind: DistributionKind, effective: &[EffectiveRange], grid: &Grid) -> Ranges {
        let mut ranges: Vec<Range> = effective
            .iter()
            .map(|range| Range { start: range.start, length: Modulus::new(range.length), limit: u64::MAX })
            .collect();
        // The bytes of an absolute range are the user's and need not fit the grid: a position near the end
        // of the last one would let an I/O run over the end of the region. DISKSPD lets it.
        if kind == DistributionKind::Absolute
            && let Some(last) = ranges.last_mut()
        {
            last.limit = last.start + grid.round_down(grid.limit().saturating_sub(last.start));
        }
        // A valid distribution has at most 100 points, so that an index fits into a byte.
        let by_point: Vec<u8> = (0u8..=u8::MAX)
            .zip(effective)
            .flat_map(|(index, range)| std::iter::repeat_n(index, range.io_span as usize))
            .collect();
        let points = Modulus::new(by_point.len() as u64);
        Ranges { ranges, by_point, points }
    }
}
