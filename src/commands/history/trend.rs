//! The course of a figure over the runs, and its changes.

use super::{notes_text, output, time};
use crate::cli::Exit;
use crate::commands::shared::command_error::CommandError;
use crate::experiments::selection::RunFigure;
use crate::page::{NoteKind, RunNote, change_of};
use crate::stats::Level;
use crate::stats::trend::{MIN_LEVEL, MIN_RUNS};
use crate::store::{History, StoreEntry, StoreIndex};
use crate::units::visible::line;
use std::fmt::Write;

/// Maximum number of shown histories; others are counted.
const MAX_SHOWN: usize = 20;
const MAX_REPORTED: usize = 20;

/// Prints the histories, sorted by descending number of runs.
///
/// # Errors
/// Fails if the index cannot be queried, or output fails.
pub(super) fn trend(
    index: &StoreIndex,
    entries: &[StoreEntry],
    figure: RunFigure,
) -> Result<Exit, CommandError> {
    let all = History::all(entries, figure, &index.fingerprints(entries)?);
    // With this number of runs, the latest ones can be judged, but not a trend.
    let (told, few): (Vec<_>, Vec<_>) = all.iter().partition(|history| history.points.len() >= MIN_LEVEL);
    let mut text = String::new();
    for history in told.iter().take(MAX_SHOWN) {
        put_trend(&mut text, history, figure);
    }
    if told.len() > MAX_SHOWN {
        let _ =
            writeln!(text, "{} more; --target, --label and --since leave some out", told.len() - MAX_SHOWN);
    }
    if !few.is_empty() {
        let runs: usize = few.iter().map(|history| history.points.len()).sum();
        let _ = writeln!(
            text,
            "{runs} runs left out: fewer than {MIN_LEVEL} of their workload on the same machine; a \
             trend needs {MIN_RUNS}"
        );
    }
    if all.is_empty() {
        let _ = writeln!(text, "no run here has this figure ({})", figure.title());
    }
    output::print_sentences(&text)
}

fn put_trend(text: &mut String, history: &History, figure: RunFigure) {
    let name = history.command_line.as_deref().unwrap_or("(command line not recorded)");
    let _ = writeln!(text, "{}", line(name));
    let span =
        if history.time_span > 1 { format!(", time span {}", history.time_span) } else { String::new() };
    let machine = if history.machine.is_empty() { "not recorded" } else { &history.machine };
    let (runs, title) = (history.points.len(), figure.title());
    let _ = writeln!(text, "  {title}{span}, {runs} runs, machine {}", line(machine));
    let of_runs = notes_text::runs(history, figure);
    let mut before: Option<&Level> = None;
    for level in &history.trend.levels {
        put_level(
            text,
            history,
            level,
            before.map(|before| change_text(history, before, level, figure, &of_runs)),
        );
        before = Some(level);
    }
    let course = notes_text::course(history, figure);
    for words in &course {
        let _ = writeln!(text, "  {words}");
    }
    if runs < MIN_RUNS {
        let _ = writeln!(text, "  too few runs for a trend, which needs {MIN_RUNS}");
    } else if history.trend.levels.len() == 1 && course.is_empty() {
        let _ = writeln!(text, "  no change");
    }
    for run in of_runs.iter().take(MAX_REPORTED) {
        if let Some(words) = notes_text::line_of(history, run) {
            let _ = writeln!(text, "  {}", line(&words));
        }
    }
    if of_runs.len() > MAX_REPORTED {
        let _ =
            writeln!(text, "  {} more such runs (--since shortens the list)", of_runs.len() - MAX_REPORTED);
    }
}

fn put_level(text: &mut String, history: &History, level: &Level, change: Option<String>) {
    let Some((first, last)) =
        history.points.get(level.begin).zip(history.points.get(level.end.saturating_sub(1)))
    else {
        return;
    };
    let _ = writeln!(
        text,
        "  {} to {}: {} ± {:.1} % in {} runs{}",
        time(first.at),
        time(last.at),
        notes_text::number(level.rate),
        level.variation * 100.0,
        level.end - level.begin,
        change.unwrap_or_default()
    );
}

fn change_text(
    history: &History,
    before: &Level,
    level: &Level,
    figure: RunFigure,
    of_runs: &[RunNote],
) -> String {
    let id = history.points.get(level.begin).map_or("", |first| &first.id);
    let (change, better) = change_of(before, level, figure);
    let better = if better { "better" } else { "WORSE" };
    let machine = of_runs.iter().find(|run| run.of == NoteKind::Machine && run.is_at(level.begin));
    let machine = machine.map(|run| format!(", {}", line(&notes_text::coincidence(run)))).unwrap_or_default();
    format!("  {change} ({better}), from @{id} on{machine}")
}
