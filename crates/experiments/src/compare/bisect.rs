//! The judgement of a bisection: B with or without a loss.

use super::verdict::Compared;
use super::{RunComparison, unjudged_text};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BisectAnswer {
    Good,
    Bad,
    Skip,
}

/// Judges B by a loss of this share, in (0, 1). B is bad if its deciding figure is nearer to that loss than
/// to A, and the interval does not cover the middle between both. One bad figure of several suffices.
pub fn bisected(comparison: &RunComparison, loss: f64) -> BisectAnswer {
    if !unjudged_text(comparison).is_empty() || comparison.is_only_b_wrong() {
        return BisectAnswer::Skip;
    }
    let all: Vec<BisectAnswer> = comparison.primary().map(|metric| of_figure(metric, loss)).collect();
    match (all.contains(&BisectAnswer::Bad), all.contains(&BisectAnswer::Skip) || all.is_empty()) {
        (true, _) => BisectAnswer::Bad,
        (false, true) => BisectAnswer::Skip,
        (false, false) => BisectAnswer::Good,
    }
}

fn of_figure(metric: &Compared, loss: f64) -> BisectAnswer {
    if metric.confidence_percent.is_none() {
        return BisectAnswer::Skip;
    }
    let ratio = |percent: f64| 1.0 + percent / 100.0;
    let low = metric.low_percent.map_or(0.0, ratio);
    let high = metric.high_percent.map_or(f64::INFINITY, ratio);
    judged(metric.more_is_better, [low, high], loss)
}

/// Judges an interval of the ratio of B to A.
fn judged(more_is_better: bool, [low, high]: [f64; 2], loss: f64) -> BisectAnswer {
    let with_loss = if more_is_better { 1.0 - loss } else { 1.0 + loss };
    let middle = with_loss.sqrt();
    match (high < middle, low > middle) {
        (true, _) if more_is_better => BisectAnswer::Bad,
        (_, true) if more_is_better => BisectAnswer::Good,
        (true, _) => BisectAnswer::Good,
        (_, true) => BisectAnswer::Bad,
        _ => BisectAnswer::Skip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_is_judged_by_the_middle_of_the_loss() {
        for (more_is_better, interval, loss, expected) in [
            (true, [0.78, 0.82], 0.2, BisectAnswer::Bad),
            (true, [0.98, 1.03], 0.2, BisectAnswer::Good),
            (true, [0.90, 1.30], 0.2, BisectAnswer::Good),
            (true, [0.85, 0.95], 0.2, BisectAnswer::Skip),
            (true, [0.0, f64::INFINITY], 0.2, BisectAnswer::Skip),
            (true, [0.66, 1.5], 0.7, BisectAnswer::Good),
            (true, [0.0, 0.1], 0.7, BisectAnswer::Bad),
            (false, [1.18, 1.25], 0.2, BisectAnswer::Bad),
            (false, [0.5, 1.05], 0.2, BisectAnswer::Good),
            (false, [1.05, 1.2], 0.2, BisectAnswer::Skip),
            (false, [3.0, f64::INFINITY], 0.5, BisectAnswer::Bad),
        ] {
            assert_eq!(judged(more_is_better, interval, loss), expected, "{interval:?} {loss}");
        }
    }
}
