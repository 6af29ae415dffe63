//! The shape of a noisy series: one level, levels with changes between them, or a ramp.
//!
//! All three are fitted by least squares. The squares saved by a change, or by a ramp with its end, must
//! exceed [`penalty`] in units of the noise. Autocorrelated noise drifts, so the unit is its long-run
//! variance and not the scatter of single values.

use super::noise::Noise;
use std::ops::Range;

/// Minimum length of a level; fewer values could be consecutive outliers.
pub(super) const MIN_LEVEL: usize = 4;

/// A shape and its cost: residual squares in units of the noise, plus the penalties of its changes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fit<T> {
    pub shape: T,
    /// Cost; the shape with the lowest cost describes the series best.
    pub cost: f64,
}

/// Ramp from the first value, followed by a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ramp {
    /// Start in the unit of the values.
    pub from: f64,
    pub to: f64,
    /// First index of the level after the ramp; the length of the series if the ramp continues to the end.
    pub until: usize,
}

/// Returns the penalty of a change, in units of the long-run variance. The logarithm accounts for the
/// choice of the best of about n places, the last term for the uncertain noise of few values. With it,
/// fewer than ten of a thousand noise series have a change (see the tests of `truth::steady`).
pub(crate) fn penalty(count: usize) -> f64 {
    let n = count.max(1) as f64;
    8.0 + 3.0 * n.ln() + 80.0 / n
}

fn shortest_level(count: usize) -> usize {
    MIN_LEVEL.max(count / 20)
}

/// Cumulative sums, so that the sum of any range takes two look-ups.
#[derive(Debug)]
pub(super) struct Sums {
    values: Vec<f64>,
    squares: Vec<f64>,
    products: Vec<f64>,
}

impl Sums {
    pub(super) fn from_values(values: &[f64]) -> Sums {
        let mut sums = Sums { values: vec![0.0], squares: vec![0.0], products: vec![0.0] };
        let (mut value, mut square, mut product) = (0.0, 0.0, 0.0);
        for (index, x) in values.iter().enumerate() {
            value += x;
            square += x * x;
            product += x * index as f64;
            sums.values.push(value);
            sums.squares.push(square);
            sums.products.push(product);
        }
        sums
    }

    pub(super) fn count(&self) -> usize {
        self.values.len() - 1
    }

    /// Returns the mean of a non-empty range.
    pub(super) fn mean(&self, range: Range<usize>) -> f64 {
        (self.values[range.end] - self.values[range.start]) / range.len().max(1) as f64
    }

    /// Returns the sum of squared distances from the mean.
    pub(crate) fn squares_left(&self, range: Range<usize>) -> f64 {
        let sum = self.values[range.end] - self.values[range.start];
        let squares = self.squares[range.end] - self.squares[range.start];
        (squares - sum * sum / range.len().max(1) as f64).max(0.0)
    }
}

pub(super) fn level(sums: &Sums, noise: &Noise) -> f64 {
    sums.squares_left(0..sums.count()) / noise.long_run
}

/// Returns the optimal division into levels (optimal partitioning): the first index of each.
pub(super) fn levels(sums: &Sums, noise: &Noise) -> Fit<Vec<usize>> {
    let count = sums.count();
    let shortest = shortest_level(count);
    let pays = penalty(count);
    // For each end the cheapest division of what is before it, and where its last level begins.
    let mut cheapest = vec![f64::INFINITY; count + 1];
    let mut last = vec![0; count + 1];
    cheapest[0] = -pays;
    for end in shortest..=count {
        for begin in 0..=end - shortest {
            let cost = cheapest[begin] + pays + sums.squares_left(begin..end) / noise.long_run;
            if cost < cheapest[end] {
                (cheapest[end], last[end]) = (cost, begin);
            }
        }
    }
    let mut begins = Vec::new();
    let mut end = count;
    while end > 0 {
        end = last[end];
        begins.push(end);
    }
    begins.reverse();
    Fit { shape: begins, cost: cheapest[count] }
}

/// Returns the best ramp followed by a level; `None` = too few values.
pub(super) fn ramp(sums: &Sums, noise: &Noise) -> Option<Fit<Ramp>> {
    let count = sums.count();
    let n = count as f64;
    let shortest = shortest_level(count);
    let fits = (shortest..=count).filter(|until| *until == count || until + shortest <= count);
    let fit = fits.map(|until| {
        // The regressor is the index on the ramp, and stands still on the level.
        let (u, rest) = (until as f64, (count - until) as f64);
        let still = u - 1.0;
        let sum = u * still / 2.0 + rest * still;
        let squares = still * u * (2.0 * u - 1.0) / 6.0 + rest * still * still;
        let tail = sums.values[count] - sums.values[until];
        let product = sums.products[until] + tail * still;
        let spread = squares - sum * sum / n;
        let slope = (product - sum * sums.values[count] / n) / spread;
        let from = sums.values[count] / n - slope * sum / n;
        let left = (sums.squares_left(0..count) - slope * slope * spread).max(0.0);
        Fit {
            shape: Ramp { from, to: from + slope * still, until },
            cost: left / noise.long_run + penalty(count),
        }
    });
    fit.min_by(|a, b| a.cost.total_cmp(&b.cost))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_noise(variance: f64) -> Noise {
        Noise { long_run: variance, autocorrelation: 0.0 }
    }

    #[test]
    fn levels_are_found_where_they_change() {
        let values: Vec<f64> = (0..40)
            .map(|i| {
                if i < 12 {
                    10.0
                } else if i < 30 {
                    4.0
                } else {
                    7.0
                }
            })
            .collect();
        let sums = Sums::from_values(&values);
        let fit = levels(&sums, &sample_noise(0.1));
        assert_eq!(fit.shape, [0, 12, 30]);
        assert_eq!([sums.mean(0..12), sums.mean(12..30), sums.mean(30..40)], [10.0, 4.0, 7.0]);
        assert!((fit.cost - 2.0 * penalty(40)).abs() < 1e-6, "{fit:?}");
        assert!(level(&sums, &sample_noise(0.1)) > fit.cost);
    }

    #[test]
    fn unprofitable_change_is_rejected() {
        let values: Vec<f64> = (0..40).map(|i| if i < 20 { 10.0 } else { 11.0 }).collect();
        // It saves 40 * 0.5^2 = 10 squares.
        let at = |variance| levels(&Sums::from_values(&values), &sample_noise(variance)).shape;
        assert_eq!(at(10.0 / (penalty(40) * 1.01)), [0, 20]);
        assert_eq!(at(10.0 / (penalty(40) * 0.99)), [0]);
    }

    #[test]
    fn ramp_end_is_located() {
        for until in [10, 25, 36, 40] {
            let values: Vec<f64> = (0..40).map(|i| 100.0 - i.min(until - 1) as f64).collect();
            let fit = ramp(&Sums::from_values(&values), &sample_noise(1.0)).unwrap();
            let expected = 100.0 - (until - 1) as f64;
            assert_eq!(fit.shape.until, until);
            assert!(
                (fit.shape.from - 100.0).abs() < 1e-9 && (fit.shape.to - expected).abs() < 1e-9,
                "{fit:?}"
            );
            assert!(fit.cost < levels(&Sums::from_values(&values), &sample_noise(1.0)).cost);
        }
    }
}
