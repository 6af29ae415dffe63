//! The end of a comparison with `--until-sure`.

use super::sequential::{MAX_PAIRS, SequentialDesign, SequentialOutcome, look_after};
use super::{BisectAnswer, ChangeVerdict, RunComparison, bisected};

/// Judges the comparison after a look; `None` = more pairs are needed. `loss` is the loss of `--bisect`.
pub fn judge_look(comparison: &RunComparison, pairs: usize, loss: Option<f64>) -> Option<SequentialDesign> {
    let look = look_after(pairs)?;
    let ended =
        end_of(comparison, loss).or_else(|| (pairs >= MAX_PAIRS).then_some(SequentialOutcome::MaxPairs))?;
    Some(SequentialDesign { pairs, max_pairs: MAX_PAIRS, look: Some(look), ended })
}

fn end_of(comparison: &RunComparison, loss: Option<f64>) -> Option<SequentialOutcome> {
    let verdicts: Vec<ChangeVerdict> = comparison.primary().map(|metric| metric.verdict).collect();
    let has = |verdict| verdicts.contains(&verdict);
    if verdicts.iter().all(|verdict| *verdict == ChangeVerdict::NotCompared) {
        return Some(SequentialOutcome::NoFigure);
    }
    if let Some(loss) = loss {
        return (bisected(comparison, loss) != BisectAnswer::Skip).then_some(SequentialOutcome::Bisected);
    }
    if has(ChangeVerdict::CantTell) || has(ChangeVerdict::TwoRuns) {
        return None;
    }
    let differs = has(ChangeVerdict::Better) || has(ChangeVerdict::Worse);
    Some(if differs { SequentialOutcome::Difference } else { SequentialOutcome::Equivalence })
}
