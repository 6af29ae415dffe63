//! Repetitions of a measurement: mean, deviation, an interval for the mean, and outliers.
//!
//! The unit is a run. Variation within a run does not predict the variation between runs.
//!
//! Intervals stay within the possible range of a figure. Rates and latencies are positive and vary by
//! factors, so they use a logarithmic scale. Shares are between 0 and 100 %, so they use the logit scale.
//! Both are Student's t intervals of the arithmetic mean, transformed to that scale (the delta method).

use super::median;
use super::ranks::MAX_INFORMATIVE_INTERVAL;

pub const CONFIDENCE: f64 = 0.95;
/// Required confidence, as a share, when the interval's width decides the number of repetitions.
/// Repetitions stop when they happen to scatter little, so a 95 % interval would contain the mean in only
/// 88 to 94 of 100 cases.
pub(crate) const CONFIDENCE_TO_STOP: f64 = 0.98;
const MIN_RUNS_FOR_OUTLIERS: usize = 5;
/// Outlier threshold by number of values, in multiples of the usual distance from the median. Iglewicz and
/// Hoaglin (1993) use 3.5 for any number, which gives an outlier in 20 of 100 normal samples of 5 values,
/// and in 12 for 10 values. The farthest normal value exceeds these thresholds in 5 of 100 cases (12,000
/// series).
const OUTLIER_DISTANCES: [(usize, f64); 8] =
    [(5, 8.0), (6, 6.0), (8, 5.1), (10, 4.7), (12, 4.4), (15, 4.3), (20, 4.1), (30, 3.8)];
/// Ratio of the standard deviation to the median absolute deviation, for a normal distribution.
const MAD_TO_DEVIATION: f64 = 1.4826;
/// Minimum usual distance, as a share of the median. Otherwise it would be 0 if more than half of all
/// values are equal, and every other value an outlier.
const MIN_DISTANCE: f64 = 0.001;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounds {
    /// Rate or latency, at least 0.
    Positive,
    /// Share in percent, 0 to 100.
    Percent,
}

#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Spread {
    pub count: usize,
    pub mean: f64,
    /// Standard deviation of single runs, with the divisor `count` - 1; `None` = one run.
    pub deviation: Option<f64>,
    /// Half the width of Student's 95 % interval of the mean on the figure's scale; `None` for one run. It
    /// may exceed the possible range, in contrast to [`Spread::interval`].
    pub half_width: Option<f64>,
}

impl Spread {
    pub fn from_values(values: &[f64]) -> Option<Spread> {
        Spread::as_sure(values, CONFIDENCE)
    }

    /// Returns the spread of values whose number was determined by their scatter. Its interval has the
    /// same confidence as the interval of [`Spread::from_values`] for a fixed number.
    pub fn of_stopped(values: &[f64]) -> Option<Spread> {
        Spread::as_sure(values, CONFIDENCE_TO_STOP)
    }

    fn as_sure(values: &[f64], confidence: f64) -> Option<Spread> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
        let half_width = deviation.map(|deviation| {
            student_t(two_sided(confidence), (count - 1) as f64) * deviation / (count as f64).sqrt()
        });
        Some(Spread { count, mean, deviation, half_width })
    }

    /// The 95 % interval of the mean; `None` for one run, and for the interval of a rate or latency that is
    /// wider than a factor of ten.
    pub fn interval(&self, bounds: Bounds) -> Option<(f64, f64)> {
        let width = self.half_width?;
        if width == 0.0 || self.mean <= 0.0 {
            return Some((self.mean, self.mean));
        }
        Some(match bounds {
            Bounds::Positive => {
                let factor = 1.0 + self.relative()?;
                (self.mean / factor, self.mean * factor)
            }
            Bounds::Percent => {
                let share = (self.mean / HUNDRED).min(1.0);
                if share >= 1.0 {
                    return Some((self.mean, self.mean));
                }
                let odds = share / (1.0 - share);
                let factor = (width / HUNDRED / (share * (1.0 - share))).exp();
                let percent =
                    |odds: f64| if odds.is_finite() { HUNDRED * odds / (1.0 + odds) } else { HUNDRED };
                (percent(odds / factor), percent(odds * factor))
            }
        })
    }

    /// Returns the longer (upper) side of a rate's or latency's interval, as a share of the mean; `None`
    /// for one run, a mean of 0, or an interval that is wider than a factor of ten.
    pub fn relative(&self) -> Option<f64> {
        let width = self.half_width.filter(|_| self.mean > 0.0)? / self.mean;
        (2.0 * width < MAX_INFORMATIVE_INTERVAL).then(|| width.exp() - 1.0)
    }

    /// Returns the minimum significant difference of two single runs; `None` = one run.
    pub fn between_two_runs(&self) -> Option<f64> {
        let t = student_t(two_sided(CONFIDENCE), self.count.checked_sub(2)? as f64 + 1.0);
        Some(t * self.deviation? * std::f64::consts::SQRT_2)
    }
}

