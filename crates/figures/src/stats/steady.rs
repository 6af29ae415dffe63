//! Description of a rate over time: steady, changing, or not settled yet.
//!
//! A course is steady unless another shape describes it better than noise would explain ([`segments`]) and
//! the difference is relevant. The limits are from the steady-state window in the SNIA's Performance Test
//! Specification. That window alone would randomly reject a noisy course, and accept a clear change of 15
//! % in its last fifth. Values excluded as noise or outliers count again at the end, so a level different
//! from the overall mean is not steady ([`interruptions`]).

use super::interruptions::{self, Interruptions};
use super::noise::{Noise, without_outliers};
use super::periods::{self, Periodic};
use super::segments::{self, MIN_LEVEL, Ramp, Sums};
use super::{MAX_SLOPE, relative_change};
use std::ops::Range;

pub const MIN_INTERVALS: usize = 10;
/// Number of rounds, as in the steady-state window of the SNIA's Performance Test Specification.
const WINDOW_ROUNDS: usize = 5;
/// Maximum distance between two rounds of a steady window, as a share of their mean (SNIA PTS).
pub const MAX_EXCURSION: f64 = 0.20;
/// Minimum noise as a share of the mean, caused by timing alone.
const MIN_NOISE: f64 = 0.005;
const MAX_INTERVALS: usize = 240;
const SIGNIFICANT_DEVIATIONS: f64 = 6.0;
/// Maximum variation of flat rates, as a share of their mean.
const MAX_FLAT_VARIATION: f64 = 0.10;
/// Maximum number of levels; more are the normal behavior of the device.
const MAX_LEVELS: usize = 4;

#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Constant level with noise.
    Level,
    /// Continuous rise or fall.
    Ramp {
        from: f64,
        to: f64,
        /// First level interval; the number of intervals = none.
        until: usize,
    },
    /// One or several abrupt changes.
    Steps {
        /// Levels in order, at least two.
        levels: Vec<Level>,
    },
    /// One level, with stalls, dips or bursts that change the mean significantly.
    Interrupted(Interruptions),
    /// Repeated rise and fall.
    Periodic(Periodic),
    Restless {
        low: f64,
        high: f64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    pub begin: usize,
    pub end: usize,
    pub rate: f64,
    /// Standard deviation of its intervals, as a share of the rate.
    pub variation: f64,
}

