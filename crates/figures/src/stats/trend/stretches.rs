//! Duration of levels: a lasting level is longer than bursts, and than similar earlier stretches that ended.

use crate::stats::segments::Sums;
use std::ops::Range;

/// Minimum length of a level, in multiples of the longest similar stretch within its neighbour.
const MIN_LENGTH_RATIO: usize = 4;
/// A run is like the other level when it lies so far on the way to it.
const TRANSITION_SHARE: f64 = 1.0 / 3.0;
/// Maximum length of a finished burst, in multiples of the logarithm of the runs. It is a level between
/// two levels on the same side. The longest of many bursts grows with the logarithm.
const MAX_BURST: f64 = 4.0;

pub(super) fn last(values: &[f64], sums: &Sums, levels: &[Range<usize>]) -> bool {
    let mean = |level: &Range<usize>| sums.mean(level.clone());
    let neighbours = levels.windows(2).all(|pair| {
        let (before, behind) = (&pair[0], &pair[1]);
        let within = |level: &Range<usize>, other: &Range<usize>| {
            other.len() >= MIN_LENGTH_RATIO * longest_like(&values[level.clone()], mean(level), mean(other))
        };
        within(before, behind) && within(behind, before)
    });
    let longest_burst = MAX_BURST * (values.len() as f64).ln();
    let bursts = levels.windows(3).any(|three| {
        let back = (mean(&three[1]) - mean(&three[0])) * (mean(&three[2]) - mean(&three[1])) < 0.0;
        back && (three[1].len() as f64) < longest_burst
    });
    neighbours && !bursts
}

/// Returns the longest sequence of runs that resemble another level.
fn longest_like(values: &[f64], own: f64, other: f64) -> usize {
    let is_like = |value: &f64| (value - own) / (other - own) > TRANSITION_SHARE;
    values.split(|value| !is_like(value)).map(<[f64]>::len).max().unwrap_or(0)
}
