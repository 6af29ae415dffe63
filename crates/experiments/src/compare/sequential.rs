//! Interim analyses of a comparison, and its course with `--until-sure`.
//!
//! Each analysis may be wrong, so the looks share the error rate. After n of 30 pairs at most
//! `0.05 ln(1 + (e - 1) n / 30)` of it are used up (Lan and DeMets, of Pocock's type). Limits that start
//! smaller (O'Brien and Fleming's) are below the smallest chance that ranks of 5 or 8 pairs can have, so they
//! could not end any comparison before 12 pairs.

use super::schedule::draw_balanced;
use diskspd_figures::stats::ranks::CONFIDENCE;
use diskspd_figures::units::count_of;
use serde::{Deserialize, Serialize};
use std::f64::consts::E;

/// Numbers of pairs after which the comparison is analyzed.
pub const ANALYSIS_RUNS: [usize; 6] = [5, 8, 12, 18, 24, 30];
pub const MAX_PAIRS: usize = ANALYSIS_RUNS[ANALYSIS_RUNS.len() - 1];

/// The chance up to which each look calls a difference, for one figure. They follow from the distribution of
/// all six rank statistics without a difference; `cargo xtask looks` makes them.
pub const LEVELS: [f64; ANALYSIS_RUNS.len()] = [0.008, 0.008, 0.0123, 0.016, 0.0151, 0.0165];

/// Analyses that share the error rate of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterimAnalyses {
    /// At most this number of analyses, at least 1, with equal shares (Bonferroni).
    Equal(u32),
    /// Analysis after this number of pairs of `--until-sure`.
    AfterPairs(usize),
}

impl InterimAnalyses {
    /// Returns the confidence of each interval, if this number of figures also share the error rate.
    pub fn confidence(self, figures: usize) -> f64 {
        let rest = 1.0 - CONFIDENCE;
        let figures = figures.max(1) as f64;
        match self {
            InterimAnalyses::Equal(looks) => 1.0 - rest / (figures * f64::from(looks.max(1))),
            InterimAnalyses::AfterPairs(pairs) if figures == 1.0 => 1.0 - level_after(pairs),
            // The limits of smaller rates overlap less. Their sum keeps the rate in any case.
            InterimAnalyses::AfterPairs(pairs) => {
                let all: f64 = LEVELS.iter().sum();
                1.0 - level_after(pairs) * rest / (all * figures)
            }
        }
    }

    pub fn count(self) -> u32 {
        match self {
            InterimAnalyses::Equal(looks) => looks.max(1),
            InterimAnalyses::AfterPairs(_) => ANALYSIS_RUNS.len() as u32,
        }
    }
}

/// The share of comparisons without a difference that may be called different up to this number of pairs.
pub fn spent_after(pairs: usize) -> f64 {
    (1.0 - CONFIDENCE) * (1.0 + (E - 1.0) * pairs as f64 / MAX_PAIRS as f64).ln()
}

fn level_after(pairs: usize) -> f64 {
    match ANALYSIS_RUNS.iter().position(|look| *look >= pairs) {
        Some(look) if ANALYSIS_RUNS[look] == pairs => LEVELS[look],
        // The user has ended it between two looks.
        Some(0) => spent_after(pairs),
        Some(look) => spent_after(pairs) - spent_after(ANALYSIS_RUNS[look - 1]),
        None => LEVELS[ANALYSIS_RUNS.len() - 1],
    }
}

/// Returns the number of the analysis after these pairs, from 1.
pub fn look_after(pairs: usize) -> Option<usize> {
    Some(ANALYSIS_RUNS.iter().position(|look| *look == pairs)? + 1)
}

/// The side of each run, 0 = A and 1 = B: pairs in random order. At each look each side was first in half of
/// the pairs, and the sides follow no pattern.
pub fn draw_look_order(seed: u64) -> Vec<usize> {
    draw_balanced(&ANALYSIS_RUNS, seed)
}

/// Progress of a comparison with `--until-sure`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequentialDesign {
    pub pairs: usize,
    pub max_pairs: usize,
    /// Number of the last analysis, from 1; `None` = the user ended it between two analyses.
    pub look: Option<usize>,
    pub ended: SequentialOutcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SequentialOutcome {
    /// All deciding figures are certain, and at least one differs.
    Difference,
    /// All deciding figures are certainly equal.
    Equivalence,
    /// `--bisect`: certainly good or bad.
    Bisected,
    /// All pairs are used without a certain answer.
    MaxPairs,
    Stopped,
    /// No figure can be judged, even with more runs.
    NoFigure,
}

impl SequentialOutcome {
    pub fn name(self) -> &'static str {
        match self {
            SequentialOutcome::Difference => "difference",
            SequentialOutcome::Equivalence => "equivalence",
            SequentialOutcome::Bisected => "bisected",
            SequentialOutcome::MaxPairs => "max_pairs",
            SequentialOutcome::Stopped => "stopped",
            SequentialOutcome::NoFigure => "no_figure",
        }
    }

    fn reason(self) -> &'static str {
        match self {
            SequentialOutcome::Difference => "the difference is certain",
            SequentialOutcome::Equivalence => "it is certain that there is no relevant difference",
            SequentialOutcome::Bisected => "the judgement of --bisect is certain",
            SequentialOutcome::MaxPairs => "all pairs were made without a certain answer",
            SequentialOutcome::Stopped => "the user stopped it",
            SequentialOutcome::NoFigure => "no figure can be compared",
        }
    }
}

impl SequentialDesign {
    pub fn stopped(pairs: usize) -> SequentialDesign {
        SequentialDesign {
            pairs,
            max_pairs: MAX_PAIRS,
            look: look_after(pairs),
            ended: SequentialOutcome::Stopped,
        }
    }

    /// `12 pairs of at most 30 (look 3 of 6); ended, because the difference is certain. ..`
    pub fn sentence(&self) -> String {
        let look =
            self.look.map(|look| format!(" (look {look} of {})", ANALYSIS_RUNS.len())).unwrap_or_default();
        format!(
            "Until sure: {} of at most {}{look}; it ended because {}. Intervals are adjusted for the looks.",
            count_of(self.pairs, "pair"),
            self.max_pairs,
            self.ended.reason()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::find_period;
    use super::*;

    #[test]
    fn order_is_balanced_at_each_analysis() {
        for seed in 0..200 {
            let all = draw_look_order(seed);
            for pairs in ANALYSIS_RUNS {
                let order = &all[..2 * pairs];
                let first_a = order.chunks(2).filter(|pair| pair[0] == 0).count();
                assert!(first_a.abs_diff(pairs - first_a) <= 1, "{order:?}");
                assert_eq!(find_period(order), None, "{order:?}");
            }
        }
    }
}
