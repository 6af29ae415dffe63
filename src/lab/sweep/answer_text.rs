//! The answer in words.

use super::answer::{SAME, SweepAnswer};
use super::objective::{Kept, Objective};
use super::{PointRow, Settings};

/// A line of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerLine {
    /// What it is about, a word or two; empty = it goes on with the one before.
    pub name: &'static str,
    /// What is to be said.
    pub words: String,
}

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
        let chosen = chosen(answer, settings).map(|row| line("from now on", command(&rows[row])));
        for AnswerLine { name, words } in lines(answer, rows, settings).into_iter().chain(chosen) {
            text += &format!("{name:<14}{words}\n");
        }
    }
    text
}

/// The row whose command line is to be used from now on: that of the objective, else of the knee, else of the
/// highest; `None` = no load keeps the objective.
pub fn chosen(answer: &SweepAnswer, settings: &Settings) -> Option<usize> {
    match settings.objective.is_some() {
        true => answer.objective_row,
        false => Some(answer.knee_row.unwrap_or(answer.highest)),
    }
}

/// The answer for one group, but for the command line.
pub fn lines(answer: &SweepAnswer, rows: &[PointRow], settings: &Settings) -> Vec<AnswerLine> {
    let mut lines = figures(answer, rows);
    if let (Some(kept), Some(objective)) = (&answer.objective, settings.objective) {
        lines.push(line("objective", objective_words(kept, objective, answer, rows)));
    }
    lines.extend(limits(answer).map(|words| line("limited by", words)));
    if let Some(threads) = &answer.threads {
        let best: Vec<String> =
            threads.best.iter().map(|(count, iops)| format!("{count}: {iops:.0}")).collect();
        let words = format!("{} are enough; highest IOPS by threads {}", threads.enough, best.join(", "));
        lines.push(line("threads", words));
    }
    lines
}

fn line(name: &'static str, words: impl Into<String>) -> AnswerLine {
    AnswerLine { name, words: words.into() }
}

fn shown(row: &PointRow) -> String {
    let Some(figures) = &row.figures else { return row.label() };
    let latency = figures.felt().map(|latency| format!(" at {:.3} ms", latency.mean_ms)).unwrap_or_default();
    let label = row.label();
    let label = if label.is_empty() { "the command line" } else { &label };
    format!("{label}: {:.0} IOPS{latency}", figures.iops)
}

fn figures(answer: &SweepAnswer, rows: &[PointRow]) -> Vec<AnswerLine> {
    let mut lines = vec![line("highest", shown(&rows[answer.highest]))];
    if answer.highest_is_unsure {
        let why = match rows[answer.highest].runs.len() {
            1 => "one run each can't tell it from the second highest: --repeat 5 would",
            _ => "these repetitions can't tell it from the second highest",
        };
        lines.push(line("", why));
    }
    if let (Some(knee), Some(row)) = (&answer.knee, answer.knee_row) {
        let row = &rows[row];
        let unit = row.unit();
        let between = match knee.between {
            Some((low, high)) if low == high => format!("; surely there (95 %): {low} {unit}"),
            Some((low, high)) => format!("; between {low} and {high} {unit} (95 %)"),
            None => "; how sure that is only repetitions tell: --repeat 5".to_owned(),
        };
        lines.push(line("knee", format!("{}{between}", shown(row))));
    }
    let smallest = format!("{}, within {:.0} % of the highest", shown(&rows[answer.smallest]), 100.0 * SAME);
    lines.push(line("smallest", smallest));
    lines
}

fn objective_words(kept: &Kept, objective: Objective, answer: &SweepAnswer, rows: &[PointRow]) -> String {
    let of = &rows[answer.highest];
    let unit = of.unit();
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
    if !of.by_rate {
        text += " (closed loop, from where I/Os were handed over; --curve offers rates)";
    }
    text
}

fn limits(answer: &SweepAnswer) -> Option<String> {
    match (&answer.limits[0], &answer.limits[1]) {
        (None, None) => None,
        (below, beyond) if below == beyond => below.clone(),
        (below, beyond) => Some(format!(
            "at the smallest load {}; at the largest {}",
            below.as_deref().unwrap_or("something not known"),
            beyond.as_deref().unwrap_or("something not known")
        )),
    }
}