impl Level {
    /// Returns the change from an earlier level in percent; `None` = that level was near zero.
    pub fn change_percent(&self, before: &Level) -> Option<f64> {
        relative_change(before.rate, self.rate).map(|change| change * 100.0)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct SeriesShape {
    pub count: usize,
    pub mean: f64,
    pub mean_of_all: f64,
    /// Standard deviation of the intervals without outliers, as a share of the mean.
    pub variation: f64,
    /// Number of intervals far from their neighbours.
    pub outliers: usize,
    /// Maximum distance between two of five rounds, as a share of their mean.
    pub excursion: f64,
    /// Change of the regression line over the five rounds, as a share of their mean; negative = falling.
    pub slope: f64,
    /// Correlation of neighboring intervals, 0 to 0.8.
    pub autocorrelation: f64,
    pub shape: Shape,
    /// Rates at the start and end of a level with a significant but irrelevant drift; it is not steady.
    pub drifts: Option<(f64, f64)>,
    /// First level interval.
    settles_at: Option<usize>,
}

impl SeriesShape {
    /// Describes rates of intervals of the same length. `None` for fewer than [`MIN_INTERVALS`] rates, or
    /// only zeros.
    pub fn classify(rates: &[f64]) -> Option<SeriesShape> {
        let factor = rates.len().div_ceil(MAX_INTERVALS).max(1);
        let merged: Vec<f64> =
            rates.chunks(factor).map(|chunk| chunk.iter().sum::<f64>() / chunk.len() as f64).collect();
        let mean = mean_of(&merged);
        if rates.len() < MIN_INTERVALS || mean.is_nan() || mean <= 0.0 {
            return None;
        }
        let least = MIN_NOISE * mean;
        let (values, outliers) = without_outliers(&merged, least);
        let mean = mean_of(&values).max(f64::MIN_POSITIVE);
        let noise = Noise::estimate(&values, least);
        let rounds: Vec<f64> = (0..WINDOW_ROUNDS)
            .map(|i| {
                mean_of(&values[i * values.len() / WINDOW_ROUNDS..(i + 1) * values.len() / WINDOW_ROUNDS])
            })
            .collect();
        let excursion = (max_of(&rounds) - min_of(&rounds)) / mean;
        let mut shape = cheapest_shape(&values, &noise, mean);
        let by_chance =
            SIGNIFICANT_DEVIATIONS * (noise.long_run / (values.len() / WINDOW_ROUNDS) as f64).sqrt() / mean;
        if shape == Shape::Level && excursion > MAX_EXCURSION.max(by_chance) {
            shape = Shape::Restless { low: min_of(&rounds), high: max_of(&rounds) };
        }
        let drifts = find_drift(&values, &noise).filter(|_| shape == Shape::Level);
        let mut shape = stretch_shape(shape, factor, rates.len());
        if let Some(found) =
            interruptions::detect(rates, mean).filter(|found| describes_rates(found, &shape, rates))
        {
            shape = left_level(found, rates);
        }
        if let Some(found) = find_turns(&merged, &shape, mean) {
            shape = Shape::Periodic(Periodic { period: found.period * factor as f64, ..found });
        }
        // If most intervals are empty, there is no level.
        if shape == Shape::Level && is_mostly_empty(rates) {
            return None;
        }
        Some(SeriesShape {
            count: rates.len(),
            mean,
            mean_of_all: mean_of(rates),
            variation: deviation_of(&values) / mean,
            outliers,
            excursion,
            slope: slope_of(&rounds) / mean,
            autocorrelation: noise.autocorrelation,
            settles_at: settles_at(&shape, rates),
            drifts: drifts.filter(|_| shape == Shape::Level),
            shape,
        })
    }

    /// Whether the rate is steady: one level, within the SNIA's window.
    pub fn is_steady(&self) -> bool {
        self.shape == Shape::Level && beyond_window(self.excursion, self.slope) <= 1.0
    }

    /// The interval from which on it is level, with at least [`MIN_INTERVALS`] / 2 intervals to show it;
    /// `None` = nowhere.
    pub fn settles_at(&self) -> Option<usize> {
        self.settles_at
    }
}

/// Returns the larger of excursion and slope as a multiple of its limit in the SNIA's steady-state window.
/// Above the limit, noise alone may be the cause.
pub fn beyond_window(excursion: f64, slope: f64) -> f64 {
    (excursion / MAX_EXCURSION).max(slope.abs() / MAX_SLOPE)
}

/// The turning points of a course that is not level, if they are significant and no regular pattern is known.
fn find_turns(values: &[f64], shape: &Shape, mean: f64) -> Option<Periodic> {
    let is_explained = match shape {
        Shape::Level => true,
        Shape::Interrupted(found) => found.times == 1 || found.period.is_some(),
        _ => false,
    };
    let found = if is_explained { None } else { periods::detect(values) };
    found.filter(|found| found.high - found.low > MAX_EXCURSION * mean)
}

/// Minimum number of regular stretches of an alternating rate. Fewer or irregular ones may be changes of
/// level with stalls.
const MIN_INTERRUPTIONS: usize = 4;

/// Whether interruptions describe a series better than its shape does: a level or restlessness leaves them
/// out, and a change or ramp must not leave twice as much unexplained.
fn describes_rates(found: &Interruptions, shape: &Shape, rates: &[f64]) -> bool {
    let expected = |index: usize| match shape {
        Shape::Ramp { from, to, until } => {
            from + (to - from) * (index as f64 / until.saturating_sub(1).max(1) as f64).min(1.0)
        }
        Shape::Steps { levels } => {
            levels.iter().rfind(|level| level.begin <= index).map_or(0.0, |level| level.rate)
        }
        _ => f64::INFINITY,
    };
    let mean = mean_of(rates);
    let left: f64 = rates.iter().enumerate().map(|(index, rate)| (rate - expected(index)).powi(2)).sum();
    let all: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    let regular = found.period.is_some() && found.times >= MIN_INTERRUPTIONS;
    left.is_infinite() || (regular && left > 2.0 * (1.0 - found.explained) * all)
}

fn is_mostly_empty(rates: &[f64]) -> bool {
    rates.iter().filter(|rate| **rate == 0.0).count() * 2 > rates.len()
}

/// The shape of a level that was left. A burst at the beginning, followed by a flat rate to the end, is a
/// change: a limit with credits, a cache that fills up. Work among mostly empty intervals interrupts nothing.
fn left_level(found: Interruptions, rates: &[f64]) -> Shape {
    let begins = found.times == 1 && found.begin == 0;
    let is_burst = begins && found.rate > found.level;
    if is_burst && is_flat(&rates[found.end..]) {
        let level = |range: Range<usize>| {
            let rate = mean_of(&rates[range.clone()]);
            let variation = deviation_of(&rates[range.clone()]) / rate.max(f64::MIN_POSITIVE);
            Level { begin: range.start, end: range.end, rate, variation }
        };
        return Shape::Steps { levels: vec![level(0..found.end), level(found.end..rates.len())] };
    }
    match found.period {
        _ if begins || !is_mostly_empty(rates) => Shape::Interrupted(found),
        Some(period) => Shape::Periodic(Periodic {
            period,
            times: found.times,
            low: found.level,
            high: found.rate,
            explained: found.explained,
        }),
        None => Shape::Restless { low: found.level, high: found.rate },
    }
}

/// Whether rates stay at a level above zero. The first one may belong to the level before.
pub fn is_flat(rates: &[f64]) -> bool {
    let rest = rates.get(1..).unwrap_or_default();
    let mean = mean_of(rest);
    rest.len() + 1 >= MIN_INTERVALS / 2 && mean > 0.0 && deviation_of(rest) <= MAX_FLAT_VARIATION * mean
}

fn settles_at(shape: &Shape, rates: &[f64]) -> Option<usize> {
    let from = match shape {
        Shape::Level => return Some(0),
        Shape::Ramp { until, .. } => *until,
        Shape::Steps { levels } => levels.last().map_or(0, |level| level.begin),
        // It took a while to begin.
        Shape::Interrupted(Interruptions { times: 1, begin: 0, end, .. }) => *end,
        Shape::Interrupted(_) | Shape::Periodic(_) | Shape::Restless { .. } => return None,
    };
    if from + MIN_INTERVALS / 2 > rates.len() {
        return None;
    }
    // The interval of the change belongs to both sides.
    let level = rates.get(from + 1..)?;
    let (cleaned, _) = without_outliers(level, MIN_NOISE * mean_of(level));
    interruptions::detect(level, mean_of(&cleaned)).is_none().then_some(from)
}

/// Returns the shape with the lowest cost, if its effect is relevant.
fn cheapest_shape(values: &[f64], noise: &Noise, mean: f64) -> Shape {
    let sums = Sums::from_values(values);
    let level = segments::level(&sums, noise);
    let levels = segments::levels(&sums, noise);
    let ramp = segments::ramp(&sums, noise).filter(|ramp| ramp.cost < level && ramp.cost <= levels.cost);
    if let Some(segments::Fit { shape: Ramp { from, to, until }, .. }) = ramp {
        let matters = (to - from).abs() > MAX_SLOPE * mean;
        return if matters { Shape::Ramp { from, to, until } } else { Shape::Level };
    }
    let begins = merge_levels(levels.shape, &sums, values.len());
    if begins.len() < 2 {
        return Shape::Level;
    }
    let levels: Vec<Level> = level_ranges(&begins, values.len())
        .map(|range| {
            let rate = sums.mean(range.clone());
            let variation = deviation_of(&values[range.clone()]) / rate.abs().max(f64::MIN_POSITIVE);
            Level { begin: range.start, end: range.end, rate, variation }
        })
        .collect();
    if levels.len() > MAX_LEVELS {
        let rates: Vec<f64> = levels.iter().map(|level| level.rate).collect();
        return Shape::Restless { low: min_of(&rates), high: max_of(&rates) };
    }
    Shape::Steps { levels }
}

/// The rates of a ramp that reaches to the end, if it describes the values better than a level and levels.
fn find_drift(values: &[f64], noise: &Noise) -> Option<(f64, f64)> {
    let sums = Sums::from_values(values);
    let ramp = segments::ramp(&sums, noise)?;
    let best = segments::level(&sums, noise).min(segments::levels(&sums, noise).cost);
    let Ramp { from, to, until } = ramp.shape;
    (ramp.cost < best && until == values.len()).then_some((from, to))
}

fn level_ranges(begins: &[usize], count: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let ends = begins.iter().skip(1).copied().chain([count]);
    begins.iter().zip(ends).map(|(begin, end)| *begin..end)
}

/// Merges levels with an irrelevant difference, the closest ones first.
fn merge_levels(mut begins: Vec<usize>, sums: &Sums, count: usize) -> Vec<usize> {
    loop {
        let rates: Vec<f64> = level_ranges(&begins, count).map(|range| sums.mean(range)).collect();
        let difference = |pair: &[f64]| {
            (pair[1] - pair[0]).abs() / pair[0].abs().max(pair[1].abs()).max(f64::MIN_POSITIVE)
        };
        let closest = rates.windows(2).map(difference).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        match closest {
            Some((index, difference)) if difference < MAX_SLOPE => begins.remove(index + 1),
            _ => return begins,
        };
    }
}

/// Converts a shape of sums of `factor` intervals to the original intervals.
fn stretch_shape(shape: Shape, factor: usize, count: usize) -> Shape {
    let place = |index: usize| (index * factor).min(count);
    match shape {
        Shape::Ramp { from, to, until } => Shape::Ramp { from, to, until: place(until) },
        Shape::Steps { levels } => {
            let level = |level: Level| Level { begin: place(level.begin), end: place(level.end), ..level };
            Shape::Steps { levels: levels.into_iter().map(level).collect() }
        }
        other => other,
    }
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn deviation_of(values: &[f64]) -> f64 {
    let mean = mean_of(values);
    mean_of(&values.iter().map(|x| (x - mean).powi(2)).collect::<Vec<_>>()).sqrt()
}

fn min_of(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn max_of(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn slope_of(values: &[f64]) -> f64 {
    let middle = (values.len() as f64 - 1.0) / 2.0;
    let distance = |index: usize| index as f64 - middle;
    let product: f64 = values.iter().enumerate().map(|(index, x)| distance(index) * x).sum();
    let squares: f64 = (0..values.len()).map(|index| distance(index).powi(2)).sum();
    product / squares * (values.len() as f64 - 1.0)
}

const _: () = assert!(MIN_INTERVALS >= 2 * MIN_LEVEL && MIN_INTERVALS >= WINDOW_ROUNDS);
