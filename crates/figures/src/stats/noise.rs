//! Noise of a series with possible changes of level. Medians of differences make it robust to a few jumps
//! and outliers.

use super::median;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    /// Long-run variance, in the square of the values' unit: the variance of a mean of n values times n.
    /// It equals the variance for independent values, and is larger otherwise.
    pub long_run: f64,
    /// Correlation of neighboring values, 0 to [`MAX_AUTOCORRELATION`].
    pub autocorrelation: f64,
}

/// Maximum autocorrelation that can be distinguished from a drift in a short series.
pub(crate) const MAX_AUTOCORRELATION: f64 = 0.8;
/// From the median of absolute values to the standard deviation, for normal noise.
pub(crate) const TO_DEVIATION: f64 = 1.4826;

impl Noise {
    /// Estimates the noise under an AR(1) model. Differences of neighbours have the variance 2v(1-a),
    /// differences of values two apart 2v(1-a²); the ratio gives a. `smallest` is the lower bound of the
    /// deviation. Without it, the last digit of a series without noise would matter.
    pub(super) fn estimate(values: &[f64], smallest: f64) -> Noise {
        let (near, far) = (spread_of_differences(values, 1), spread_of_differences(values, 2));
        let (near, far) = (near * near, far * far);
        let least = smallest * smallest;
        if near <= f64::EPSILON * least {
            return Noise { long_run: least, autocorrelation: 0.0 };
        }
        // Few values tell their dependence badly: what they say then counts for less.
        let trust = values.len() as f64 / (values.len() as f64 + DRIFT_THRESHOLD);
        let a = (far / near - 1.0).clamp(0.0, MAX_AUTOCORRELATION) * trust;
        let long_run = near * (1.0 + a) / (2.0 * (1.0 - a) * (1.0 - a));
        Noise { long_run: long_run.max(least), autocorrelation: a }
    }
}

const DRIFT_THRESHOLD: f64 = 8.0;

fn spread_of_differences(values: &[f64], distance: usize) -> f64 {
    let differences: Vec<f64> = values.windows(distance + 1).map(|w| w[distance] - w[0]).collect();
    TO_DEVIATION * deviation_around(&differences)
}

/// Returns the median absolute deviation from the median.
pub(crate) fn deviation_around(values: &[f64]) -> f64 {
    let middle = median(values.iter().copied());
    median(values.iter().map(|value| (value - middle).abs()))
}

pub(crate) const MIN_NEIGHBOURS: usize = 4;

/// Returns a value with its neighbours on both sides.
fn neighbourhood(values: &[f64], index: usize) -> &[f64] {
    let from = index.saturating_sub(MIN_NEIGHBOURS);
    let to = (index + MIN_NEIGHBOURS + 1).min(values.len());
    &values[from..to]
}

const OUTLIER_DEVIATIONS: f64 = 4.0;

/// Returns the series with every outlier replaced by the median of its neighbourhood, and the number of
/// outliers. Values within [`OUTLIER_DEVIATIONS`] times `smallest` of this median are not outliers.
/// Neither is a lasting change of level, because at least half of the neighbourhood shares it.
pub(crate) fn without_outliers(values: &[f64], smallest: f64) -> (Vec<f64>, usize) {
    let mut outliers = 0;
    let cleaned = (0..values.len()).map(|index| {
        let around = neighbourhood(values, index);
        let middle = median(around.iter().copied());
        let deviation = (TO_DEVIATION * deviation_around(around)).max(smallest);
        if (values[index] - middle).abs() <= OUTLIER_DEVIATIONS * deviation {
            return values[index];
        }
        outliers += 1;
        middle
    });
    let cleaned = cleaned.collect();
    (cleaned, outliers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_are_removed_and_steps_kept() {
        let mut values = vec![10.0; 10];
        values[4] = 0.0;
        assert_eq!(without_outliers(&values, 0.1), (vec![10.0; 10], 1));
        values[0] = 30.0;
        assert_eq!(without_outliers(&values, 0.1), (vec![10.0; 10], 2));
        let step: Vec<f64> = (0..12).map(|i| if i < 5 { 10.0 } else { 3.0 }).collect();
        assert_eq!(without_outliers(&step, 0.1), (step.clone(), 0));
        let ramp: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(without_outliers(&ramp, 0.1), (ramp.clone(), 0));
        assert_eq!(without_outliers(&[], 0.1), (vec![], 0));
    }

    #[test]
    fn noise_ignores_jumps() {
        let values: Vec<f64> = (0..40).map(|i| f64::from(i % 2) + if i < 20 { 0.0 } else { 50.0 }).collect();
        let noise = Noise::estimate(&values, 0.01);
        assert!(noise.long_run < 4.0, "{noise:?}");
        assert_eq!(Noise::estimate(&[5.0; 20], 0.1), Noise { long_run: 0.1 * 0.1, autocorrelation: 0.0 });
    }
}
