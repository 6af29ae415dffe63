//! The logarithmic latency scale used by all histograms.

/// Logarithmic scale in units of `2^UNIT` ns, with `2^PRECISION` cells of equal width per octave. Below
/// `2^(PRECISION + 1)` units every unit has a separate cell. Values from `2^RANGE` ns are in the last
/// cell, which is unbounded.
///
/// The width of a cell is at most the `2^PRECISION`th part of its values, so its middle is off by at most
/// half of that.
#[derive(Debug)]
pub struct Scale<const PRECISION: u32, const UNIT: u32, const RANGE: u32>;

impl<const PRECISION: u32, const UNIT: u32, const RANGE: u32> Scale<PRECISION, UNIT, RANGE> {
    pub const CELLS: usize = ((RANGE - UNIT - PRECISION + 1) << PRECISION) as usize;

    /// The cell of a value. `shift` is the number of ignored low bits of `units`. The cell is `(shift <<
    /// PRECISION) + (units >> shift)`: the second term is below `2^(PRECISION + 1)`, and at least half of
    /// that if `shift` is not 0.
    #[inline]
    pub fn cell(nanos: u64) -> usize {
        let units = nanos >> UNIT;
        let shift = (63 - PRECISION) - (units | (1 << PRECISION)).leading_zeros();
        (((shift as usize) << PRECISION) + (units >> shift) as usize).min(Self::CELLS - 1)
    }

    /// Returns the smallest value of a cell; for the index after the last cell, its nominal end.
    pub fn first(cell: usize) -> u64 {
        let shift = bucket_shift::<PRECISION>(cell);
        ((cell - (shift << PRECISION)) as u64) << (shift as u32 + UNIT)
    }

    /// Returns the number of values in a cell; for the unbounded last cell, its nominal width.
    pub fn width(cell: usize) -> u64 {
        1 << (bucket_shift::<PRECISION>(cell) as u32 + UNIT)
    }
}

fn bucket_shift<const PRECISION: u32>(cell: usize) -> usize {
    (cell >> PRECISION).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_tiles<const PRECISION: u32, const UNIT: u32, const RANGE: u32>() {
        type S<const P: u32, const U: u32, const R: u32> = Scale<P, U, R>;
        let mut next = 0u64;
        for cell in 0..S::<PRECISION, UNIT, RANGE>::CELLS {
            let first = S::<PRECISION, UNIT, RANGE>::first(cell);
            let last = first + (S::<PRECISION, UNIT, RANGE>::width(cell) - 1);
            assert_eq!(first, next, "cell {cell}");
            assert_eq!(S::<PRECISION, UNIT, RANGE>::cell(first), cell);
            assert_eq!(S::<PRECISION, UNIT, RANGE>::cell(last), cell);
            // The width is at most the `2^PRECISION`th part.
            assert!((last - first) >> UNIT <= (first >> UNIT) >> PRECISION, "cell {cell}");
            next = last.wrapping_add(1);
        }
        assert_eq!(next, if RANGE == 64 { 0 } else { 1 << RANGE }, "the last cell ends with the range");
        assert_eq!(S::<PRECISION, UNIT, RANGE>::cell(u64::MAX), S::<PRECISION, UNIT, RANGE>::CELLS - 1);
    }

    #[test]
    fn cells_are_contiguous() {
        check_tiles::<9, 0, 40>();
        check_tiles::<6, 5, 40>();
        check_tiles::<5, 0, 64>();
        check_tiles::<2, 3, 10>();
    }
}
