//! The judgement of a bisection: B with or without a loss.

use super::verdict::Compared;
use super::{RunComparison, unjudged};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bisected {
    Good,
    Bad,
    /// Good and bad are possible.
    Skip,
}

/// Judges B by a loss of this share, in (0, 1). B is bad if its deciding figure is nearer to that loss than
/// to A, and the interval does not cover the middle between both. One bad figure of several suffices.
pub fn bisected(comparison: &RunComparison, loss: f64) -> Bisected {
    if !unjudged(comparison).is_empty() || comparison.is_only_b_wrong() {
        return Bisected::Skip;
    }
    let all: Vec<Bisected> = comparison.primary().map(|metric| of_figure(metric, loss)).collect();
    match (all.contains(&Bisected::Bad), all.contains(&Bisected::Skip) || all.is_empty()) {
        (true, _) => Bisected::Bad,
        (false, true) => Bisected::Skip,
        (false, false) => Bisected::Good,
    }
}

fn of_figure(metric: &Compared, loss: f64) -> Bisected {
    if metric.confidence_percent.is_none() {
        return Bisected::Skip;
    }
    let ratio = |percent: f64| 1.0 + percent / 100.0;
    let low = metric.low_percent.map_or(0.0, ratio);
    let high = metric.high_percent.map_or(f64::INFINITY, ratio);
    judged(metric.more_is_better, [low, high], loss)
}

/// Judges an interval of the ratio of B to A.
fn judged(more_is_better: bool, [low, high]: [f64; 2], loss: f64) -> Bisected {
    let with_loss = if more_is_better { 1.0 - loss } else { 1.0 + loss };
    let middle = with_loss.sqrt();
    match (high < middle, low > middle) {
        (true, _) if more_is_better => Bisected::Bad,
        (_, true) if more_is_better => Bisected::Good,
        (true, _) => Bisected::Good,
        (_, true) => Bisected::Bad,
        _ => Bisected::Skip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_is_judged_by_the_middle_of_the_loss() {
        for (more_is_better, interval, loss, expected) in [
            (true, [0.78, 0.82], 0.2, Bisected::Bad),
            (true, [0.98, 1.03], 0.2, Bisected::Good),
            (true, [0.90, 1.30], 0.2, Bisected::Good),
            (true, [0.85, 0.95], 0.2, Bisected::Skip),
            (true, [0.0, f64::INFINITY], 0.2, Bisected::Skip),
            (true, [0.66, 1.5], 0.7, Bisected::Good),
            (true, [0.0, 0.1], 0.7, Bisected::Bad),
            (false, [1.18, 1.25], 0.2, Bisected::Bad),
            (false, [0.5, 1.05], 0.2, Bisected::Good),
            (false, [1.05, 1.2], 0.2, Bisected::Skip),
            (false, [3.0, f64::INFINITY], 0.5, Bisected::Bad),
        ] {
            assert_eq!(judged(more_is_better, interval, loss), expected, "{interval:?} {loss}");
        }
    }
}
