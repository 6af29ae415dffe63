//! Two samples compared by their ranks: how far one is shifted against the other, how sure that is, and
//! what more values would tell. Nothing is assumed of the shape of the noise; a single wild value moves
//! nothing.
//!
//! The test is Wilcoxon's rank sum (Mann and Whitney's U), its distribution the exact one up to
//! [`EXACT`] pairs; the estimate is Hodges and Lehmann's, the median of all differences, with the
//! interval that belongs to the test.

use super::noise::median;
use super::normal::{self, cumulative, density};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// How sure an interval is to hold the true shift.
pub const CONFIDENCE: f64 = 0.95;
/// Up to so many pairs the distribution is counted out; beyond, the normal one is as good.
pub const EXACT: usize = 2500;

/// The distribution of U, the number of pairs in which the value of the one sample is the larger, for
/// two samples from the same source.
#[derive(Debug, Clone)]
pub struct RankSum {
    first: usize,
    other: usize,
    /// `None` = too many pairs to count out.
    chances: Option<Vec<f64>>,
}

impl RankSum {
    /// For samples of these sizes.
    pub fn of(first: usize, other: usize) -> RankSum {
        let chances = (first * other <= EXACT).then(|| counted(first, other));
        RankSum { first, other, chances }
    }

    fn pairs(&self) -> usize {
        self.first * self.other
    }

    /// The chance that U is at most so much.
    pub fn at_most(&self, u: usize) -> f64 {
        match &self.chances {
            Some(chances) => chances.iter().take(u + 1).sum::<f64>().min(1.0),
            None => {
                let pairs = self.pairs() as f64;
                let variance = pairs * (self.first + self.other + 1) as f64 / 12.0;
                cumulative((u as f64 + 0.5 - pairs / 2.0) / variance.sqrt())
            }
        }
    }

