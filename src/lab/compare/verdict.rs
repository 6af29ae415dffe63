//! What two sets of values say about a change.

use crate::stats::ranks::{self, Shift};
use serde::Serialize;

/// So likely a change is found by as many runs as are said to be needed.
const LIKELY: f64 = 0.8;
/// More runs than this nobody makes.
const MOST: usize = 1000;
/// The change whose chance to be found is told, a share.
const TOLD: f64 = 0.05;

/// What the values say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeVerdict {
    /// The other side is better.
    Better,
    /// It is worse.
    Worse,
    /// It is the same, as near as was asked for.
    Same,
    /// Nothing, yet.
    CantTell,
    /// One run on each side: these two differ, or don't, and that is all.
    TwoRuns,
    /// There are no values that could be compared.
    NotCompared,
}

impl ChangeVerdict {
    /// As people read it; empty = there is none.
    pub fn word(self) -> &'static str {
        match self {
            ChangeVerdict::Better => "BETTER",
            ChangeVerdict::Worse => "WORSE",
            ChangeVerdict::Same => "same",
            ChangeVerdict::CantTell => "can't tell",
            ChangeVerdict::TwoRuns => "two runs",
            ChangeVerdict::NotCompared => "",
        }
    }
}

/// The values of a side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summarized {
    /// Their median.
    pub median: f64,
    /// Of each run.
    pub values: Vec<f64>,
}

/// A figure of two sides. Changes are of the other side against the first, percent of that.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// As the user names it.
    pub metric: String,
    /// For people.
    pub title: String,
    /// Whether more of it is better.
    pub more_is_better: bool,
    /// Both sides; `None` = not compared.
    pub sides: Option<[Summarized; 2]>,
    /// What they say.
    pub verdict: ChangeVerdict,
    /// Why there is nothing to compare.
    pub why_not: Option<String>,
    /// The change (Hodges-Lehmann, of the logarithms).
    pub change_percent: Option<f64>,
    /// Where the true change lies, from here ...
    pub low_percent: Option<f64>,
    /// ... to there.
    pub high_percent: Option<f64>,
    /// How sure that is: at least 95.
    pub confidence_percent: Option<f64>,
    /// The chance that two sides without a difference look so different or more, 0 to 1.
    pub chance: Option<f64>,
    /// The same, corrected for the number of figures that don't decide (Holm); that of the figure that
    /// decides is as above.
    pub corrected_chance: Option<f64>,
    /// How runs of a side scatter around its level, percent.
    pub noise_percent: Option<f64>,
    /// How likely so many runs find a change of 5 %, percent.
    pub finds_5_percent: Option<f64>,
    /// The smallest change that they find four times in five, percent.
    pub detectable_percent: Option<f64>,
    /// So many runs more on each side would probably tell; `None` = told already, or a thousand would not.
    pub more_runs: Option<u32>,
}

impl Compared {
    /// Whether it is better or worse for certain.
    pub fn is_change(&self) -> bool {
        matches!(self.verdict, ChangeVerdict::Better | ChangeVerdict::Worse)
    }
}

/// What a figure is called, as in [`Compared`].
pub(super) struct AboutFigure {
    pub metric: String,
    pub title: String,
    pub more_is_better: bool,
}

/// Compares a figure: values of each side, all above zero, or why there are none.
pub(super) fn compared(about: AboutFigure, values: [Result<Vec<f64>, String>; 2], same: f64) -> Compared {
    let empty = Compared {
        metric: about.metric,
        title: about.title,
        more_is_better: about.more_is_better,
        sides: None,
        verdict: ChangeVerdict::NotCompared,
        why_not: None,
        change_percent: None,
        low_percent: None,
        high_percent: None,
        confidence_percent: None,
        chance: None,
        corrected_chance: None,
        noise_percent: None,
        finds_5_percent: None,
        detectable_percent: None,
        more_runs: None,
    };
    match values {
        [Ok(first), Ok(other)] => told(empty, first, other, same),
        [first, other] => Compared { why_not: first.err().or(other.err()), ..empty },
    }
}

fn told(empty: Compared, first: Vec<f64>, other: Vec<f64>, same: f64) -> Compared {
    let logs = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<f64>>();
    let logs = [logs(&first), logs(&other)];
    let Some(shift) = ranks::shift(&logs[0], &logs[1]) else {
        return Compared { why_not: Some("there are no runs".into()), ..empty };
    };
    let sides = Some([first, other].map(summarized));
    let change_percent = Some(percent(shift.estimate));
    let (m, n) = (logs[0].len(), logs[1].len());
    if m == 1 && n == 1 {
        return Compared { sides, change_percent, verdict: ChangeVerdict::TwoRuns, ..empty };
    }
    let noise = scatter(&logs);
    let verdict = verdict(&shift, same, empty.more_is_better);
    let deviations = |change: f64| if noise > 0.0 { change / noise } else { f64::MAX.sqrt() };
    let more_runs = (verdict == ChangeVerdict::CantTell).then(|| {
        // Either the change is real and must be told from none, or it is small enough to be told from
        // what matters.
        let (estimate, zone) = (shift.estimate.abs(), same.ln_1p());
        let wanted = estimate.max(zone - estimate);
        let count = ranks::needed(deviations(wanted), LIKELY, MOST)?;
        u32::try_from(count.saturating_sub(m.min(n)).max(1)).ok()
    });
    Compared {
        sides,
        verdict,
        change_percent,
        low_percent: shift.interval.map(|(low, _)| percent(low)),
        high_percent: shift.interval.map(|(_, high)| percent(high)),
        confidence_percent: shift.interval.map(|_| shift.confidence * 100.0),
        chance: Some(shift.chance),
        corrected_chance: Some(shift.chance),
        noise_percent: Some(percent(noise)),
        finds_5_percent: Some(ranks::power(m, n, deviations(TOLD.ln_1p()).min(1e6)) * 100.0),
        detectable_percent: ranks::detectable(m, n, LIKELY).map(|at| percent(at * noise)),
        more_runs: more_runs.flatten(),
        ..empty
    }
}

/// A difference of logarithms, as percent.
fn percent(log: f64) -> f64 {
    log.exp_m1() * 100.0
}

fn summarized(values: Vec<f64>) -> Summarized {
    let median = ranks::middle(&values);
    Summarized { median, values }
}

/// The standard deviation of both sides' values around their own means.
fn scatter(sides: &[Vec<f64>; 2]) -> f64 {
    let squares = |values: &Vec<f64>| {
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>()
    };
    let freedom = (sides[0].len() + sides[1].len()).saturating_sub(2).max(1);
    (sides.iter().map(squares).sum::<f64>() / freedom as f64).sqrt()
}

/// The same when all of the interval is near enough; a change when none of it is no change.
fn verdict(shift: &Shift, same: f64, more_is_better: bool) -> ChangeVerdict {
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

/// Corrects the chances of figures that don't decide for their number: what then is no longer unlikely
/// isn't told as a change.
pub(super) fn correct(others: &mut [Compared]) {
    let chances: Vec<f64> = others.iter().filter_map(|compared| compared.chance).collect();
    let mut corrected = ranks::holm(&chances).into_iter();
    for compared in others.iter_mut().filter(|compared| compared.chance.is_some()) {
        compared.corrected_chance = corrected.next();
        let sure = compared.corrected_chance.is_some_and(|chance| chance <= 1.0 - ranks::CONFIDENCE);
        if compared.is_change() && !sure {
            compared.verdict = ChangeVerdict::CantTell;
        }
    }
}
