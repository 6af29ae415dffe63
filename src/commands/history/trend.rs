//! How a figure went from run to run, and where it changed.

use super::super::not_done::NotDone;
use super::{output, time};
use crate::cli::Exit;
use crate::lab::selection::RunFigure;
use crate::stats::Level;
use crate::stats::trend::FEWEST_RUNS;
use crate::store::{History, StoreEntry};
use crate::units::visible::line;
use std::fmt::Write;

/// Histories that are shown; the others are counted.
const SHOWN: usize = 20;

/// Prints the histories, those with the most runs first.
///
/// # Errors
/// They can't be written.
pub fn trend(entries: &[StoreEntry], figure: RunFigure) -> Result<Exit, NotDone> {
    let all = History::all(entries, figure);
    let (told, few): (Vec<_>, Vec<_>) = all.iter().partition(|history| history.points.len() >= FEWEST_RUNS);
    let mut text = String::new();
    for history in told.iter().take(SHOWN) {
        put(&mut text, history, figure);
    }
    if told.len() > SHOWN {
        let _ = writeln!(text, "{} more; --target, --label and --since leave some out", told.len() - SHOWN);
    }
    if !few.is_empty() {
        let runs: usize = few.iter().map(|history| history.points.len()).sum();
        let _ = writeln!(
            text,
            "{runs} runs are of work that was done fewer than {FEWEST_RUNS} times on the same machine: \
            that tells no trend"
        );
    }
    if all.is_empty() {
        let _ = writeln!(text, "no run here has this figure ({})", figure.title());
    }
    output::to_stdout(text.as_bytes())
}

fn put(text: &mut String, history: &History, figure: RunFigure) {
    let name = history.command_line.as_deref().unwrap_or("(command line not recorded)");
    let _ = writeln!(text, "{}", line(name));
    let span =
        if history.time_span > 1 { format!(", time span {}", history.time_span) } else { String::new() };
    let machine = if history.machine.is_empty() { "not recorded" } else { &history.machine };
    let (runs, title) = (history.points.len(), figure.title());
    let _ = writeln!(text, "  {title}{span}, {runs} runs, machine {}", line(machine));
    let mut before: Option<&Level> = None;
    for level in &history.levels {
        let (Some(first), Some(last)) =
            (history.points.get(level.begin), history.points.get(level.end.saturating_sub(1)))
        else {
            continue;
        };
        let change = before.map(|before| {
            let change = level.change_percent(before).unwrap_or(f64::INFINITY);
            let better = (change > 0.0) == figure.more_is_better();
            format!("  {change:+.1} % ({}), from @{} on", if better { "better" } else { "WORSE" }, first.id)
        });
        let _ = writeln!(
            text,
            "  {} to {}: {:.*} ± {:.1} % in {} runs{}",
            time(first.at),
            time(last.at),
            if level.rate >= 100.0 { 0 } else { 3 },
            level.rate,
            level.variation * 100.0,
            level.end - level.begin,
            change.unwrap_or_default()
        );
        before = Some(level);
    }
    if history.levels.len() == 1 {
        let _ = writeln!(text, "  no change");
    }
}
