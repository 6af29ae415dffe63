//! Limits for the distance between means of runs without a change.
//!
//! Autocorrelated runs drift, so their means scatter by more than single runs suggest. The long-run
//! variance measures this. It is computed from the residuals around the levels, so a change does not count
//! as noise. For few runs the worse case is assumed.

use std::ops::Range;

/// Minimum improvement of a change in squared units of its noise. The maximum in stationary histories of
/// all kinds is below it in 99 of 100 cases (`cargo xtask trends`).
const MAX_CHANCE_NOISE: f64 = 30.0;
/// One-sided quantile for the assumed autocorrelation: 95 of 100 histories have at most this value without
/// a change.
const ONE_SIDED_QUANTILE: f64 = 1.64;
const MAX_AUTOCORRELATION: f64 = 0.95;

/// Returns the long-run variance of residuals around levels or a line, by stretch. `parameters` is the
/// number of fitted parameters, `least` the minimum deviation.
pub(crate) fn long_run(left: &[f64], stretches: &[Range<usize>], parameters: usize, least: f64) -> f64 {
    let count = left.len() as f64;
    let squares: f64 = left.iter().map(|x| x * x).sum();
    let squares = squares.max(count * least * least);
    // How much runs resemble those so many before them, within their stretch.
    let resembles = |distance: usize| {
        let products = stretches.iter().flat_map(|stretch| {
            let of_it = &left[stretch.clone()];
            of_it.iter().zip(of_it.iter().skip(distance)).map(|(a, b)| a * b)
        });
        products.sum::<f64>() / squares
    };
    let variance = squares / (count - parameters as f64).max(1.0);
    variance * variance_inflation(resembles, count, parameters as f64)
}

/// Returns the long-run variance as a multiple of the variance. It combines an AR(1) model with the sum
/// over the first lags, which detects a slow drift below other noise. Each fitted parameter reduces the
/// observed autocorrelation, which is corrected here.
fn variance_inflation(resembles: impl Fn(usize) -> f64, count: f64, parameters: f64) -> f64 {
    let near = resembles(1);
    let hidden = parameters * (1.0 + 3.0 * near.max(0.0)) / count;
    let unsure = ONE_SIDED_QUANTILE * ((1.0 - near * near).max(0.0) / count).sqrt();
    let dependence = (near + hidden + unsure).clamp(0.0, MAX_AUTOCORRELATION);
    let of_neighbours = (1.0 + dependence) / (1.0 - dependence);
    let distances = (count.sqrt() as usize).max(2);
    let sum = 1.0 + 2.0 * (1..=distances).map(&resembles).sum::<f64>();
    let spread = distances as f64 / count;
    let of_all =
        sum.max(0.0) * (1.0 + 2.0 * parameters * spread) + ONE_SIDED_QUANTILE * (2.0 * spread).sqrt();
    of_neighbours.max(of_all)
}

/// Whether a step, or the rise along a line, is larger than noise explains. `weight`: the square of it in
/// units of a variance of 1.
pub(crate) fn explains_not(step: f64, weight: f64, long_run: f64) -> bool {
    step * step * weight > MAX_CHANCE_NOISE * long_run
}
