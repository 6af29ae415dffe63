//! The shift between two sets of values and its confidence. The method is distribution-free and robust to
//! outliers.
//!
//! The test and the interval are one procedure: the interval excludes 0 exactly if the test is
//! significant. Ties count against a shift. Values may be infinite (the logarithm of 0); the difference of
//! two infinities is undefined, and counts against every shift.

use super::super::median;
use super::law::RankLaw;

pub const CONFIDENCE: f64 = 0.95;

/// Shift in the unit of the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// Best estimate: the median of all contrasts (Hodges-Lehmann).
    pub estimate: f64,
    /// Interval of the true shift; `None` = too few values.
    pub interval: Option<(f64, f64)>,
    /// Actual confidence: at least the requested one, and more where ranks allow no less. 0 without an
    /// interval.
    pub confidence: f64,
    /// The chance that values without a shift look as if they had one upward, so much or more; and downward.
    pub tails: [f64; 2],
}

/// Sorted contrasts: differences of all pairs, or means of all pairs of differences.
struct Contrasts {
    sorted: Vec<f64>,
    unknown: usize,
}

impl Contrasts {
    fn from_differences(all: impl Iterator<Item = f64>) -> Contrasts {
        let mut sorted: Vec<f64> = all.collect();
        let count = sorted.len();
        sorted.retain(|value| !value.is_nan());
        sorted.sort_by(f64::total_cmp);
        Contrasts { unknown: count - sorted.len(), sorted }
    }

    fn estimate_shift(&self, law: &RankLaw, sure: f64) -> Shift {
        let chance = |smaller: usize| law.at_most(smaller.min(law.max_statistic()));
        let at_most_0 = self.sorted.partition_point(|value| *value <= 0.0) + self.unknown;
        let at_least_0 = self.sorted.len() - self.sorted.partition_point(|value| *value < 0.0) + self.unknown;
        let unlikely = law.unlikely((1.0 - sure) / 2.0);
        // Unknown values may be at either end.
        let nth = |from_end: usize| (from_end - 1).checked_sub(self.unknown);
        let interval = (unlikely > 0).then(|| {
            let low = nth(unlikely).map_or(f64::NEG_INFINITY, |at| self.sorted[at]);
            let high = nth(unlikely).map_or(f64::INFINITY, |at| self.sorted[self.sorted.len() - 1 - at]);
            (low, high)
        });
        Shift {
            estimate: self.median_contrast(),
            interval,
            confidence: interval.map_or(0.0, |_| 1.0 - 2.0 * law.at_most(unlikely - 1)),
            tails: [chance(at_most_0), chance(at_least_0)],
        }
    }

    fn median_contrast(&self) -> f64 {
        let unknown = std::iter::repeat_n(0.0, self.unknown);
        let middle = median(self.sorted.iter().copied().chain(unknown));
        if middle.is_nan() { 0.0 } else { middle }
    }
}

/// Factor of ten as a logarithm.
pub const MAX_INFORMATIVE_INTERVAL: f64 = std::f64::consts::LN_10;

impl Shift {
    /// Estimates the shift from `first` to `other` by Wilcoxon's rank sum; `None` = one is empty.
    pub fn estimate_between(first: &[f64], other: &[f64], sure: f64) -> Option<Shift> {
        let contrasts =
            Contrasts::from_differences(first.iter().flat_map(|a| other.iter().map(move |b| b - a)));
        let law = RankLaw::sum(first.len(), other.len());
        (!first.is_empty() && !other.is_empty()).then(|| contrasts.estimate_shift(&law, sure))
    }

    /// Estimates the shift of differences within pairs by Wilcoxon's signed ranks; `None` = no differences.
    pub fn estimate_within(differences: &[f64], sure: f64) -> Option<Shift> {
        let means = differences.iter().enumerate().flat_map(|(place, one)| {
            // Two that are nobody knows how far off on either side: their mean may be anything.
            differences[place..].iter().map(move |other| (one + other) / 2.0)
        });
        let contrasts = Contrasts::from_differences(means);
        (!differences.is_empty()).then(|| contrasts.estimate_shift(&RankLaw::signed(differences.len()), sure))
    }

    /// Combines two shifts. The interval covers both intervals, so it excludes 0 only if both do.
    pub fn combine_with(self, other: Shift) -> Shift {
        let hull = |(low, high): (f64, f64), (lower, higher): (f64, f64)| (low.min(lower), high.max(higher));
        Shift {
            estimate: (self.estimate + other.estimate) / 2.0,
            interval: self.interval.zip(other.interval).map(|(one, two)| hull(one, two)),
            confidence: self.confidence.min(other.confidence),
            tails: [0, 1].map(|side| self.tails[side].max(other.tails[side])),
        }
    }

    /// Removes an interval that spans more than a factor of ten, because it has no use.
    pub fn without_vast_interval(self) -> Shift {
        let is_narrow = |(low, high): &(f64, f64)| high - low < MAX_INFORMATIVE_INTERVAL;
        Shift { interval: self.interval.filter(is_narrow), ..self }
    }

    /// Widens the interval by a possible combined error of the values; the confidence is then unknown.
    pub fn widened(self, by: f64) -> Shift {
        Shift { interval: self.interval.map(|(low, high)| (low - by, high + by)), ..self }
    }

    /// Returns the probability of such a difference or a larger one without a shift, in either direction.
    pub fn p_value(&self) -> f64 {
        (2.0 * self.tails[0].min(self.tails[1])).min(1.0)
    }
}
