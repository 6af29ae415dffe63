//! The answer in words.

use super::answer::{SAME, SweepAnswer};
use super::objective::{Kept, Objective};
use super::{PointRow, Settings};

/// The whole answer, a paragraph per group. `command` gives the command line of a row.
pub fn text(
    answers: &[SweepAnswer],
    rows: &[PointRow],
    settings: &Settings,
    command: impl Fn(&PointRow) -> String,
) -> String {
    let mut text = String::new();
    for answer in answers {
        if !answer.common.is_empty() {
            text += &format!("with {}:\n", answer.common);
        }
        text += &figures(answer, rows);
        if let (Some(kept), Some(objective)) = (&answer.objective, settings.objective) {
            text += &line("objective", &objective_words(kept, objective, answer, rows));
        }
        text += &limits(answer);
        if let Some(threads) = &answer.threads {
            let best: Vec<String> =
                threads.best.iter().map(|(count, iops)| format!("{count}: {iops:.0}")).collect();
            text += &line(
                "threads",
                &format!("{} are enough; highest IOPS by threads {}", threads.enough, best.join(", ")),
            );
        }
        let chosen = match (settings.objective.is_some(), answer.objective_row) {
            (true, chosen) => chosen,
            (false, _) => Some(answer.knee_row.unwrap_or(answer.highest)),
        };
        if let Some(row) = chosen {
            text += &line("from now on", &command(&rows[row]));
        }
    }
    text
}

fn line(name: &str, words: &str) -> String {
    format!("{name:<14}{words}\n")
}

fn shown(row: &PointRow) -> String {
    let Some(figures) = &row.figures else { return row.label() };
    let latency = figures.felt().map(|latency| format!(" at {:.3} ms", latency.mean_ms)).unwrap_or_default();
    let label = row.label();
    let label = if label.is_empty() { "the command line" } else { &label };
    format!("{label}: {:.0} IOPS{latency}", figures.iops)
}

fn figures(answer: &SweepAnswer, rows: &[PointRow]) -> String {
    let mut text = line("highest", &shown(&rows[answer.highest]));
    if answer.highest_is_unsure {
        let why = match rows[answer.highest].runs.len() {
            1 => "one run each can't tell it from the second highest: --repeat 5 would",
            _ => "these repetitions can't tell it from the second highest",
        };
        text += &line("", why);
    }
    if let (Some(knee), Some(row)) = (&answer.knee, answer.knee_row) {
        let row = &rows[row];
        let unit = if row.is_offered() { "IOPS offered" } else { "outstanding" };
        let between = match knee.between {
            Some((low, high)) if low == high => format!("; surely there (95 %): {low} {unit}"),
            Some((low, high)) => format!("; between {low} and {high} {unit} (95 %)"),
            None => "; how sure that is only repetitions tell: --repeat 5".to_owned(),
        };
        text += &line("knee", &format!("{}{between}", shown(row)));
    }
    let smallest = format!("{}, within {:.0} % of the highest", shown(&rows[answer.smallest]), 100.0 * SAME);
    text + &line("smallest", &smallest)
}

fn objective_words(kept: &Kept, objective: Objective, answer: &SweepAnswer, rows: &[PointRow]) -> String {
    let offered = rows.get(answer.highest).is_some_and(PointRow::is_offered);
    let unit = if offered { "IOPS offered" } else { "outstanding" };
    let mut text = match (kept.highest, kept.broken) {
        (Some(highest), Some(broken)) => {
            format!("{objective} is kept up to {highest:.0} {unit}, and not at {broken:.0}")
        }
        (Some(highest), None) => format!("{objective} is kept up to {highest:.0} {unit}, the highest tried"),
        (None, Some(broken)) => {
            format!("{objective} is kept by no load that was tried, not by {broken:.0} {unit}")
        }
        (None, None) => return format!("{objective}: no latency was measured"),
    };
    text += &match (kept.repeated, kept.surely_kept, kept.surely_broken) {
        (false, ..) => "; how sure that is only repetitions tell: --repeat 5".to_owned(),
        (true, Some(low), Some(high)) => format!("; surely between {low:.0} and {high:.0} (95 % each)"),
        (true, Some(low), None) => format!("; surely up to {low:.0} (95 %)"),
        (true, None, Some(high)) => format!("; surely not from {high:.0} on (95 %)"),
        (true, None, None) => "; these repetitions vary too much to be sure of any".to_owned(),
    };
    if !offered {
        text += " (closed loop, from where I/Os were handed over; --curve offers rates)";
    }
    text
}

fn limits(answer: &SweepAnswer) -> String {
    match (&answer.limits[0], &answer.limits[1]) {
        (None, None) => String::new(),
        (below, beyond) if below == beyond => line("limited by", below.as_deref().unwrap_or("not known")),
        (below, beyond) => line(
            "limited by",
            &format!(
                "at the smallest load {}; at the largest {}",
                below.as_deref().unwrap_or("something not known"),
                beyond.as_deref().unwrap_or("something not known")
            ),
        ),
    }
}
