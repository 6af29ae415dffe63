//! Lasting shifts in a series of any distribution. They are found by ranks, which outliers do not affect.

const MIN_VALUES: usize = 5;
const MIN_LEVEL_LENGTH: usize = 3;
/// Significance threshold of a shift in standard deviations, for the best of all positions.
const SIGNIFICANT_DEVIATIONS: f64 = 3.75;
const MAX_AUTOCORRELATION: f64 = 0.9;

/// The index from which on values are others than before, as a rule higher or lower. `None` = nowhere.
pub fn find_shift(values: &[f64]) -> Option<usize> {
    let count = values.len();
    if count < 2 * MIN_VALUES {
        return None;
    }
    let ranks = rank_values(values);
    let middle = (count as f64 + 1.0) / 2.0;
    let variance = ranks.iter().map(|rank| (rank - middle).powi(2)).sum::<f64>() / (count as f64 - 1.0);
    let mut sum = 0.0;
    let mut best = (0.0, 0);
    for (index, rank) in ranks.iter().enumerate() {
        let (before, behind) = (index as f64, (count - index) as f64);
        if index >= MIN_VALUES && count - index >= MIN_VALUES {
            let deviation = (variance * before * behind / count as f64).sqrt();
            let distance = (sum - before * middle).abs() / deviation;
            if distance > best.0 {
                best = (distance, index);
            }
        }
        sum += rank;
    }
    let (distance, at) = best;
    (distance > required_gap(&ranks, at)).then_some(at)
}

fn required_gap(ranks: &[f64], at: usize) -> f64 {
    let alike = rank_resemblance(ranks, at);
    SIGNIFICANT_DEVIATIONS * ((1.0 + alike) / (1.0 - alike)).sqrt()
}

/// Whether an already known change at `at` is confirmed. In a short series all values must be different.
pub fn is_at(values: &[f64], at: usize) -> bool {
    let (before, behind) = values.split_at(at.min(values.len()));
    if before.len() < MIN_LEVEL_LENGTH || behind.len() < MIN_LEVEL_LENGTH {
        return false;
    }
    let low = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let ranks = rank_values(values);
    let (count, middle) = (values.len() as f64, (values.len() as f64 + 1.0) / 2.0);
    let sum: f64 = ranks[..at].iter().sum();
    let deviation = (count * (count + 1.0) / 12.0 * (before.len() * behind.len()) as f64 / count).sqrt();
    let distance = (sum - before.len() as f64 * middle).abs() / deviation;
    high(before) < low(behind) || high(behind) < low(before) || distance > required_gap(&ranks, at)
}

/// Returns the ranks, from 1; equal values have the same rank.
fn rank_values(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let first = order.partition_point(|index| values[*index].total_cmp(&values[equal[0]]).is_lt());
        let rank = first as f64 + (equal.len() as f64 + 1.0) / 2.0;
        equal.iter().for_each(|index| ranks[*index] = rank);
    }
    ranks
}

/// Returns the correlation of neighboring values without the shift at `at`: 0 to [`MAX_AUTOCORRELATION`].
fn rank_resemblance(ranks: &[f64], at: usize) -> f64 {
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let means = [mean(&ranks[..at]), mean(&ranks[at..])];
    let rest: Vec<f64> =
        ranks.iter().enumerate().map(|(index, rank)| rank - means[usize::from(index >= at)]).collect();
    let products: f64 = rest.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let squares: f64 = rest.iter().map(|value| value * value).sum();
    (products / squares.max(f64::MIN_POSITIVE)).clamp(0.0, MAX_AUTOCORRELATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shift_is_located_and_noise_is_ignored() {
        let noise = |i: usize| (i * 7919 % 101) as f64;
        let step: Vec<f64> = (0..40).map(|i| noise(i) + if i < 18 { 0.0 } else { 300.0 }).collect();
        assert_eq!(find_shift(&step), Some(18));
        // Most values are as before, some are much larger.
        let tail: Vec<f64> =
            (0..60).map(|i| noise(i) + if i >= 30 && i % 3 != 0 { 1000.0 } else { 0.0 }).collect();
        assert!(find_shift(&tail).is_some_and(|at| (28..=32).contains(&at)));
        let level: Vec<f64> = (0..60).map(noise).collect();
        assert_eq!(find_shift(&level), None);
        let outliers: Vec<f64> = (0..60).map(|i| noise(i) + if i > 56 { 1e6 } else { 0.0 }).collect();
        assert_eq!(find_shift(&outliers), None);
        assert_eq!(find_shift(&[5.0; 60]), None);
        assert!(is_at(&step, 18) && is_at(&step[10..24], 8) && !is_at(&level, 30) && !is_at(&level[..10], 5));
        assert!(!is_at(&step, 0) && !is_at(&step, 40) && !is_at(&[], 5));
        assert_eq!(find_shift(&[1.0; 9]), None);
        assert_eq!(find_shift(&[]), None);
        assert_eq!(rank_values(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    }
}
