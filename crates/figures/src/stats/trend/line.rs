//! A figure that rises or falls steadily, described by a line instead of levels.

use super::{MIN_CHANGE, MIN_NOISE, MIN_RUNS, Slope, noise, steadied};

/// Returns the line through all runs, if its slope exceeds the noise and is relevant.
pub(super) fn slope(values: &[f64]) -> Option<Slope> {
    let count = values.len();
    if count < MIN_RUNS {
        return None;
    }
    let steady = steadied::without_single_runs(values);
    let middle = (count as f64 - 1.0) / 2.0;
    let mean = steady.iter().sum::<f64>() / count as f64;
    let places = || (0..count).map(|place| place as f64 - middle);
    let spread: f64 = places().map(|place| place * place).sum();
    let slope = steady.iter().zip(places()).map(|(value, place)| value * place).sum::<f64>() / spread;
    let left: Vec<f64> =
        steady.iter().zip(places()).map(|(value, place)| value - mean - slope * place).collect();
    let long_run = noise::long_run(&left, std::slice::from_ref(&(0..count)), 2, MIN_NOISE);
    let rise = 2.0 * middle * slope;
    let is_clear = noise::explains_not(slope, spread, long_run) && rise.abs() > MIN_CHANGE.ln_1p();
    let at = |place: f64| (mean + slope * place).exp();
    is_clear.then(|| Slope { from: at(-middle), to: at(middle) })
}
