//! Comparisons with too few runs to detect any change, and the sufficient number of runs.

use super::schedule::MIN_PAIRS;
use diskspd_figures::stats::ranks::{CONFIDENCE, RankDesign};
use diskspd_figures::units::count_of;

/// Planned runs of a comparison, some of which may already exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlannedRuns {
    /// Number of pairs, with a run of each side.
    Pairs(usize),
    /// Runs of the earlier and the later side, measured sequentially.
    Sides([usize; 2]),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedPower {
    pub message: String,
    /// Whether no figure can show a change.
    pub detects_nothing: bool,
    pub each: usize,
    /// Sufficient runs of the later side with the given earlier side; `None` = no number suffices.
    pub later: Option<usize>,
}

/// Number of figures of a time span in addition to the deciding figure.
const OTHER_FIGURES: usize = 5;
const MAX_RUNS: usize = 1000;

/// Returns the limits of these runs; `None` = every figure can show a change. `deciding`: the number of
/// figures that decide, one for each time span or test.
pub fn foreseen(planned: PlannedRuns, deciding: usize) -> Option<PlannedPower> {
    let surest = 100.0 * rank_design(planned).surest();
    let found = |message: String, detects_nothing: bool, figures: usize| PlannedPower {
        message,
        detects_nothing,
        each: sufficient_runs(|runs| with_each(planned, runs), confidence_for(figures)).unwrap_or(MAX_RUNS),
        later: match planned {
            PlannedRuns::Pairs(_) => None,
            PlannedRuns::Sides([first, _]) => {
                sufficient_runs(|runs| PlannedRuns::Sides([first, runs]), confidence_for(figures))
            }
        },
    };
    if !is_sure(planned, deciding) {
        let (runs, spans) = match planned {
            PlannedRuns::Pairs(runs) => (format!("{} per side", count_of(runs, "run")), "time spans"),
            PlannedRuns::Sides([first, other]) => {
                (format!("{} and {other} of a test", count_of(first, "run")), "tests")
            }
        };
        let of = if deciding > 1 { format!(" in {deciding} {spans} together") } else { String::new() };
        let message = format!(
            "{runs} cannot detect any change{of}: a rank test of these runs is at most {surest:.1} % sure"
        );
        return Some(found(message, true, deciding));
    }
    let PlannedRuns::Pairs(runs) = planned else { return None };
    (!is_sure(planned, OTHER_FIGURES)).then(|| {
        let message = format!(
            "{runs} runs per side can detect a change of the deciding figure, but not of the other figures \
             (together they share an error rate of 5 %, and a rank test of these runs is at most \
             {surest:.1} % sure)"
        );
        found(message, false, OTHER_FIGURES)
    })
}

fn rank_design(planned: PlannedRuns) -> RankDesign {
    match planned {
        PlannedRuns::Pairs(runs) if runs < MIN_PAIRS => RankDesign::Sides(runs, runs),
        PlannedRuns::Pairs(runs) => RankDesign::Pairs(runs),
        PlannedRuns::Sides([first, other]) => RankDesign::Sides(first, other),
    }
}

fn with_each(planned: PlannedRuns, runs: usize) -> PlannedRuns {
    match planned {
        PlannedRuns::Pairs(_) => PlannedRuns::Pairs(runs),
        PlannedRuns::Sides(_) => PlannedRuns::Sides([runs, runs]),
    }
}

/// Whether these runs can show a change, if this number of figures is compared.
fn is_sure(planned: PlannedRuns, figures: usize) -> bool {
    can_show_change(rank_design(planned), confidence_for(figures))
}

/// Returns the confidence of each figure if this number of figures share the error rate.
fn confidence_for(figures: usize) -> f64 {
    1.0 - (1.0 - CONFIDENCE) / figures.max(1) as f64
}