const HUNDRED: f64 = 100.0;

/// Returns the probability below the upper end of a central interval with this confidence.
fn two_sided(confidence: f64) -> f64 {
    0.5 + confidence / 2.0
}

/// Returns the indices of outliers. The threshold is a multiple of the usual distance from the median: 8
/// for 5 values, 4.7 for 10, 3.8 for 30. A normal sample of any size has an outlier in at most 5 of 100
/// cases. The usual distance is 1.4826 times the median of all distances, and at least 0.1 % of the
/// median. Empty for fewer than five values.
pub fn outliers(values: &[f64]) -> Vec<usize> {
    if values.len() < MIN_RUNS_FOR_OUTLIERS {
        return Vec::new();
    }
    let middle = median(values.iter().copied());
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let usual = median(distances.iter().copied()) * MAD_TO_DEVIATION;
    let too_far =
        OUTLIER_DISTANCES.iter().rfind(|(from, _)| values.len() >= *from).map_or(f64::INFINITY, |row| row.1);
    let limit = too_far * usual.max(MIN_DISTANCE * middle.abs());
    (0..values.len()).filter(|at| distances[*at] > limit).collect()
}

/// Below this value lies the given share of Student's t distribution; `degrees` of freedom, at least 1, the
/// share from 0.5 to below 1.
pub fn student_t(share: f64, degrees: f64) -> f64 {
    let half = (degrees + 1.0) / 2.0;
    let at_zero = (ln_gamma(half) - ln_gamma(degrees / 2.0)).exp() / (degrees * std::f64::consts::PI).sqrt();
    let mut t = 0.0_f64;
    // Newton's method from the left: the share grows ever slower, so no step goes too far.
    for _ in 0..100 {
        let density = at_zero * (1.0 + t * t / degrees).powf(-half);
        let step = (share - share_below(t, degrees)) / density;
        t += step;
        if step.abs() <= 1e-12 * t {
            break;
        }
    }
    t
}

/// Returns the probability of Student's t distribution below `t`, which must not be negative.
fn share_below(t: f64, degrees: f64) -> f64 {
    1.0 - incomplete_beta(degrees / 2.0, 0.5, degrees / (degrees + t * t)) / 2.0
}

/// The regularized incomplete beta function, by its continued fraction on the side where that converges
/// fast (Abramowitz and Stegun 26.5.8).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    match x < (a + 1.0) / (a + b + 2.0) {
        true => front * continued_fraction(a, b, x) / a,
        false => 1.0 - front * continued_fraction(b, a, 1.0 - x) / b,
    }
}

/// Evaluates the continued fraction from the front (Lentz's method).
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    let apart_from_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / apart_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut result = d;
    for step in 1..=300 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for term in [even, odd] {
            d = 1.0 / apart_from_zero(1.0 + term * d);
            c = apart_from_zero(1.0 + term / c);
            result *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    result
}

