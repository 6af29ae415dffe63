//! Simulated comparisons with `--until-sure`: their limits, and how often they are wrong and how long they are.

use super::noise::{Noise, STATIONARY, TREACHEROUS, drifting};
use super::random::Random;
use diskspd::experiments::compare::{
    ANALYSIS_RUNS, ComparisonQuery, InterimAnalyses, MAX_PAIRS, SequentialDesign, Side, SideRun, compare,
    draw_look_order, judge_look, spent_after,
};
use diskspd::results::{DirectionSummary, Origin, RunSummary, SpanSummary};
use diskspd::stats::ranks::RankDesign;
use std::collections::BTreeMap;

/// Limit of an analysis, and the share of comparisons without a difference that ended up to it.
#[derive(Debug, Clone, Copy)]
pub struct LookLimit {
    pub pairs: usize,
    /// Number of smallest values of the rank statistic that end the comparison, at either end.
    pub values: usize,
    /// Probability of these values at both ends together.
    pub level: f64,
    /// Probability with one value more.
    pub next_level: f64,
    pub ended: f64,
}

/// Returns the rank design of an analysis, as `compare` uses it.
fn design(pairs: usize) -> RankDesign {
    if pairs < 6 { RankDesign::Sides(pairs, pairs) } else { RankDesign::Pairs(pairs) }
}

/// Draws the rank statistic of each analysis, counted from its nearer end, for two sides of normal runs
/// without a difference.
fn draw_statistics(random: &mut Random) -> [usize; ANALYSIS_RUNS.len()] {
    let mut draw = || [0; MAX_PAIRS].map(|_| random.normal());
    let (first, other) = (draw(), draw());
    ANALYSIS_RUNS.map(|pairs| {
        let below = |x: f64| usize::from(x <= 0.0);
        let (count, most): (usize, usize) = match design(pairs) {
            RankDesign::Sides(..) => {
                let all = first[..pairs].iter().flat_map(|a| other[..pairs].iter().map(move |b| b - a));
                (all.map(below).sum(), pairs * pairs)
            }
            RankDesign::Pairs(_) => {
                let changes: Vec<f64> = (0..pairs).map(|at| other[at] - first[at]).collect();
                let sums = (0..pairs).flat_map(|at| changes[at..].iter().map(move |b| (at, *b)));
                (sums.map(|(at, b)| below(changes[at] + b)).sum(), pairs * (pairs + 1) / 2)
            }
        };
        count.min(most - count)
    })
}

/// Computes the limits. Each analysis ends the number of comparisons that `spent_after` permits up to it.
pub fn make_limits(comparisons: usize, seed: u64) -> Vec<LookLimit> {
    let mut random = Random(seed);
    let mut open: Vec<[usize; ANALYSIS_RUNS.len()]> =
        (0..comparisons).map(|_| draw_statistics(&mut random)).collect();
    let of_look = |(look, pairs): (usize, usize)| {
        let permitted = (spent_after(pairs) * comparisons as f64) as usize;
        let mut values = 0;
        let ended = |open: &[[usize; ANALYSIS_RUNS.len()]], values: usize| {
            comparisons - open.iter().filter(|path| path[look] >= values).count()
        };
        while ended(&open, values + 1) <= permitted {
            values += 1;
        }
        open.retain(|path| path[look] >= values);
        let law = design(pairs).null_distribution();
        let chance = |values: usize| values.checked_sub(1).map_or(0.0, |most| 2.0 * law.at_most(most));
        let ended = (comparisons - open.len()) as f64 / comparisons as f64;
        LookLimit { pairs, values, level: chance(values), next_level: chance(values + 1), ended }
    };
    ANALYSIS_RUNS.into_iter().enumerate().map(of_look).collect()
}

/// Effect of the position of a run.
#[derive(Debug, Clone, Copy)]
pub enum Position {
    /// The second run of each pair is slower by this share.
    Second(f64),
    /// Runs at the same position of a period share a level. Levels differ by up to this share.
    Period(usize, f64),
}

pub const POSITIONS: [Position; 10] = [
    Position::Second(0.01),
    Position::Second(0.03),
    Position::Second(0.1),
    Position::Second(0.2),
    Position::Period(2, 0.05),
    Position::Period(3, 0.05),
    Position::Period(4, 0.05),
    Position::Period(4, 0.3),
    Position::Period(5, 0.05),
    Position::Period(7, 0.05),
];

#[derive(Debug, Clone, Copy)]
pub enum Condition {
    /// Noise, and drift per run.
    Noise(Noise, f64),
    /// Effect of the position, and the deviation of a run.
    Position(Position, f64),
}