    /// How many of the smallest values of U are together no likelier than half of what [`CONFIDENCE`]
    /// leaves: 0 = there are too few values for any of them.
    pub fn unlikely(&self) -> usize {
        let rest = (1.0 - CONFIDENCE) / 2.0;
        let (mut low, mut high) = (0, self.pairs() / 2 + 1);
        while low < high {
            let middle = (low + high) / 2;
            // Of the smallest `middle + 1` values.
            if self.at_most(middle) <= rest { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// The chance of each U: the largest of all values is of the one sample or the other, and what is left
/// is a smaller case.
fn counted(first: usize, other: usize) -> Vec<f64> {
    let mut above: Vec<Vec<f64>> = vec![vec![1.0]; other + 1];
    for i in 1..=first {
        let mut row = vec![vec![1.0]];
        for j in 1..=other {
            let mut chances = vec![0.0; i * j + 1];
            let share = i as f64 / (i + j) as f64;
            above[j].iter().enumerate().for_each(|(u, chance)| chances[u + j] += share * chance);
            row[j - 1].iter().enumerate().for_each(|(u, chance)| chances[u] += (1.0 - share) * chance);
            row.push(chances);
        }
        above = row;
    }
    above.pop().unwrap_or_default()
}

/// How far one sample is shifted against another, in the unit of the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// The median of all differences (Hodges-Lehmann).
    pub estimate: f64,
    /// Where the true shift lies; `None` = too few values to be so sure.
    pub interval: Option<(f64, f64)>,
    /// How sure that is: at least [`CONFIDENCE`], and more where ranks allow no less. 0 without an interval.
    pub confidence: f64,
    /// The chance that two samples from the same source differ so much or more. Ties count as if they
    /// stood for the smaller difference.
    pub chance: f64,
}

/// The shift from `first` to `other`; `None` = one of them is empty.
pub fn shift(first: &[f64], other: &[f64]) -> Option<Shift> {
    let mut differences: Vec<f64> = first.iter().flat_map(|a| other.iter().map(move |b| b - a)).collect();
    if differences.is_empty() {
        return None;
    }
    let estimate = median(&mut differences);
    let pairs = differences.len();
    let above = differences.iter().filter(|d| **d > 0.0).count();
    let ties = differences.iter().filter(|d| **d == 0.0).count();
    let sums = RankSum::of(first.len(), other.len());
    let smaller = above.min(pairs - above - ties) + ties.div_ceil(2);
    let chance = (2.0 * sums.at_most(smaller.min(pairs / 2))).min(1.0);
    let unlikely = sums.unlikely();
    let interval = (unlikely > 0).then(|| (differences[unlikely - 1], differences[pairs - unlikely]));
    let confidence = interval.map_or(0.0, |_| 1.0 - 2.0 * sums.at_most(unlikely - 1));
    Some(Shift { estimate, interval, confidence, chance })
}

/// The chance that a shift of so many standard deviations is found, of normal values.
pub fn power(first: usize, other: usize, deviations: f64) -> f64 {
    match first * other {
        0 => 0.0,
        pairs if pairs <= PLAYED => played(first, other, deviations.abs()),
        _ => approximate(first, other, deviations.abs()),
    }
}

/// Up to so many pairs the power is what so many games come to; beyond, a normal distribution of U is
/// near enough.
const PLAYED: usize = 256;
const GAMES: u64 = 4000;

/// The shares of fixed games that are won: samples of the same source, in each of which the shift is
/// known from which on it would be found. They are played once for all.
fn played(first: usize, other: usize, deviations: f64) -> f64 {
    type Games = BTreeMap<(usize, usize), Arc<Vec<f64>>>;
    static GAMES_OF: LazyLock<Mutex<Games>> = LazyLock::new(Mutex::default);
    let mut all = GAMES_OF.lock().unwrap_or_else(PoisonError::into_inner);
    let games = all.entry((first, other)).or_insert_with(|| Arc::new(play(first, other)));
    games.partition_point(|from| *from < deviations) as f64 / GAMES as f64
}

/// From which shift on each game is won, ascending; none where the samples are too small to win any.
fn play(first: usize, other: usize) -> Vec<f64> {
    let unlikely = RankSum::of(first, other).unlikely();
    if unlikely == 0 {
        return Vec::new();
    }
    let mut normal = normal::NormalValues::new(1);
    let mut games: Vec<f64> = (0..GAMES)
        .map(|_| {
            let xs: Vec<f64> = (0..first).map(|_| normal.next()).collect();
            let ys: Vec<f64> = (0..other).map(|_| normal.next()).collect();
            let mut differences: Vec<f64> = xs.iter().flat_map(|x| ys.iter().map(move |y| y - x)).collect();
            // The interval is above zero when its lower end is.
            let (_, low, _) = differences.select_nth_unstable_by(unlikely - 1, f64::total_cmp);
            -*low
        })
        .collect();
    games.sort_by(f64::total_cmp);
    games
}

/// [`RankSum::unlikely`], counted once for all.
fn unlikely(first: usize, other: usize) -> usize {
    static COUNTED: LazyLock<Mutex<BTreeMap<(usize, usize), usize>>> = LazyLock::new(Mutex::default);
    let mut all = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    *all.entry((first, other)).or_insert_with(|| RankSum::of(first, other).unlikely())
}

/// From the mean and the variance that U has under a shift.
fn approximate(first: usize, other: usize, deviations: f64) -> f64 {
    let unlikely = unlikely(first, other) as f64;
    // That a value of the one is above one of the other; and above two of them.
    let one = cumulative(deviations / 2f64.sqrt());
    let two = above_two(deviations);
    let (m, n) = (first as f64, other as f64);
    let spread = m * n * (one * (1.0 - one) + (m + n - 2.0) * (two - one * one));
    if spread < 1e-9 {
        return 1.0;
    }
    1.0 - cumulative((m * n - unlikely + 0.5 - m * n * one) / spread.sqrt())
}

/// The chance that a value shifted by so much is above two that are not, by the trapezoidal rule: exact
/// to nine digits for what vanishes at both ends.
fn above_two(deviations: f64) -> f64 {
    const STEPS: i32 = 64;
    let width = 16.0 / f64::from(STEPS);
    let at = |step: i32| {
        let z = f64::from(step) * width - 8.0;
        cumulative(z + deviations).powi(2) * density(z)
    };
    (0..=STEPS).map(at).sum::<f64>() * width
}

/// How many values each sample needs so that a shift of so many deviations is called one with this
/// chance; `None` = more than `most`.
pub fn needed(deviations: f64, chance: f64, most: usize) -> Option<usize> {
    let enough = |count: usize| power(count, count, deviations) >= chance;
    if !enough(most) {
        return None;
    }
    let (mut low, mut high) = (1, most);
    while low < high {
        let middle = (low + high) / 2;
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    Some(high)
}

/// The smallest shift, in deviations, that is called one with this chance; `None` = too few values for any.
pub fn detectable(first: usize, other: usize, chance: f64) -> Option<f64> {
    const MOST: f64 = 16.0;
    if power(first, other, MOST) < chance {
        return None;
    }
    let (mut low, mut high) = (0.0, MOST);
    while high - low > 1e-3 {
        let middle = (low + high) / 2.0;
        if power(first, other, middle) >= chance { high = middle } else { low = middle }
    }
    Some(high)
}

/// What the chances of several tests come to when each of them might have been the one to stand out (Holm).
pub fn holm(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|a, b| chances[*a].total_cmp(&chances[*b]));
    let mut corrected = vec![0.0; chances.len()];
    let mut least: f64 = 0.0;
    for (place, index) in order.into_iter().enumerate() {
        least = least.max(chances[index] * (chances.len() - place) as f64).min(1.0);
        corrected[index] = least;
    }
    corrected
}

/// The median; 0 of nothing.
pub fn middle(values: &[f64]) -> f64 {
    median(&mut values.to_vec())
}
