//! Messages about single runs of a trend, and about its end, for the text and for the page.

use super::time;
use crate::experiments::selection::RunFigure;
use crate::machine::fingerprint::differences_text;
use crate::page::{NoteKind, RunNote};
use crate::stats::trend::MIN_LEVEL;
use crate::store::History;

/// Maximum number of listed changes of a machine; others are counted.
const MAX_NAMED_CHANGES: usize = 4;

pub(super) fn runs(history: &History, figure: RunFigure) -> Vec<RunNote> {
    let mut all = Vec::new();
    for (place, point) in history.points.iter().enumerate() {
        if point.clock_back_s > 0 {
            let back = format_duration(point.clock_back_s);
            all.push(RunNote {
                place,
                of: NoteKind::Clock,
                words: format!("the clock was set back by {back}"),
            });
        }
        if !point.changed.is_empty() {
            all.push(RunNote {
                place,
                of: NoteKind::Machine,
                words: differences_text(&point.changed, MAX_NAMED_CHANGES),
            });
        }
        if history.trend.apart.contains(&place) {
            let words = match point.value == 0.0 {
                true => format!("{}: 0", figure.title()),
                false => format!("{}: {}", figure.title(), number(point.value)),
            };
            all.push(RunNote { place, of: NoteKind::Apart, words });
        }
    }
    all
}

pub(super) fn course(history: &History, figure: RunFigure) -> Vec<String> {
    let trend = &history.trend;
    let change = |from: f64, to: f64| {
        let better = if (to > from) == figure.more_is_better() { "better" } else { "WORSE" };
        match from > 0.0 {
            true => format!("{:+.1} % ({better})", 100.0 * (to / from - 1.0)),
            false => format!("from 0 ({better})"),
        }
    };
    let slope = trend.slope.map(|slope| {
        let way = if slope.to > slope.from { "rises" } else { "falls" };
        let (from, to) = (number(slope.from), number(slope.to));
        format!("{way} steadily from {from} to {to}: {}", change(slope.from, slope.to))
    });
    let latest = trend.latest.zip(trend.levels.last()).map(|(latest, level)| {
        let (is, at) = (if latest.runs == 1 { "run is" } else { "runs are" }, number(latest.rate));
        format!(
            "the latest {} {is} at {at}, {}: {} such runs are needed to separate a lasting change from a \
             burst",
            latest.runs,
            change(level.rate, latest.rate),
            MIN_LEVEL
        )
    });
    slope.into_iter().chain(latest).collect()
}

/// Describes a change of the machine at the start of a level.
pub(super) fn coincidence(changed: &RunNote) -> String {
    format!("at the same time as a change of {} (not necessarily the cause)", changed.words)
}

pub(super) fn line_of(history: &History, run: &RunNote) -> Option<String> {
    let point = history.points.get(run.place)?;
    let what = match run.of {
        NoteKind::Machine => "changed since the run before: ",
        NoteKind::Apart if point.value == 0.0 => "did nothing: ",
        NoteKind::Apart => "outlier: ",
        NoteKind::Clock => "",
    };
    Some(format!("@{} {}: {what}{}", point.id, time(point.at), run.words))
}

pub(super) fn number(value: f64) -> String {
    let decimals = if value >= 100.0 || value == 0.0 { 0 } else { 3 };
    format!("{value:.decimals$}")
}

fn format_duration(seconds: i64) -> String {
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}
