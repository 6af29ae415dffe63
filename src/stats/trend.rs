//! Levels of a figure over many runs: where it changed for good, and by how much.
//!
//! The same search that finds changes within a run (`stats/segments.rs`), on logarithms, so that a change is
//! a share of the level wherever that lies. Single runs far from their neighbours are no change.

use super::Level;
use super::noise::{Noise, without_outliers};
use super::segments::{self, SHORTEST_LEVEL, Sums};

/// Fewer runs than two levels need tell of no change.
pub const FEWEST_RUNS: usize = 2 * SHORTEST_LEVEL;
/// Of longer histories the latest runs are looked at: the search takes the square of their number.
pub const MOST_RUNS: usize = 2000;
/// Neighbouring levels nearer than this, as a share, are one: nobody would act on the difference.
pub const LEAST_CHANGE: f64 = 0.02;
/// Noise below this share is taken for so much.
const LEAST_NOISE: f64 = 0.005;

/// The levels of figures in the order of their runs, at least one of any: each counts from the first
/// value on. Values that are not above zero can't be told as shares: then there is one level.
pub fn levels(values: &[f64]) -> Vec<Level> {
    let all = || vec![level(values, 0..values.len())];
    if values.len() < FEWEST_RUNS || values.iter().any(|value| *value <= 0.0 || !value.is_finite()) {
        return all();
    }
    let from = values.len().saturating_sub(MOST_RUNS);
    let logs: Vec<f64> = values[from..].iter().map(|value| value.ln()).collect();
    let (logs, _) = without_outliers(&logs, LEAST_NOISE);
    let sums = Sums::of(&logs);
    let noise = Noise::of(&logs, LEAST_NOISE);
    let mut begins = segments::levels_of(&sums, &noise, SHORTEST_LEVEL).shape;
    begins.push(logs.len());
    merge(&mut begins, &sums);
    begins[0] = 0;
    let mut bounds: Vec<usize> = begins.iter().map(|begin| begin + from).collect();
    bounds[0] = 0;
    bounds.windows(2).map(|pair| level(values, pair[0]..pair[1])).collect()
}

/// Takes away the bounds between levels that differ by too little, the smallest difference first.
fn merge(bounds: &mut Vec<usize>, sums: &Sums) {
    let least = LEAST_CHANGE.ln_1p();
    while bounds.len() > 2 {
        let step =
            |at: usize| (sums.mean(bounds[at]..bounds[at + 1]) - sums.mean(bounds[at - 1]..bounds[at])).abs();
        let smallest = (1..bounds.len() - 1).map(|at| (at, step(at))).min_by(|a, b| a.1.total_cmp(&b.1));
        match smallest {
            Some((at, step)) if step < least => bounds.remove(at),
            _ => return,
        };
    }
}

/// The median of a stretch, which no single run moves, and how its runs scatter.
fn level(values: &[f64], range: std::ops::Range<usize>) -> Level {
    let mut sorted = values[range.clone()].to_vec();
    let rate = super::noise::median(&mut sorted);
    let squares = sorted.iter().map(|value| (value - rate) * (value - rate)).sum::<f64>();
    let freedom = sorted.len().saturating_sub(1).max(1) as f64;
    let variation = if rate == 0.0 { 0.0 } else { (squares / freedom).sqrt() / rate };
    Level { begin: range.start, end: range.end, rate, variation }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random, normal enough: the sum of four.
    fn noise(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move || {
            let mut one = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state as f64 / u64::MAX as f64 - 0.5
            };
            (one() + one() + one() + one()) * 3f64.sqrt()
        }
    }

    fn runs(count: usize, seed: u64, level: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut noise = noise(seed);
        (0..count).map(|run| level(run) * (1.0 + 0.02 * noise())).collect()
    }

    #[test]
    fn a_lasting_change_is_found_where_it_happened() {
        let values = runs(60, 3, |run| if run < 40 { 1000.0 } else { 900.0 });
        let found = levels(&values);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].end.abs_diff(40) <= 1 && (found[1].rate / found[0].rate - 0.9).abs() < 0.02);
    }

    #[test]
    fn single_runs_and_noise_are_no_change() {
        let mut values = runs(50, 5, |_| 1000.0);
        values[20] = 300.0;
        assert_eq!(levels(&values).len(), 1);
        let changed = (0..1000).filter(|seed| levels(&runs(40, *seed, |_| 500.0)).len() > 1).count();
        assert!(changed < 20, "{changed} of 1000 histories of noise seem to change");
    }

    #[test]
    fn few_runs_and_impossible_figures_are_one_level() {
        assert_eq!(levels(&[5.0; 3]).len(), 1);
        assert_eq!(levels(&[0.0; 30]).len(), 1);
        assert_eq!(levels(&[]).len(), 1);
        assert_eq!(levels(&[5.0; 2500]).len(), 1);
    }
}
