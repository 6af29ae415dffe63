//! The progress of a sweep: a line per run, the best point so far and the curve of all points.

use crate::commands::shared::console::live_series::LivePoint;
use crate::experiments::RunRow;
use crate::experiments::repeat::headline;
use crate::experiments::sweep::{
    CompletedPoint, PointRow, Sweep, SweepAction, SweepAnswer, estimate, rows, time_in_words,
};
use crate::sys::standard_error::print_line;

/// Returns the displayed name of a run.
pub(super) fn step(number: usize, of: &str, label: &str) -> String {
    let label = if label.is_empty() { String::new() } else { format!(": {label}") };
    format!("run {number} of {of}{label}")
}

/// Reports the last run of `history`.
pub(super) fn report(step: &str, sweep: &Sweep, history: &[CompletedPoint]) {
    let Some(ran) = history.last() else { return };
    let outcome = match (&ran.line, &ran.failure) {
        (Some(line), _) => headline(line),
        (None, why) => format!("failed: {}", why.as_deref().unwrap_or_default()),
    };
    let left = match estimate(sweep, history).seconds {
        some if some >= 1.0 => format!(", {} left", time_in_words(some)),
        _ => String::new(),
    };
    let (place, label) =
        step.split_once(": ").map_or((step, String::new()), |(place, label)| (place, format!(": {label}")));
    print_line(format_args!("{place}{left}{label}: {outcome}"));
}

/// Returns the highest rate so far, and the interval of the knee.
pub(super) fn answer(sweep: &Sweep, history: &[CompletedPoint]) -> String {
    let lines = history.iter().filter_map(|ran| ran.line.as_ref());
    let best = lines.max_by(|one: &&RunRow, other: &&RunRow| one.iops.total_cmp(&other.iops));
    let Some(best) = best.map(|line| format!("at most {:.0} IOPS", line.iops)) else { return String::new() };
    let answers = SweepAnswer::find_answers(&rows(sweep, history), &sweep.settings);
    let knee = match &answers[..] {
        [one] if one.made_of.len() == sweep.points.len() => one.knee.and_then(|knee| knee.between),
        _ => None,
    };
    knee.map_or_else(|| best.clone(), |(low, high)| format!("{best}, knee between {low} and {high}"))
}

pub(super) fn live_points(sweep: &Sweep, history: &[CompletedPoint]) -> Vec<Option<LivePoint>> {
    let rows = rows(sweep, history);
    let point = |row: &PointRow| {
        let figures = row.figures.as_ref()?;
        Some(LivePoint {
            iops: figures.iops,
            p99_ms: figures.user_latency().map(|latency| latency.p99_ms.ms()),
        })
    };
    if sweep.settings.curve.is_empty() {
        let row = |number| rows.iter().find(|row| row.what == SweepAction::Point(number));
        return (0..sweep.points.len()).map(|number| point(row(number)?)).collect();
    }
    rows.iter().filter(|row| matches!(row.what, SweepAction::Rate(_))).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::sweep::Settings;

    #[test]
    fn step_names_its_point_if_there_are_several() {
        assert_eq!(step(4, "9 or more", "-o8"), "run 4 of 9 or more: -o8");
        assert_eq!(step(1, "1", ""), "run 1 of 1");
        let sweep = Sweep { points: Vec::new(), settings: Settings::default() };
        assert_eq!(answer(&sweep, &[]), "");
    }
}
