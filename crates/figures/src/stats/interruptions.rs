//! Detection of a level with repeated interruptions: stalls, bursts and dips. They are too short to be
//! separate levels, but too frequent or too deep to be ignored.

use super::MAX_SLOPE;

/// Intervals that differ from the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Interruptions {
    pub intervals: usize,
    pub times: usize,
    /// Mean rate of the others: most of the series, or the faster half.
    pub level: f64,
    pub rate: f64,
    pub begin: usize,
    pub end: usize,
    /// Number of intervals between the starts of consecutive interruptions; `None` = irregular or fewer than
    /// three.
    pub period: Option<f64>,
    /// Share of the variance of all intervals that the two rates explain.
    pub explained: f64,
}

/// The interruptions of a series; `level` is its level without outliers. `None` = their effect on the overall
/// mean is insignificant ([`MAX_SLOPE`]), or the values scatter around one rate instead of two.
pub(super) fn detect(rates: &[f64], level: f64) -> Option<Interruptions> {
    let split = Split::split_rates(rates)?;
    let (slow, fast): (Vec<f64>, Vec<f64>) = rates.iter().partition(|rate| **rate <= split.at);
    let (slow_rate, fast_rate) = (mean_of(&slow), mean_of(&fast));
    let slower = slow.len() <= fast.len();
    let (rate, usual) = if slower { (slow_rate, fast_rate) } else { (fast_rate, slow_rate) };
    let mean = mean_of(rates);
    let differs = |from: f64| (mean - from).abs() > MAX_SLOPE * from;
    // Either two rates beyond doubt, or what was left out as outliers is missed in the level.
    let two_rates = split.explained >= explained_by_chance(rates.len()) && differs(usual);
    if !two_rates && !differs(level) {
        return None;
    }
    let apart = |rate: &f64| (*rate <= split.at) == slower;
    let begins: Vec<usize> = (0..rates.len())
        .filter(|index| {
            apart(&rates[*index]) && index.checked_sub(1).is_none_or(|before| !apart(&rates[before]))
        })
        .collect();
    Some(Interruptions {
        intervals: rates.iter().filter(|rate| apart(rate)).count(),
        times: begins.len(),
        level: usual,
        rate,
        begin: *begins.first()?,
        end: rates.iter().rposition(apart)? + 1,
        period: usual_period(&begins),
        explained: split.explained,
    })
}

/// Returns the share of the variance that a division into two explains for one rate with normal noise. It
/// is the limit for 1 of 100 simulated series of `count` values with autocorrelation up to 0.8. Evenly
/// scattered values stay below 0.8 in long series.
fn explained_by_chance(count: usize) -> f64 {
    (0.7 + 2.4 / count.max(1) as f64).max(0.8)
}

/// Division into slower and faster values that explains most of their variance.
struct Split {
    /// Fastest of the slower values.
    at: f64,
    explained: f64,
}

impl Split {
    fn split_rates(rates: &[f64]) -> Option<Split> {
        let mut sorted = rates.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (count, mean) = (rates.len() as f64, mean_of(rates));
        let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
        let all: f64 = sorted.iter().sum();
        let mut below = 0.0;
        let mut best: Option<Split> = None;
        for (index, pair) in sorted.windows(2).enumerate() {
            below += pair[0];
            let slow = index as f64 + 1.0;
            let apart = (all - below) / (count - slow) - below / slow;
            let explained = slow * (count - slow) / count * apart * apart / squares;
            if pair[0] < pair[1] && best.as_ref().is_none_or(|best| explained > best.explained) {
                best = Some(Split { at: pair[0], explained });
            }
        }
        best.filter(|best| best.explained.is_finite())
    }
}

/// Distance of the beginnings, if each is as far from the next as the others are, to an interval or a
/// quarter.
fn usual_period(begins: &[usize]) -> Option<f64> {
    let distances: Vec<f64> = begins.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let mean = mean_of(&distances);
    let regular = distances.iter().all(|distance| (distance - mean).abs() <= (mean / 4.0).max(1.0));
    (distances.len() >= 2 && regular).then_some(mean)
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate_series(count: usize, rate: impl Fn(usize) -> f64) -> Vec<f64> {
        // Some noise, the same each time.
        (0..count).map(|index| rate(index) * (1.0 + (index * 7919 % 13) as f64 / 1000.0)).collect()
    }

    #[test]
    fn stalls_dips_and_bursts_are_found_with_their_period() {
        let found = |rates: Vec<f64>, level| {
            let found = detect(&rates, level).unwrap();
            (found.intervals, found.times, found.begin, found.end, found.period)
        };
        let dip = rate_series(12, |i| if (5..8).contains(&i) { 400.0 } else { 1000.0 });
        assert_eq!(found(dip.clone(), 1000.0), (3, 1, 5, 8, None));
        let rates = detect(&dip, 1000.0).unwrap();
        assert!(
            (rates.rate / 402.0 - 1.0).abs() < 0.02 && (rates.level / 1006.0 - 1.0).abs() < 0.02,
            "{rates:?}"
        );
        let stalls = rate_series(20, |i| if i % 4 == 3 { 0.0 } else { 1000.0 });
        assert_eq!(found(stalls, 1000.0), (5, 5, 3, 20, Some(4.0)));
        let alternating = rate_series(30, |i| if i % 2 == 0 { 1000.0 } else { 2000.0 });
        assert_eq!(found(alternating, 1500.0), (15, 15, 0, 29, Some(2.0)));
        let bursts = rate_series(40, |i| if i % 10 < 2 { 3000.0 } else { 1000.0 });
        assert_eq!(found(bursts, 1000.0), (8, 4, 0, 32, Some(10.0)));
        let irregular = rate_series(40, |i| if [3, 4, 9, 20, 21, 33].contains(&i) { 100.0 } else { 1000.0 });
        assert_eq!(found(irregular, 1000.0), (6, 4, 3, 34, None));
    }

    #[test]
    fn negligible_interruptions_are_ignored() {
        let rare = rate_series(40, |i| if i % 20 == 7 { 100.0 } else { 1000.0 });
        assert_eq!(detect(&rare, 1000.0), None);
        let shallow = rate_series(40, |i| if i % 2 == 0 { 950.0 } else { 1050.0 });
        assert_eq!(detect(&shallow, 1000.0), None);
        assert_eq!(detect(&rate_series(40, |_| 1000.0), 1000.0), None);
        assert_eq!(detect(&[5.0; 12], 5.0), None);
        assert_eq!(detect(&[f64::NAN; 12], f64::NAN), None);
        assert_eq!(detect(&[], 0.0), None);
    }
}
