//! How far the mean of some runs may lie from that of others while nothing changes.
//!
//! Runs that resemble their predecessors wander by themselves: their means scatter by more than single runs
//! tell. So much more is the long-run variance. It is taken from what is left over around the levels, so
//! that a change doesn't count as noise; and of what few runs leave open the worse is assumed.

use std::ops::Range;

/// A change has to be so much larger, squared and in units of its noise, than none. The largest that
/// stationary histories of all kinds reach is below in 99 of 100 (`cargo xtask trends`).
const LARGEST_BY_CHANCE: f64 = 30.0;
/// The dependence that is assumed: as strong as 95 of 100 histories at most show by chance.
const ONE_SIDED: f64 = 1.64;
const STRONGEST: f64 = 0.95;

/// The long-run variance of what is left over around levels or a line, stretch by stretch, with as many
/// parameters taken from it; `least`: the deviation is at least so much.
pub fn long_run(left: &[f64], stretches: &[Range<usize>], parameters: usize, least: f64) -> f64 {
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

/// How many times the variance it is: as if each run resembled its predecessor alone, and as the sum over
/// the first distances says, which sees a slow wander below other noise. What was taken from the same runs
/// makes them resemble each other less than they do, once for each parameter.
fn variance_inflation(resembles: impl Fn(usize) -> f64, count: f64, parameters: f64) -> f64 {
    let near = resembles(1);
    let hidden = parameters * (1.0 + 3.0 * near.max(0.0)) / count;
    let unsure = ONE_SIDED * ((1.0 - near * near).max(0.0) / count).sqrt();
    let dependence = (near + hidden + unsure).clamp(0.0, STRONGEST);
    let of_neighbours = (1.0 + dependence) / (1.0 - dependence);
    let distances = (count.sqrt() as usize).max(2);
    let sum = 1.0 + 2.0 * (1..=distances).map(&resembles).sum::<f64>();
    let spread = distances as f64 / count;
    let of_all = sum.max(0.0) * (1.0 + 2.0 * parameters * spread) + ONE_SIDED * (2.0 * spread).sqrt();
    of_neighbours.max(of_all)
}

/// Whether a step, or the rise along a line, is larger than noise explains. `weight`: the square of it in
/// units of a variance of 1.
pub fn explains_not(step: f64, weight: f64, long_run: f64) -> bool {
    step * step * weight > LARGEST_BY_CHANCE * long_run
}
