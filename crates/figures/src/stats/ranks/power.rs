//! Probability that a shift is found, and the number of values needed to find it.

use super::super::normal::{NormalValues, cumulative, density};
use super::law::RankLaw;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RankDesign {
    Sides(usize, usize),
    Pairs(usize),
}

const MAX_SIMULATED_RUNS: usize = 256;
const GAMES: u64 = 4000;

impl RankDesign {
    pub fn null_distribution(self) -> RankLaw {
        match self {
            RankDesign::Sides(first, other) => RankLaw::sum(first, other),
            RankDesign::Pairs(count) => RankLaw::signed(count),
        }
    }

    /// Maximum confidence of any shift, as a share; 0 without values.
    pub fn surest(self) -> f64 {
        let law = self.null_distribution();
        if law.max_statistic() == 0 { 0.0 } else { (1.0 - 2.0 * law.at_most(0)).max(0.0) }
    }

    /// Returns the probability of detecting a shift in normal values. `deviations` is the shift in
    /// standard deviations of the values, or of the differences for pairs.
    pub fn power(self, deviations: f64, sure: f64) -> f64 {
        match self.contrast_count() {
            0 => 0.0,
            contrasts if contrasts <= MAX_SIMULATED_RUNS => self.simulated_power(deviations.abs(), sure),
            _ => self.approximate_power(deviations.abs(), sure),
        }
    }

    /// The smallest shift, in deviations, that is called one with this chance; `None` = too few values for
    /// any.
    pub fn detectable(self, chance: f64, sure: f64) -> Option<f64> {
        const MAX_DEVIATIONS: f64 = 16.0;
        if self.power(MAX_DEVIATIONS, sure) < chance {
            return None;
        }
        let (mut low, mut high) = (0.0, MAX_DEVIATIONS);
        while high - low > 1e-3 {
            let middle = (low + high) / 2.0;
            if self.power(middle, sure) >= chance { high = middle } else { low = middle }
        }
        Some(high)
    }

    /// Returns the number of values needed to detect a shift of `deviations` with this probability.
    /// `design` creates the comparison for a number of values. `None` if more than `most`.
    pub fn needed(
        design: impl Fn(usize) -> RankDesign,
        deviations: f64,
        chance: f64,
        sure: f64,
        most: usize,
    ) -> Option<usize> {
        let enough = |count: usize| design(count).power(deviations, sure) >= chance;
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

    fn simulated_power(self, deviations: f64, sure: f64) -> f64 {
        type SimulatedTrials = BTreeMap<(RankDesign, u64), Arc<Vec<f64>>>;
        static GAMES_OF: LazyLock<Mutex<SimulatedTrials>> = LazyLock::new(Mutex::default);
        let mut all = GAMES_OF.lock().unwrap_or_else(PoisonError::into_inner);
        let games = all.entry((self, sure.to_bits())).or_insert_with(|| Arc::new(self.play_games(sure)));
        games.partition_point(|from| *from < deviations) as f64 / GAMES as f64
    }

    /// From which shift on each game is won, ascending; none where there are too few values to win any.
    fn play_games(self, sure: f64) -> Vec<f64> {
        let unlikely = self.unlikely_count(sure);
        if unlikely == 0 {
            return Vec::new();
        }
        let mut normal = NormalValues::new(1);
        let mut draw = |count: usize| (0..count).map(|_| normal.draw()).collect::<Vec<f64>>();
        let mut games: Vec<f64> = (0..GAMES)
            .map(|_| {
                let mut contrasts: Vec<f64> = match self {
                    RankDesign::Sides(first, other) => {
                        let (xs, ys) = (draw(first), draw(other));
                        xs.iter().flat_map(|x| ys.iter().map(move |y| y - x)).collect()
                    }
                    RankDesign::Pairs(count) => {
                        let all = draw(count);
                        let means = |(at, x)| all[at..].iter().map(move |y: &f64| (x + y) / 2.0);
                        all.iter().enumerate().flat_map(means).collect()
                    }
                };
                // The interval is above zero when its lower end is.
                let (_, low, _) = contrasts.select_nth_unstable_by(unlikely - 1, f64::total_cmp);
                -*low
            })
            .collect();
        games.sort_by(f64::total_cmp);
        games
    }

    /// Cached [`RankLaw::unlikely`].
    fn unlikely_count(self, sure: f64) -> usize {
        static POWER_CACHE: LazyLock<Mutex<BTreeMap<(RankDesign, u64), usize>>> =
            LazyLock::new(Mutex::default);
        let mut all = POWER_CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        *all.entry((self, sure.to_bits()))
            .or_insert_with(|| self.null_distribution().unlikely((1.0 - sure) / 2.0))
    }

    /// Returns the power from the mean and variance of the statistic under a shift (Lehmann, Nonparametrics).
    fn approximate_power(self, deviations: f64, sure: f64) -> f64 {
        let (mean, spread) = match self {
            RankDesign::Sides(first, other) => {
                let (m, n) = (first as f64, other as f64);
                // That a value of the one is above one of the other; and above two of them.
                let one = cumulative(deviations / 2f64.sqrt());
                let two = above_two(deviations);
                (m * n * one, m * n * (one * (1.0 - one) + (m + n - 2.0) * (two - one * one)))
            }
            RankDesign::Pairs(count) => {
                let n = count as f64;
                // That one is above 0; the mean of two; those of one with two others.
                let (one, mean) = (cumulative(deviations), cumulative(deviations * 2f64.sqrt()));
                let both = above_two(2.0 * deviations);
                let pairs = n * (n - 1.0) / 2.0;
                let spread = n * one * (1.0 - one)
                    + pairs * (2.0 * (one - mean).powi(2) + 3.0 * mean * (1.0 - mean))
                    + 2.0 * pairs * (n - 2.0) * (both - mean * mean);
                (n * one + pairs * mean, spread)
            }
        };
        if spread < 1e-9 {
            return 1.0;
        }
        let least = (self.contrast_count() - self.unlikely_count(sure)) as f64 + 0.5;
        1.0 - cumulative((least - mean) / spread.sqrt())
    }

    /// Returns the number of contrasts ([`RankLaw::most`]) without enumerating the law.
    fn contrast_count(self) -> usize {
        match self {
            RankDesign::Sides(first, other) => first * other,
            RankDesign::Pairs(count) => count * (count + 1) / 2,
        }
    }
}

/// Returns the probability that a shifted value exceeds two unshifted ones. The trapezoidal rule is exact
/// to nine digits because the integrand vanishes at both ends.
fn above_two(deviations: f64) -> f64 {
    const SEARCH_STEPS: i32 = 64;
    let width = 16.0 / f64::from(SEARCH_STEPS);
    let at = |step: i32| {
        let z = f64::from(step) * width - 8.0;
        cumulative(z + deviations).powi(2) * density(z)
    };
    (0..=SEARCH_STEPS).map(at).sum::<f64>() * width
}