impl Condition {
    /// Returns all conditions with their names.
    pub fn all() -> Vec<(String, Condition)> {
        let stationary = STATIONARY.iter().chain(&TREACHEROUS[..1]);
        let noises = stationary.map(|(name, noise)| ((*name).to_owned(), Condition::Noise(*noise, 0.0)));
        let drifts = [("drift -1 %", 0.02, -0.01), ("drift +3 %", 0.03, 0.03)];
        let drifts = drifts
            .map(|(name, noise, drift)| (name.to_owned(), Condition::Noise(Noise::White(noise), drift)));
        let positions = POSITIONS.into_iter().flat_map(|position| {
            [0.005, 0.03].map(|noise| {
                let effect = match position {
                    Position::Second(share) => format!("second run {:.0} % slower", 100.0 * share),
                    Position::Period(runs, share) => {
                        format!("period of {runs} runs, up to {:.0} %", 100.0 * share)
                    }
                };
                (format!("{effect}, noise {:.1} %", 100.0 * noise), Condition::Position(position, noise))
            })
        });
        noises.chain(drifts).chain(positions).collect()
    }

    fn runs(self, random: &mut Random) -> Vec<f64> {
        let (position, noise) = match self {
            Condition::Noise(noise, drift) => return drifting(noise.runs(2 * MAX_PAIRS, random), drift),
            Condition::Position(position, noise) => (position, noise),
        };
        let levels: Vec<f64> = match position {
            Position::Second(share) => vec![1.0, 1.0 - share],
            Position::Period(runs, share) => (0..runs).map(|_| 1.0 - share * random.uniform()).collect(),
        };
        let run = |place: usize| levels[place % levels.len()] * (noise * random.normal()).exp();
        (0..2 * MAX_PAIRS).map(run).collect()
    }
}

fn make_run(iops: f64, place: usize) -> SideRun {
    let total = DirectionSummary { ios: Some(1_000_000), iops: Some(iops), ..DirectionSummary::default() };
    let span = SpanSummary { read: total, total, ..SpanSummary::default() };
    let known =
        RunSummary { time_spans: vec![Some(span)], ..RunSummary::new("a", Origin::Record { version: 2 }) };
    SideRun {
        known,
        environment: BTreeMap::new(),
        run_options: BTreeMap::new(),
        began_ms: i64::try_from(place).ok(),
        boot: None,
        test: None,
    }
}

/// Returns the end of a comparison, and whether it reported a change. B differs by a factor; `same` = margin.
pub fn end_of_comparison(
    condition: Condition,
    factor: f64,
    same: f64,
    seed: u64,
) -> (SequentialDesign, bool) {
    let shares = condition.runs(&mut Random(seed * 7919 + 77));
    let order = draw_look_order(seed);
    let mut sides =
        [Side { name: String::new(), runs: Vec::new() }, Side { name: String::new(), runs: Vec::new() }];
    let mut at = 0;
    for pairs in ANALYSIS_RUNS {
        while at < 2 * pairs {
            let (which, share) = (order[at], shares[at].max(0.0));
            sides[which].runs.push(make_run(5000.0 * share * [1.0, factor][which], at));
            at += 1;
        }
        let question =
            ComparisonQuery { looks: InterimAnalyses::AfterPairs(pairs), same, ..ComparisonQuery::default() };
        let Ok(comparison) = compare(&sides[0], &sides[1], &question) else {
            unreachable!("both sides do the same work")
        };
        if let Some(end) = judge_look(&comparison, pairs, None) {
            return (end, comparison.primary().any(|figure| figure.is_change()));
        }
    }
    unreachable!("the last look ends the comparison")
}

#[derive(Debug, Clone, Copy)]
pub struct StudyRow {
    /// Share of comparisons that reported a difference.
    pub different: f64,
    pub same: f64,
    pub mean_pairs: f64,
}

pub fn study_comparisons(condition: Condition, factor: f64, same: f64, comparisons: u64) -> StudyRow {
    use diskspd::experiments::compare::SequentialOutcome;
    let ends: Vec<(SequentialDesign, bool)> =
        (0..comparisons).map(|seed| end_of_comparison(condition, factor, same, seed)).collect();
    let share = |count: usize| count as f64 / comparisons as f64;
    StudyRow {
        different: share(ends.iter().filter(|(_, is_change)| *is_change).count()),
        same: share(ends.iter().filter(|(end, _)| end.ended == SequentialOutcome::Equivalence).count()),
        mean_pairs: ends.iter().map(|(end, _)| end.pairs as f64).sum::<f64>() / comparisons as f64,
    }
}