/// Returns the smallest numbers of runs of both sides that can show a change, if `counts` cannot. Without a
/// `design` the sides do not alternate, and the earlier side stays if the later side can compensate.
pub(super) fn fewest_runs(design: Option<RankDesign>, counts: [usize; 2], sure: f64) -> Option<[usize; 2]> {
    let [first, other] = counts;
    if can_show_change(design.unwrap_or(RankDesign::Sides(first, other)), sure) {
        return None;
    }
    if design.is_some() {
        return sufficient_runs(PlannedRuns::Pairs, sure).map(|runs| [runs; 2]);
    }
    let each = sufficient_runs(|runs| PlannedRuns::Sides([runs; 2]), sure)?;
    let later = sufficient_runs(|runs| PlannedRuns::Sides([first, runs]), sure);
    Some(later.filter(|later| *later <= 2 * each).map_or([each; 2], |later| [first, later]))
}

/// Whether a change can reach the confidence `sure`.
fn can_show_change(design: RankDesign, sure: f64) -> bool {
    1.0 - design.surest() <= (1.0 - sure) * (1.0 + 1e-9)
}

/// Returns the minimum sufficient number of runs.
fn sufficient_runs(planned: impl Fn(usize) -> PlannedRuns, sure: f64) -> Option<usize> {
    (1..=MAX_RUNS).find(|runs| can_show_change(rank_design(planned(*runs)), sure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sufficient_runs_follow_from_both_sides() {
        for (planned, deciding, expected) in [
            (PlannedRuns::Pairs(3), 1, Some((true, 4, None))),
            (PlannedRuns::Pairs(4), 1, Some((false, 5, None))),
            (PlannedRuns::Pairs(8), 1, None),
            (PlannedRuns::Sides([3, 3]), 1, Some((true, 4, Some(5)))),
            (PlannedRuns::Sides([4, 4]), 1, None),
            (PlannedRuns::Sides([3, 5]), 1, None),
            (PlannedRuns::Sides([5, 5]), 4, None),
            (PlannedRuns::Sides([4, 4]), 4, Some((true, 5, Some(6)))),
            (PlannedRuns::Sides([1, 3]), 1, Some((true, 4, Some(39)))),
            (PlannedRuns::Sides([0, 3]), 1, Some((true, 4, None))),
        ] {
            let found = foreseen(planned, deciding);
            let found = found.map(|found| (found.detects_nothing, found.each, found.later));
            assert_eq!(found, expected, "{planned:?} {deciding}");
        }
    }

    #[test]
    fn fewest_runs_extend_later_side_first() {
        let alternating = |runs: usize| Some(RankDesign::Sides(runs, runs));
        for (design, counts, expected) in [
            (alternating(1), [1, 1], Some([4, 4])),
            (alternating(3), [3, 3], Some([4, 4])),
            (alternating(4), [4, 4], None),
            (None, [1, 1], Some([4, 4])),
            (None, [3, 1], Some([3, 5])),
            (None, [3, 3], Some([3, 5])),
            (None, [5, 0], Some([5, 3])),
            (None, [5, 3], None),
            (None, [0, 8], Some([4, 4])),
        ] {
            assert_eq!(fewest_runs(design, counts, CONFIDENCE), expected, "{design:?} {counts:?}");
        }
    }

    #[test]
    fn sufficient_run_number_is_unlimited() {
        for deciding in [1, 2, 7, 50] {
            for runs in 1..6 {
                for planned in [PlannedRuns::Pairs(runs), PlannedRuns::Sides([runs, runs])] {
                    let Some(found) = foreseen(planned, deciding).filter(|found| found.detects_nothing)
                    else {
                        continue;
                    };
                    let enough = foreseen(with_each(planned, found.each), deciding);
                    assert!(enough.is_none_or(|found| !found.detects_nothing), "{planned:?} {deciding}");
                    let fewer = foreseen(with_each(planned, found.each - 1), deciding).unwrap();
                    assert!(fewer.detects_nothing, "{planned:?} {deciding}");
                }
            }
        }
    }
}
