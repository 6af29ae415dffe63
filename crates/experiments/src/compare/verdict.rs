//! The verdict about a change from two sets of values.

use super::allowance::{self, EarlierSteps, OrderAllowance};
use super::foreseen::fewest_runs;
use super::missing_value::MissingValueError;
use super::order::RunOrder;
use super::schedule::MIN_PAIRS;
use super::sequential::InterimAnalyses;

use diskspd_figures::stats::median;
use diskspd_figures::stats::ranks::{self, MAX_INFORMATIVE_INTERVAL, RankDesign, Shift};
use diskspd_figures::units::mark::{Tone, VerdictMark};
use serde::{Deserialize, Serialize};

/// Probability of detection with the recommended number of runs.
const POWER: f64 = 0.8;
const MAX_RUNS: usize = 1000;
const MAX_B_RUNS: u32 = 60;
const MIN_REPORTED_CHANGE: f64 = 0.05;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeVerdict {
    Better,
    Worse,
    Same,
    CantTell,
    TwoRuns,
    NotCompared,
}

impl ChangeVerdict {
    pub fn word(self) -> &'static str {
        match self {
            ChangeVerdict::Better => "BETTER",
            ChangeVerdict::Worse => "WORSE",
            ChangeVerdict::Same => "same",
            ChangeVerdict::CantTell => "inconclusive",
            ChangeVerdict::TwoRuns => "two runs",
            ChangeVerdict::NotCompared => "",
        }
    }

    pub fn mark(self) -> VerdictMark {
        let (tone, sign) = match self {
            ChangeVerdict::Better => (Tone::Good, "✓"),
            ChangeVerdict::Worse => (Tone::Wrong, "✕"),
            ChangeVerdict::Same => (Tone::Note, "="),
            ChangeVerdict::CantTell | ChangeVerdict::TwoRuns | ChangeVerdict::NotCompared => {
                (Tone::Unknown, "?")
            }
        };
        let word = if self == ChangeVerdict::NotCompared { "not compared" } else { self.word() };
        VerdictMark::new(tone, sign, word.to_uppercase())
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideSummary {
    pub median: f64,
    pub values: Vec<f64>,
}

/// A figure of two sides. Changes are of the other side against the first, percent of that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    pub metric: String,
    pub title: String,
    pub more_is_better: bool,
    /// Both sides; `None` = not compared.
    pub sides: Option<[SideSummary; 2]>,
    pub verdict: ChangeVerdict,
    pub reason: Option<String>,
    /// Change (Hodges-Lehmann of the logarithms); `None` = not compared, or A did no work and B did.
    pub change_percent: Option<f64>,
    pub low_percent: Option<f64>,
    /// ... to there; with a confidence `None` = there is no bound, because runs of A did nothing.
    pub high_percent: Option<f64>,
    /// Confidence of the interval: at least 95, and more for several figures that share the error rate.
    pub confidence_percent: Option<f64>,
    /// Probability of such a difference or a larger one between equal sides, 0 to 1.
    pub p_value: Option<f64>,
    /// P value times the number of figures and looks that share an error rate (Bonferroni). Decisive
    /// figures share it over all time spans and workloads, other figures within their time span.
    pub corrected_p_value: Option<f64>,
    /// Variation of the runs around the level of their side or pair in percent.
    pub noise_percent: Option<f64>,
    /// Probability in percent of detecting a change of 5 %; `None` = unknown for sequential sides.
    pub power_5_percent: Option<f64>,
    /// Smallest change in percent that the runs detect with a probability of 80 %.
    pub detectable_percent: Option<f64>,
    /// Number of additional runs of A and B for a likely conclusion. `None` if already conclusive, not
    /// helpful, or more than a thousand.
    pub more_runs: Option<[u32; 2]>,
    /// Number of additional runs of B alone for a likely conclusion, for sequential sides. `None` if they
    /// alternate, are already conclusive, or no number suffices.
    pub more_of_b: Option<u32>,
    /// Smallest numbers of runs of A and B that can show any change; `None` if these runs can. Only B grows
    /// if that suffices and the sides do not alternate.
    #[serde(default)]
    pub fewest_runs: Option<[u32; 2]>,
    /// Shared drift from the first to the last pair in percent; `None` if the sides did not alternate.
    pub drift_percent: Option<f64>,
    /// Effect of the position, percent: the second run of each pair against the first. `None` if it is not
    /// significant, or cannot be separated.
    pub position_percent: Option<f64>,
    /// Possible drift of the machine between sequential sides; `None` = alternating sides.
    pub allowance: Option<OrderAllowance>,
}

impl Compared {
    pub fn is_change(&self) -> bool {
        matches!(self.verdict, ChangeVerdict::Better | ChangeVerdict::Worse)
    }
}

pub(super) struct FigureInfo {
    pub metric: String,
    pub title: String,
    pub more_is_better: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Basis<'a> {
    pub order: &'a RunOrder,
    pub known: &'a EarlierSteps,
    pub same: f64,
    pub figures: usize,
    pub looks: InterimAnalyses,
}

