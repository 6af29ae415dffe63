//! Detection of periodic series.

#[derive(Debug, Clone, PartialEq)]
pub struct Periodic {
    /// Length of a period in intervals.
    pub period: f64,
    pub times: usize,
    /// Mean of the lowest part of a period.
    pub low: f64,
    /// Mean of the highest part of a period.
    pub high: f64,
    /// Share of the variance that the period explains, for its number of parts.
    pub explained: f64,
}

const MIN_PERIODS: usize = 3;
const MIN_PERIOD: usize = 4;
const MAX_PARTS: usize = 8;
/// Minimum explained share of the variance of a period.
const MIN_EXPLAINED_VARIANCE: f64 = 0.7;
/// A turn within so much of the best explains as much: the shortest of them is it, not a multiple.
const EQUAL_FIT_SHARE: f64 = 0.05;

/// Returns the period of a series with a residual below 30 % of the variance. `None` if there are fewer
/// than three periods.
pub(super) fn detect(values: &[f64]) -> Option<Periodic> {
    let longest = values.len() / MIN_PERIODS;
    let turns: Vec<Periodic> =
        (2 * MIN_PERIOD..=2 * longest).filter_map(|half| fold_values(values, half as f64 / 2.0)).collect();
    let best = turns.iter().map(|turn| turn.explained).fold(0.0, f64::max);
    if best < MIN_EXPLAINED_VARIANCE {
        return None;
    }
    // The first hill of those that are as good: its top.
    let first = turns.iter().position(|turn| turn.explained >= best - EQUAL_FIT_SHARE)?;
    let hill = turns.get(first..)?.iter().take_while(|turn| turn.explained >= best - EQUAL_FIT_SHARE);
    hill.max_by(|a, b| a.explained.total_cmp(&b.explained)).cloned()
}

fn fold_values(values: &[f64], period: f64) -> Option<Periodic> {
    let parts = (period as usize).clamp(MIN_PERIOD, MAX_PARTS);
    let part = |index: usize| ((index as f64 % period) / period * parts as f64) as usize % parts;
    let mut sums = [(0.0, 0.0); MAX_PARTS];
    for (index, value) in values.iter().enumerate() {
        let (sum, count) = &mut sums[part(index)];
        (*sum, *count) = (*sum + value, *count + 1.0);
    }
    let means = sums.map(|(sum, count)| sum / f64::max(count, 1.0));
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = |of: &dyn Fn(usize) -> f64| -> f64 {
        values.iter().enumerate().map(|(index, value)| (value - of(index)).powi(2)).sum()
    };
    let (left, all) = (squares(&|index| means[part(index)]), squares(&|_| mean));
    let (count, freedom) = (values.len() as f64, values.len().checked_sub(parts)?);
    let explained = 1.0 - (left / freedom.max(1) as f64) / (all / (count - 1.0));
    let used = &means[..parts];
    explained.is_finite().then(|| Periodic {
        period,
        times: (count / period) as usize,
        low: used.iter().copied().fold(f64::INFINITY, f64::min),
        high: used.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        explained,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periodic_series_has_its_period() {
        // Some noise, the same each time.
        let noise = |i: usize| (i * 7919 % 13) as f64;
        let saw = |period: f64| move |i: usize| 1000.0 - 500.0 * (i as f64 % period) / period + noise(i);
        let wave = |period: f64| {
            move |i: usize| 1000.0 + 300.0 * (i as f64 / period * std::f64::consts::TAU).sin() + noise(i)
        };
        for count in [40, 41, 120, 240] {
            for period in [6.0, 10.0, 12.5, 13.0] {
                for values in [
                    (0..count).map(saw(period)).collect::<Vec<f64>>(),
                    (0..count).map(wave(period)).collect(),
                ] {
                    let found = detect(&values).unwrap();
                    let wrong = (found.period / period - 1.0).abs();
                    assert!(wrong < 0.09, "{count} by {period}: {found:?}");
                    assert!(found.high - found.low > 250.0, "{found:?}");
                }
            }
        }
    }

    #[test]
    fn aperiodic_series_has_no_period() {
        let of = |rate: &dyn Fn(usize) -> f64| detect(&(0..60).map(rate).collect::<Vec<f64>>());
        assert_eq!(of(&|_| 5.0), None);
        assert_eq!(of(&|i| 100.0 - i as f64), None);
        assert_eq!(of(&|i| if i < 25 { 100.0 } else { 50.0 }), None);
        assert_eq!(of(&|i| if (20..30).contains(&i) { 100.0 } else { 50.0 }), None);
        // Twice is no return.
        assert_eq!(of(&|i| 100.0 - (i % 30) as f64), None);
        assert_eq!(super::detect(&[]), None);
        assert_eq!(super::detect(&[1.0; 11]), None);
    }
}