/// Returns the logarithm of the gamma function for positive `x`: Stirling's series, accurate to 1e-15.
fn ln_gamma(x: f64) -> f64 {
    // Gamma(x) = Gamma(x + 1) / x, up to where the series holds.
    let (mut x, mut shift) = (x, 0.0);
    while x < 15.0 {
        shift += x.ln();
        x += 1.0;
    }
    let square = x * x;
    let rest = 1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square;
    let series = (1.0 / 12.0 - rest / square) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_t_matches_published_tables() {
        for (share, degrees, expected) in [
            (0.975, 1.0, 12.706_204_736_432_1),
            (0.975, 2.0, 4.302_652_729_911_3),
            (0.95, 4.0, 2.131_846_786_326_6),
            (0.995, 5.0, 4.032_142_983_557_5),
            (0.975, 9.0, 2.262_157_162_740_9),
            (0.975, 30.0, 2.042_272_456_301_2),
            (0.975, 1e6, 1.959_966),
        ] {
            let found = student_t(share, degrees);
            assert!((found - expected).abs() < 1e-6 * expected, "{share} {degrees}: {found}");
        }
    }

    #[test]
    fn interval_matches_textbook() {
        let spread = Spread::from_values(&[9.0, 10.0, 11.0]).unwrap();
        assert_eq!((spread.count, spread.mean, spread.deviation), (3, 10.0, Some(1.0)));
        // 4.30265 / sqrt(3)
        assert!((spread.half_width.unwrap() - 2.484_138).abs() < 1e-5);
        // 4.30265 * sqrt(2)
        assert!((spread.between_two_runs().unwrap() - 6.084_870).abs() < 1e-5);
        let one = Spread::from_values(&[5.0]).unwrap();
        assert_eq!((one.half_width, one.between_two_runs(), one.relative()), (None, None, None));
        assert_eq!(Spread::from_values(&[]), None);
    }

    #[test]
    fn intervals_stay_in_valid_range() {
        let of = |values: &[f64], bounds| Spread::from_values(values).unwrap().interval(bounds).unwrap();
        for values in [&[1.0, 1.5, 2.0][..], &[9.0, 10.0], &[5.0, 5.0], &[0.0, 0.0]] {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let (low, high) = of(values, Bounds::Positive);
            assert!(0.0 <= low && low <= mean && mean <= high, "{values:?}: {low} .. {high}");
        }
        for values in [&[0.1, 0.2, 9.0][..], &[0.0, 0.0, 100.0], &[1e-9, 1e9]] {
            let spread = Spread::from_values(values).unwrap();
            assert_eq!((spread.interval(Bounds::Positive), spread.relative()), (None, None), "{values:?}");
        }
        for values in [&[98.0, 100.0, 100.0][..], &[0.0, 0.3], &[0.0, 100.0], &[100.0, 100.0], &[0.0, 0.0]] {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let (low, high) = of(values, Bounds::Percent);
            assert!(
                0.0 <= low && low <= mean && mean <= high && high <= 100.0,
                "{values:?}: {low} .. {high}"
            );
        }
        // Where runs scatter little both are the textbook's interval.
        let (low, high) = of(&[99.0, 100.0, 101.0], Bounds::Positive);
        assert!((low - 97.55).abs() < 0.04 && (high - 102.45).abs() < 0.08, "{low} {high}");
        let (low, high) = of(&[49.0, 50.0, 51.0], Bounds::Percent);
        assert!((low - 47.52).abs() < 0.01 && (high - 52.48).abs() < 0.01, "{low} {high}");
        assert_eq!(Spread::from_values(&[5.0]).unwrap().interval(Bounds::Positive), None);
    }

    #[test]
    fn rate_intervals_reach_stated_coverage() {
        for (deviation, runs) in [(0.02, 3), (0.1, 5), (0.3, 5), (0.5, 10)] {
            let mut noise = crate::stats::normal::NormalValues::new(5);
            // The mean of exp(normal - d²/2) is 1.
            let mut draw = || (noise.draw() * deviation - deviation * deviation / 2.0).exp();
            let held = (0..2000).filter(|_| {
                let values: Vec<f64> = (0..runs).map(|_| draw()).collect();
                let (low, high) = Spread::from_values(&values).unwrap().interval(Bounds::Positive).unwrap();
                (low..=high).contains(&1.0)
            });
            let held = held.count();
            assert!((1840..=1960).contains(&held), "{held} of 2000 with a deviation of {deviation}");
        }
    }

    #[test]
    fn homogeneous_runs_rarely_have_outliers() {
        let mut noise = crate::stats::normal::NormalValues::new(7);
        for count in [5, 6, 7, 8, 9, 10, 12, 15, 20, 30] {
            let some = (0..1000).filter(|_| {
                let values: Vec<f64> = (0..count).map(|_| 5000.0 * (1.0 + 0.02 * noise.draw())).collect();
                !outliers(&values).is_empty()
            });
            let some = some.count();
            assert!((20..=75).contains(&some), "{some} of 1000 with {count} values");
        }
    }

    #[test]
    fn outliers_lie_far_from_the_rest() {
        for (values, expected) in [
            (vec![100.0, 101.0, 99.0, 100.5, 99.5, 50.0], vec![5]),
            (vec![100.0, 101.0, 99.0, 100.5, 99.5, 103.0], vec![]),
            // Equal values: a tenth of a percent is no distance.
            (vec![100.0, 100.0, 100.0, 100.0, 100.2], vec![]),
            (vec![100.0, 100.0, 100.0, 100.0, 101.0], vec![4]),
            // Nobody can tell.
            (vec![100.0, 100.0, 50.0], vec![]),
            (vec![], vec![]),
        ] {
            assert_eq!(outliers(&values), expected, "{values:?}");
        }
    }
}