impl Basis<'_> {
    fn required_confidence(&self) -> f64 {
        self.looks.confidence(self.figures)
    }

    /// Returns the allowance for sides without a random order.
    fn order_allowance(&self, values: [&[f64]; 2]) -> (f64, OrderAllowance) {
        let of_levels = || allowance::allowance(values, self.known);
        match (self.order.period(), self.order.boots()) {
            (None, _) => of_levels(),
            (Some(_), None) => allowance::for_position(),
            // Boots also have levels of their own.
            (Some(_), Some(_)) => {
                let [levels, position] = [of_levels(), allowance::for_position()];
                if levels.0 > position.0 { levels } else { position }
            }
        }
    }

    /// Returns the runs of each side for these numbers of boots or runs.
    fn in_runs(&self, units: [usize; 2]) -> [u32; 2] {
        units.map(|units| (units as f64 * self.order.runs_per_unit()).ceil() as u32)
    }

    /// Returns the p-value, multiplied by the correction for several analyses.
    fn corrected_chance(&self, chance: f64) -> f64 {
        (chance * (1.0 - ranks::CONFIDENCE) / (1.0 - self.required_confidence())).min(1.0)
    }
}

/// Compares a figure from the values of each side, none negative, or the reason for their absence.
pub(super) fn compared(
    about: FigureInfo,
    values: [Result<Vec<f64>, MissingValueError>; 2],
    on: Basis,
) -> Compared {
    let empty = Compared {
        metric: about.metric,
        title: about.title,
        more_is_better: about.more_is_better,
        sides: None,
        verdict: ChangeVerdict::NotCompared,
        reason: None,
        change_percent: None,
        low_percent: None,
        high_percent: None,
        confidence_percent: None,
        p_value: None,
        corrected_p_value: None,
        noise_percent: None,
        power_5_percent: None,
        detectable_percent: None,
        more_runs: None,
        more_of_b: None,
        fewest_runs: None,
        drift_percent: None,
        position_percent: None,
        allowance: None,
    };
    match values {
        [Ok(first), Ok(other)] if first.iter().chain(&other).all(|value| *value == 0.0) => {
            let sides = Some([first, other].map(summarize_values));
            Compared { sides, reason: Some("it is 0 in every run of both sides".into()), ..empty }
        }
        [Ok(first), Ok(other)] => judge_metric(empty, first, other, on),
        [first, other] => {
            Compared { reason: first.err().or(other.err()).map(|why| why.to_string()), ..empty }
        }
    }
}

fn judge_metric(empty: Compared, first: Vec<f64>, other: Vec<f64>, on: Basis) -> Compared {
    let logs = [&first, &other].map(|values| values.iter().map(|value| value.ln()).collect::<Vec<f64>>());
    let logs = on.order.of_units(logs);
    let values = [&logs[0][..], &logs[1][..]];
    let sure = on.required_confidence();
    let Some(shift) = on.order.shift(values, sure) else {
        return Compared { reason: Some("there are no runs".into()), ..empty };
    };
    let are_single = first.len() == 1 && other.len() == 1;
    let sides = Some([first, other].map(summarize_values));
    let change_percent = log_percent(shift.estimate);
    let counts = [logs[0].len(), logs[1].len()];
    let design = on.order.design(counts);
    let fewest_runs = fewest_runs(design, counts, sure).map(|units| on.in_runs(units));
    let empty = Compared { sides, change_percent, fewest_runs, ..empty };
    if are_single {
        return Compared { verdict: ChangeVerdict::TwoRuns, ..empty };
    }
    let allowance = design.is_none().then(|| on.order_allowance(values));
    let shift = allowance.map_or(shift, |(by, _)| shift.widened(by));
    let verdict = judge_shift(&shift, on.same, empty.more_is_better);
    let shift = if verdict == ChangeVerdict::CantTell { shift.without_vast_interval() } else { shift };
    let scatter = on.order.scatter(values);
    // The difference of two runs scatters more than a run.
    let pair_factor = if matches!(design, Some(RankDesign::Pairs(_))) { 2f64.sqrt() } else { 1.0 };
    let noise = scatter.map(|scatter| scatter / pair_factor);
    let known = design.zip(scatter);
    let more_runs = known.filter(|_| verdict == ChangeVerdict::CantTell).and_then(|(design, scatter)| {
        // Either the change is real, or it is small enough to be the same.
        let (estimate, zone) = (shift.estimate.abs(), on.same.ln_1p());
        let wanted = estimate.max(zone - estimate);
        let deviations = change_deviations(wanted, scatter);
        let units = more_runs(design, counts, on.order.is_in_turn(), deviations, sure)?;
        Some(on.in_runs(units.map(|units| units as usize)))
    });
    let undecided = allowance.filter(|_| verdict == ChangeVerdict::CantTell).zip(scatter);
    let more_of_b =
        undecided.and_then(|((by, _), scatter)| more_of_b(&shift, counts, scatter, by, (on.same, sure)));
    let finds = |(design, scatter): (RankDesign, f64)| {
        design.power(change_deviations(MIN_REPORTED_CHANGE.ln_1p(), scatter).min(1e6), sure) * 100.0
    };
    let detectable =
        |(design, scatter): (RankDesign, f64)| log_percent(design.detectable(POWER, sure)? * scatter);
    Compared {
        verdict,
        low_percent: shift.interval.and_then(|(low, _)| log_percent(low)),
        high_percent: shift.interval.and_then(|(_, high)| log_percent(high)),
        confidence_percent: shift.interval.map(|_| shift.confidence * 100.0),
        p_value: Some(shift.p_value()),
        corrected_p_value: Some(on.corrected_chance(shift.p_value())),
        noise_percent: noise.filter(|noise| *noise < MAX_INFORMATIVE_INTERVAL).and_then(log_percent),
        power_5_percent: known.map(finds),
        detectable_percent: known.and_then(detectable),
        more_runs,
        more_of_b,
        drift_percent: on.order.drift(values).and_then(log_percent),
        position_percent: position_percent(on.order, values),
        allowance: allowance.map(|(_, allowance)| allowance),
        ..empty
    }
}

