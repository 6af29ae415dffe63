//! Figures as shares of their level, without extremes. The same step for each run, wherever it stands: what
//! is stationary stays so.

use super::LEAST_NOISE;
use crate::stats::median;
use crate::stats::noise::{TO_DEVIATION, deviation_around};

/// Zero stands for this share of the level, so that it has a logarithm.
const ZERO: f64 = 0.001;
/// What lies farther from the median than so many deviations is brought in to there.
const REACH: f64 = 5.0;
/// Single runs farther from their level than so many deviations, and by this share, are named.
const FAR: f64 = 6.0;
const FAR_SHARE: f64 = 0.1;
/// The latest runs lie away from their level when each is so many deviations from it.
const AWAY: f64 = 4.0;
/// More than this share of runs far from their level is how the level is.
const FEW: f64 = 0.1;

/// Logarithms, with extremes brought in.
pub fn logarithms(values: &[f64]) -> Vec<f64> {
    let logs = plain_logarithms(values);
    let Middle { at, deviation } = Middle::of(&logs);
    logs.iter().map(|log| log.clamp(at - REACH * deviation, at + REACH * deviation)).collect()
}

/// The runs far from their level, by place: those at zero where the level isn't, and few others.
pub fn far(values: &[f64]) -> Vec<usize> {
    let logs = plain_logarithms(values);
    let Middle { at, deviation } = Middle::of(&logs);
    let least = (FAR * deviation).max(FAR_SHARE.ln_1p());
    let all: Vec<usize> = (0..values.len()).filter(|place| (logs[*place] - at).abs() > least).collect();
    let is_few = all.len() as f64 <= (FEW * values.len() as f64).max(1.0);
    all.into_iter().filter(|place| is_few || values[*place] == 0.0).collect()
}

/// For each run whether it lies away from the level of the earlier ones: below -1, above 1, else 0.
pub fn sides(earlier: &[f64], values: &[f64]) -> Vec<i8> {
    let logs = plain_logarithms(values);
    let Middle { at, deviation } = Middle::of(&logs[..earlier.len()]);
    let least = (AWAY * deviation).max(super::LEAST_CHANGE.ln_1p());
    let side = |log: &f64| if *log < at - least { -1 } else { i8::from(*log > at + least) };
    logs.iter().map(side).collect()
}

struct Middle {
    at: f64,
    deviation: f64,
}

impl Middle {
    fn of(logs: &[f64]) -> Middle {
        let at = median(logs.iter().copied());
        let deviation = TO_DEVIATION * deviation_around(logs);
        Middle { at, deviation: deviation.max(LEAST_NOISE) }
    }
}

fn plain_logarithms(values: &[f64]) -> Vec<f64> {
    let above: Vec<f64> = values.iter().copied().filter(|value| *value > 0.0).collect();
    if above.is_empty() {
        return vec![0.0; values.len()];
    }
    let least = ZERO * median(above);
    values.iter().map(|value| value.max(least).ln()).collect()
}
