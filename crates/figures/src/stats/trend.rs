//! Levels of a figure over many runs: permanent changes and their size.
//!
//! ```text
//! figures ─steadied─▶ logarithms without extremes ─partition─▶ bounds ─stands─▶ levels
//! ```
//!
//! Normal variation of disks is not a change: jumps between two levels, bursts, similar consecutive runs,
//! slow drift. A bound between levels is accepted only if it exceeds all of that ([`noise`]). Each level
//! must also last longer than earlier temporary stretches like it ([`stretches`]). `cargo xtask trends`
//! measures the error rate by kind of noise.

mod bounds;
mod line;
mod noise;
mod partition;
mod slope;
mod steadied;
mod stretches;

use super::segments::Sums;
use super::{Level, median};
use bounds::MIN_NOISE;
pub use bounds::{MIN_CHANGE, MIN_LEVEL, MIN_RUNS};
pub use slope::Slope;
use std::ops::Range;
/// Maximum number of latest runs in the analysis; the search takes quadratic time.
pub const MAX_RUNS: usize = 2000;
const MIN_BEFORE: usize = 4;
const MAX_BOUNDS: usize = 6;

/// Figure over many runs in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trend {
    /// Levels in order, at least one for any runs. Each starts at its first run.
    pub levels: Vec<Level>,
    /// Indexes of runs far from their level, including runs at zero.
    pub apart: Vec<usize>,
    /// Continuous rise or fall instead of levels.
    pub slope: Option<Slope>,
    /// The latest runs, where all of them lie away from their level and are too few to be one.
    pub latest: Option<Latest>,
}

/// Latest runs that may begin a change, or be a burst.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latest {
    pub runs: usize,
    pub rate: f64,
}

impl Trend {
    pub fn detect(values: &[f64]) -> Trend {
        if values.is_empty() {
            return Trend::default();
        }
        let from = values.len().saturating_sub(MAX_RUNS);
        let (mut begins, mut slope) = (vec![0], None);
        if values.iter().all(|value| *value >= 0.0 && value.is_finite()) {
            divide_levels(&values[from..], from, &mut begins);
            slope = if begins.len() == 1 { line::slope(&values[from..]) } else { None };
        }
        begins.sort_unstable();
        let ends = begins.iter().skip(1).copied().chain([values.len()]);
        let ranges: Vec<Range<usize>> = begins.iter().zip(ends).map(|(begin, end)| *begin..end).collect();
        let (mut levels, mut apart) = (Vec::new(), Vec::new());
        for range in &ranges {
            let far = steadied::find_outliers(&values[range.clone()]);
            levels.push(describe_level(values, range, &far));
            apart.extend(far.iter().map(|place| place + range.start));
        }
        let latest = levels.last().filter(|_| slope.is_none()).and_then(|level| latest_runs(values, level));
        let known = values.len() - latest.map_or(0, |latest| latest.runs);
        apart.retain(|place| *place < known || values[*place] == 0.0);
        Trend { levels, apart, slope, latest }
    }
}

fn divide_levels(values: &[f64], at: usize, begins: &mut Vec<usize>) {
    if values.len() < MIN_RUNS {
        return;
    }
    let steady = steadied::without_single_runs(values);
    let sums = Sums::from_values(&steady);
    let found = partition::best(&sums, MIN_LEVEL, MAX_BOUNDS)
        .into_iter()
        .find(|bounds| has_firm_bounds(values, &steady, &sums, bounds));
    let Some(bounds) = found else { return };
    let ends = bounds.iter().copied().chain([values.len()]);
    let mut begin = 0;
    for end in ends {
        if begin > 0 {
            begins.push(at + begin);
        }
        divide_levels(&values[begin..end], at + begin, begins);
        begin = end;
    }
}

/// Whether all bounds exceed the noise.
fn has_firm_bounds(values: &[f64], steady: &[f64], sums: &Sums, bounds: &[usize]) -> bool {
    let edges: Vec<usize> = [0].into_iter().chain(bounds.iter().copied()).chain([values.len()]).collect();
    let levels: Vec<Range<usize>> = edges.windows(2).map(|edge| edge[0]..edge[1]).collect();
    let means = levels.iter().flat_map(|level| level.clone().map(|_| sums.mean(level.clone())));
    let left: Vec<f64> = steady.iter().zip(means).map(|(value, mean)| value - mean).collect();
    let long_run = noise::long_run(&left, &levels, levels.len(), MIN_NOISE);
    let matters = |before: &Range<usize>, behind: &Range<usize>| {
        let [from, to] = [before, behind].map(|range| median(values[range.clone()].iter().copied()));
        let least = from.min(to);
        least == 0.0 && from != to || from.max(to) > least * (1.0 + MIN_CHANGE)
    };
    let is_clear = |before: &Range<usize>, behind: &Range<usize>| {
        let (a, b) = (before.len() as f64, behind.len() as f64);
        let step = sums.mean(behind.clone()) - sums.mean(before.clone());
        noise::explains_not(step, a * b / (a + b), long_run)
    };
    levels.windows(2).all(|pair| matters(&pair[0], &pair[1]) && is_clear(&pair[0], &pair[1]))
        && stretches::last(&steadied::logarithms(values), sums, &levels)
}

/// The median of a stretch, which no single run moves, and how its runs scatter, without those far from it.
fn describe_level(values: &[f64], range: &Range<usize>, far: &[usize]) -> Level {
    let rate = median(values[range.clone()].iter().copied());
    let near = values[range.clone()].iter().enumerate().filter(|(place, _)| !far.contains(place));
    let squares: Vec<f64> = near.map(|(_, value)| (value - rate) * (value - rate)).collect();
    let freedom = squares.len().saturating_sub(1).max(1) as f64;
    let deviation = (squares.iter().sum::<f64>() / freedom).sqrt();
    let variation = if rate == 0.0 { 0.0 } else { deviation / rate };
    Level { begin: range.start, end: range.end, rate, variation }
}

/// Returns the latest runs of the last level if all of them are away from the earlier runs on the same
/// side.
fn latest_runs(values: &[f64], level: &Level) -> Option<Latest> {
    let runs = &values[level.begin..level.end];
    let longest = (MIN_LEVEL - 1).min(runs.len() / 2);
    let is_new = |count: &usize| {
        let (earlier, latest) = runs.split_at(runs.len() - count);
        let sides = steadied::sides(earlier, runs);
        let (before, now) = sides.split_at(earlier.len());
        // Where such stretches came and went before, this is one more of them.
        let like_it = before.split(|side| *side != now[0]).map(<[i8]>::len).max().unwrap_or(0);
        let alike = now[0] != 0 && now.iter().all(|side| *side == now[0]);
        (alike && *count > 2 * like_it).then(|| Latest { runs: *count, rate: median(latest.iter().copied()) })
    };
    (1..=longest).filter(|count| runs.len() - count >= MIN_BEFORE).rev().find_map(|count| is_new(&count))
}
