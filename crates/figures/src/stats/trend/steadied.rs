//! Figures as shares of their level, without extremes. The same transformation applies to each run, so
//! stationary series stay stationary.

use super::MIN_NOISE;
use crate::stats::median;
use crate::stats::noise::{MIN_NEIGHBOURS, TO_DEVIATION, deviation_around};

/// Share of the level that replaces a value of zero, because zero has no logarithm.
const ZERO_STAND_IN: f64 = 0.001;
/// Distance from the median at which values are clipped, in deviations.
const CLIP_DEVIATIONS: f64 = 5.0;
/// Distance from its neighbours at which a single run is clipped, in deviations.
const CLIP_FROM_NEIGHBOURS: f64 = 3.0;
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
    let expected = Expected::from_neighbours(&logs);
    let reach = CLIP_FROM_NEIGHBOURS * expected.deviation;
    for place in far_from_neighbours(&expected, &logs) {
        let middle = expected.middles[place];
        logs[place] = logs[place].clamp(middle - reach, middle + reach);
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
    let Center { at, deviation } = Center::from_logs(&logs);
    let from_level = far_places(&Expected { middles: vec![at; logs.len()], deviation }, &logs);
    let few = from_level.len() as f64 <= most_single_runs(values.len());
    let mut far: Vec<usize> = from_level.into_iter().filter(|place| few || values[*place] == 0.0).collect();
    far.extend(far_from_neighbours(&Expected::from_neighbours(&logs), &logs));
    far.sort_unstable();
    far.dedup();
    far
}

/// The expected logarithm of each run, and the deviation of the runs from it.
struct Expected {
    middles: Vec<f64>,
    deviation: f64,
}

impl Expected {
    /// The median of each run and its neighbours: four on each side, at the ends more on the other side, so
    /// that three runs in a row are a minority everywhere. At the ends, a run on the line through the medians
    /// is as expected, too: it drifts. These runs do not count for the deviation.
    fn from_neighbours(logs: &[f64]) -> Expected {
        let width = (2 * MIN_NEIGHBOURS + 1).min(logs.len());
        let first = |place: usize| place.saturating_sub(MIN_NEIGHBOURS).min(logs.len() - width);
        let window_median = |place: usize| median(logs[first(place)..][..width].iter().copied());
        let expected = |place: usize| {
            let (middle, center) = (window_median(place), first(place) + width / 2);
            let inner =
                if place < center { center + MIN_NEIGHBOURS } else { center.saturating_sub(MIN_NEIGHBOURS) };
            if place == center || inner >= logs.len() {
                return middle;
            }
            let slope = (window_median(inner) - middle) / (inner as f64 - center as f64);
            let line = middle + slope * (place as f64 - center as f64);
            let is_nearer = (logs[place] - line).abs() < (logs[place] - middle).abs();
            if is_nearer { line } else { middle }
        };
        let middles: Vec<f64> = (0..logs.len()).map(expected).collect();
        let inner = match logs.len() > 2 * width {
            true => MIN_NEIGHBOURS..logs.len() - MIN_NEIGHBOURS,
            false => 0..logs.len(),
        };
        let residuals: Vec<f64> = inner.map(|place| logs[place] - middles[place]).collect();
        Expected { deviation: Center::from_logs(&residuals).deviation, middles }
    }
}

/// The runs far from their neighbours and from most runs; none where they are too many to be single runs.
fn far_from_neighbours(expected: &Expected, logs: &[f64]) -> Vec<usize> {
    let most = Center::from_logs(logs).at;
    let is_unusual = |place: &usize| (logs[*place] - most).abs() > OUTLIER_DEVIATIONS * expected.deviation;
    let places: Vec<usize> = far_places(expected, logs).into_iter().filter(is_unusual).collect();
    if places.len() as f64 <= most_single_runs(logs.len()) { places } else { Vec::new() }
}

fn far_places(expected: &Expected, logs: &[f64]) -> Vec<usize> {
    let least = (OUTLIER_DEVIATIONS * expected.deviation).max(FAR_SHARE.ln_1p());
    (0..logs.len()).filter(|place| (logs[*place] - expected.middles[*place]).abs() > least).collect()
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