/// Returns the number of additional runs of B alone for a likely conclusion. The machine may have drifted
/// `by` (a logarithm), which no number of runs removes. `None` if no number suffices.
fn more_of_b(
    shift: &Shift,
    [first, other]: [usize; 2],
    scatter: f64,
    by: f64,
    (same, sure): (f64, f64),
) -> Option<u32> {
    let estimate = shift.estimate.abs();
    let left = (estimate - by).max(same.ln_1p() - by - estimate);
    let deviations = change_deviations(Some(left).filter(|left| *left > 0.0)?, scatter);
    let enough =
        |more: &u32| RankDesign::Sides(first, other + *more as usize).power(deviations, sure) >= POWER;
    (1..=MAX_B_RUNS).find(enough)
}

fn change_deviations(change: f64, scatter: f64) -> f64 {
    if scatter > 0.0 { change.abs() / scatter } else { f64::MAX.sqrt() }
}

/// Returns the number of additional runs of each side that would likely detect a change of `deviations`;
/// only of the shorter side, if that suffices.
fn more_runs(
    design: RankDesign,
    [first, other]: [usize; 2],
    in_turn: bool,
    deviations: f64,
    sure: f64,
) -> Option<[u32; 2]> {
    let more = |wanted: [usize; 2]| {
        let more = [wanted[0].saturating_sub(first), wanted[1].saturating_sub(other)];
        let more = if more == [0, 0] { [1, 1] } else { more };
        Some(more.map(|count| u32::try_from(count).unwrap_or(u32::MAX)))
    };
    let enough = |design: RankDesign| design.power(deviations, sure) >= POWER;
    match design {
        RankDesign::Pairs(count) => {
            let wanted = RankDesign::needed(RankDesign::Pairs, deviations, POWER, sure, MAX_RUNS)?;
            more([first.max(other) + wanted.saturating_sub(count); 2])
        }
        RankDesign::Sides(..) => {
            let (fewer, longer) = (first.min(other), first.max(other));
            if let Some(count) = (fewer..=longer).find(|count| enough(RankDesign::Sides(longer, *count))) {
                return more([first.max(count), other.max(count)]);
            }
            // A few pairs are compared as two sides; more of them by themselves.
            if let Some(count) = (longer..MIN_PAIRS).find(|count| enough(RankDesign::Sides(*count, *count))) {
                return more([count; 2]);
            }
            let (design, deviations): (fn(usize) -> RankDesign, f64) = match in_turn {
                true => (RankDesign::Pairs, deviations / 2f64.sqrt()),
                false => (|count| RankDesign::Sides(count, count), deviations),
            };
            more([RankDesign::needed(design, deviations, POWER, sure, MAX_RUNS)?; 2])
        }
    }
}

/// Converts a difference of logarithms to percent; `None` = not representable.
fn log_percent(log: f64) -> Option<f64> {
    Some(log.exp_m1() * 100.0).filter(|percent| percent.is_finite())
}

/// Returns the effect of the position in percent; `None` = not significant.
fn position_percent(order: &RunOrder, values: [&[f64]; 2]) -> Option<f64> {
    let effect = order.position(values, ranks::CONFIDENCE)?;
    let (low, high) = effect.interval?;
    log_percent(effect.estimate).filter(|_| low > 0.0 || high < 0.0)
}

fn summarize_values(values: Vec<f64>) -> SideSummary {
    SideSummary { median: median(values.iter().copied()), values }
}

/// Returns equivalence if the whole interval is within the margin, and a change if it excludes 0.
fn judge_shift(shift: &Shift, same: f64, more_is_better: bool) -> ChangeVerdict {
    let Some((low, high)) = shift.interval else { return ChangeVerdict::CantTell };
    if low >= -same.ln_1p() && high <= same.ln_1p() {
        return ChangeVerdict::Same;
    }
    match (low > 0.0, high < 0.0) {
        (true, _) if more_is_better => ChangeVerdict::Better,
        (_, true) if !more_is_better => ChangeVerdict::Better,
        (false, false) => ChangeVerdict::CantTell,
        _ => ChangeVerdict::Worse,
    }
}
