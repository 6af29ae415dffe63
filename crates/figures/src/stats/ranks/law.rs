//! Distributions of rank statistics without a difference. They are exact for small samples, and
//! approximated by the normal distribution for larger ones.

use super::super::normal::cumulative;

pub const MAX_EXACT_PAIRS: usize = 2500;
const EXACT_SIGNED: usize = 60;

/// The distribution of a whole number from 0 to `most` that is as likely far above its middle as below.
#[derive(Debug, Clone)]
pub struct RankLaw {
    most: usize,
    variance: f64,
    chances: Option<Vec<f64>>,
}

impl RankLaw {
    /// In how many pairs the value of the one sample is the larger (Wilcoxon's rank sum, Mann and Whitney's
    /// U), for two samples from the same source.
    pub fn sum(first: usize, other: usize) -> RankLaw {
        let most = first * other;
        let variance = most as f64 * (first + other + 1) as f64 / 12.0;
        RankLaw { most, variance, chances: (most <= MAX_EXACT_PAIRS).then(|| sum_counts(first, other)) }
    }

    /// Returns the distribution of the sum of the ranks of positive values (Wilcoxon's signed ranks). It
    /// is the number of means of two values above 0, each value with itself included, for values symmetric
    /// around 0.
    pub fn signed(count: usize) -> RankLaw {
        let most = count * (count + 1) / 2;
        let variance = most as f64 * (2 * count + 1) as f64 / 12.0;
        RankLaw { most, variance, chances: (count <= EXACT_SIGNED).then(|| signed(count)) }
    }

    pub fn max_statistic(&self) -> usize {
        self.most
    }

    /// Returns the probability of at most this value.
    pub fn at_most(&self, number: usize) -> f64 {
        match &self.chances {
            Some(chances) => chances.iter().take(number + 1).sum::<f64>().min(1.0),
            None => cumulative((number as f64 + 0.5 - self.most as f64 / 2.0) / self.variance.sqrt()),
        }
    }

    /// Number of the smallest values whose total probability is at most `rest`: 0 = too few values for any.
    pub(crate) fn unlikely(&self, rest: f64) -> usize {
        let (mut low, mut high) = (0, self.most / 2 + 1);
        while low < high {
            let middle = (low + high) / 2;
            // Of the smallest `middle + 1` numbers. What is that likely in exact arithmetic may not be lost.
            if self.at_most(middle) <= rest * (1.0 + 1e-12) { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// Returns the probability of each U, by recursion on the sample that contains the largest value.
fn sum_counts(first: usize, other: usize) -> Vec<f64> {
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

/// The chance of each sum of ranks: every rank is in it or not, by the toss of a coin.
fn signed(count: usize) -> Vec<f64> {
    let mut chances = vec![1.0];
    for rank in 1..=count {
        let mut next = vec![0.0; chances.len() + rank];
        for (sum, chance) in chances.iter().enumerate() {
            next[sum] += chance / 2.0;
            next[sum + rank] += chance / 2.0;
        }
        chances = next;
    }
    chances
}
