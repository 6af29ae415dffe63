//! Estimated duration of a sweep.

use super::next::forecast;
use super::slices::max_runs;
use super::{CompletedPoint, Sweep, SweepAction};
use crate::repeat::Repeat;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub runs: usize,
    pub seconds: f64,
    /// Whether the number is a minimum, because it depends on the measurements.
    pub at_least: bool,
    /// Maximum time in s, if the sweep chooses its runs.
    pub longest_s: Option<f64>,
}

pub fn estimate(sweep: &Sweep, history: &[CompletedPoint]) -> Estimate {
    let settings = &sweep.settings;
    let runs = forecast(sweep, history);
    let planned: f64 = runs.iter().map(|what| sweep.seconds_of(*what, history)).sum();
    let beyond_s = beyond_plan(sweep, history);
    let longest = || {
        let run_s = sweep.seconds_of(SweepAction::Point(0), history) + beyond_s;
        let spent: f64 = history.iter().map(|ran| ran.seconds).sum();
        let all = max_runs(sweep, history) as f64 * run_s;
        settings.budget_s.map_or(all, |budget| all.min((budget - spent).max(0.0)))
    };
    Estimate {
        runs: runs.len(),
        // What those before took beyond their plan (files, opening, `--between`) will be taken again.
        seconds: planned + runs.len() as f64 * beyond_s,
        longest_s: settings.slices.then(longest),
        at_least: settings.adaptive
            || settings.until_sure
            || settings.slices
            || settings.objective.is_some() && !settings.curve.is_empty()
            || matches!(settings.repeat, Repeat::Until(_)),
    }
}

fn beyond_plan(sweep: &Sweep, history: &[CompletedPoint]) -> f64 {
    let beyond: f64 = history.iter().map(|ran| ran.seconds - sweep.seconds_of(ran.what, history)).sum();
    (beyond / history.len().max(1) as f64).max(0.0)
}

/// Formats a time: `45 s`, `2 min 10 s`, `1 h 5 min`.
pub fn words(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::{Settings, SweepAction, SweepPoint};

    #[test]
    fn estimate_includes_repetitions_and_references() {
        let points = vec![SweepPoint { seconds: 15.0, ..SweepPoint::default() }; 7];
        let settings = Settings { repeat: Repeat::Times(3), settle_s: 5.0, ..Settings::default() };
        let sweep = Sweep { points, settings };
        let found = estimate(&sweep, &[]);
        assert_eq!(found, Estimate { runs: 24, seconds: 480.0, at_least: false, longest_s: None });
        let ran =
            CompletedPoint { what: SweepAction::Reference(6), seconds: 23.0, line: None, failure: None };
        assert_eq!(estimate(&sweep, &[ran]).seconds, 23.0 * 23.0, "each takes 3 s more than planned");
        for (seconds, text) in [(44.6, "45 s"), (130.0, "2 min 10 s"), (3900.0, "1 h 5 min")] {
            assert_eq!(words(seconds), text);
        }
    }
}
