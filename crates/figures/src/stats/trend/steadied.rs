//! Figures as shares of their level, without extremes. The same transformation applies to each run, so
//! stationary series stay stationary.

use super::MIN_NOISE;
use crate::stats::median;
use crate::stats::noise::{TO_DEVIATION, deviation_around, neighbourhood};

/// Share of the level that replaces a value of zero, because zero has no logarithm.
const ZERO_STAND_IN: f64 = 0.001;
/// Distance from the median at which values are clipped, in deviations.
const CLIP_DEVIATIONS: f64 = 5.0;
/// Minimum distance of a reported single run from its level, in deviations; `FAR` applies in addition to
/// the share.
const OUTLIER_DEVIATIONS: f64 = 6.0;
const FAR_SHARE: f64 = 0.1;
const REMOTE_DEVIATIONS: f64 = 4.0;
/// Maximum share of runs far from their level; more are the normal behavior of the level.
const MAX_OUTLIER_SHARE: f64 = 0.1;

/// Logarithms with extremes brought in. A single run far from its neighbours has their median.
///
/// Two levels make the deviation around the median as large as the step between them. Extremes that are
/// brought in to five times that distance hide the step.
pub(crate) fn without_single_runs(values: &[f64]) -> Vec<f64> {
    let mut logs = logarithms(values);
    let middles = neighbour_medians(&logs);
    let reach = CLIP_DEVIATIONS * residual_middle(&middles, &logs).deviation;
    for place in far_from_neighbours(&middles, &logs) {
        logs[place] = logs[place].clamp(middles[place] - reach, middles[place] + reach);
    }
    let Center { at, deviation } = Center::from_logs(&logs);
    logs.iter()
        .map(|log| log.clamp(at - CLIP_DEVIATIONS * deviation, at + CLIP_DEVIATIONS * deviation))
        .collect()
}

/// The runs far from their level or from their neighbours, by place: runs at zero where the level is not
/// zero, and few others.
pub(super) fn find_outliers(values: &[f64]) -> Vec<usize> {
    let logs = logarithms(values);
    let level = vec![Center::from_logs(&logs).at; logs.len()];
    let is_few = |places: &[usize]| places.len() as f64 <= most_single_runs(values.len());
    let from_level = far_places(&level, &logs);
    let few = is_few(&from_level);
    let mut far: Vec<usize> = from_level.into_iter().filter(|place| few || values[*place] == 0.0).collect();
    far.extend(far_from_neighbours(&neighbour_medians(&logs), &logs));
    far.sort_unstable();
    far.dedup();
    far
}

fn neighbour_medians(logs: &[f64]) -> Vec<f64> {
    (0..logs.len()).map(|place| median(neighbourhood(logs, place).iter().copied())).collect()
}

/// The runs far from their neighbours; none where they are too many to be single runs. A run that is as
/// most runs are, among others that are not, is no such run.
fn far_from_neighbours(middles: &[f64], logs: &[f64]) -> Vec<usize> {
    let most = Center::from_logs(logs).at;
    let is_farther = |place: &usize| (logs[*place] - most).abs() > (middles[*place] - most).abs();
    let places: Vec<usize> = far_places(middles, logs).into_iter().filter(is_farther).collect();
    if places.len() as f64 <= most_single_runs(logs.len()) { places } else { Vec::new() }
}

fn far_places(expected: &[f64], logs: &[f64]) -> Vec<usize> {
    let least = (OUTLIER_DEVIATIONS * residual_middle(expected, logs).deviation).max(FAR_SHARE.ln_1p());
    (0..logs.len()).filter(|place| (logs[*place] - expected[*place]).abs() > least).collect()
}

fn residual_middle(expected: &[f64], logs: &[f64]) -> Center {
    let left: Vec<f64> = logs.iter().zip(expected).map(|(log, expected)| log - expected).collect();
    Center::from_logs(&left)
}

fn most_single_runs(runs: usize) -> f64 {
    (MAX_OUTLIER_SHARE * runs as f64).max(1.0)
}

/// For each run whether it lies away from the level of the earlier ones: below -1, above 1, else 0.
pub(super) fn sides(earlier: &[f64], values: &[f64]) -> Vec<i8> {
    let logs = logarithms(values);
    let Center { at, deviation } = Center::from_logs(&logs[..earlier.len()]);
    let least = (REMOTE_DEVIATIONS * deviation).max(super::MIN_CHANGE.ln_1p());
    let side = |log: &f64| if *log < at - least { -1 } else { i8::from(*log > at + least) };
    logs.iter().map(side).collect()
}

struct Center {
    at: f64,
    deviation: f64,
}

impl Center {
    fn from_logs(logs: &[f64]) -> Center {
        let at = median(logs.iter().copied());
        let deviation = TO_DEVIATION * deviation_around(logs);
        Center { at, deviation: deviation.max(MIN_NOISE) }
    }
}

/// Returns logarithms, with a substitute for runs at zero.
pub(super) fn logarithms(values: &[f64]) -> Vec<f64> {
    let above: Vec<f64> = values.iter().copied().filter(|value| *value > 0.0).collect();
    if above.is_empty() {
        return vec![0.0; values.len()];
    }
    let least = ZERO_STAND_IN * median(above);
    values.iter().map(|value| value.max(least).ln()).collect()
}
