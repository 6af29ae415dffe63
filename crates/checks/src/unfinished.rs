//! I/Os that did not complete within the measured time: the longest latencies, which no figure includes.

use super::{Finding, Severity, SpanContext};
use diskspd_figures::units::Millis;
use diskspd_profile::{RawText, TargetId};
use diskspd_results::{DirectionResults, TargetResults};

/// Older than the longest that was counted by less than this factor says nothing of a stall.
const FACTOR: f64 = 2.0;
/// Minimum age in ms for more than a note.
const SHORT: f64 = 50.0;
/// Minimum age in ms that matters without measured latencies.
const LONG: f64 = 1000.0;
/// Minimum share of the measured time of a stall that changes all figures.
const MIN_STALL_SHARE: f64 = 0.1;

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let mut ids: Vec<TargetId> = Vec::new();
    for row in span.rows().filter(|row| !row.unfinished.is_empty()) {
        if !ids.contains(&row.target) {
            ids.push(row.target);
        }
    }
    let rows = |id: TargetId| span.rows_of(id).collect::<Vec<_>>();
    ids.into_iter().filter_map(|id| of_target(span, span.host.path(id), &rows(id))).collect()
}

fn of_target(span: &SpanContext, path: &RawText, rows: &[&TargetResults]) -> Option<Finding> {
    let directions = || rows.iter().flat_map(|target| [&target.read, &target.write]);
    let longest = directions().filter_map(DirectionResults::longest).max();
    let ages = || rows.iter().flat_map(|target| &target.unfinished);
    let older = ages().filter(|age| **age > longest.unwrap_or(0)).count();
    let oldest = Millis::of_ns(*ages().max()?);
    let counted = directions().any(|direction| direction.ios > 0);
    let least = match longest {
        Some(longest) => (Millis::of_ns(longest).ms() * FACTOR).max(SHORT),
        None if counted => LONG,
        None => SHORT,
    };
    if older == 0 {
        return None;
    }
    let severity = match oldest {
        _ if oldest.ms() < least => Severity::Note,
        _ if oldest.seconds() >= MIN_STALL_SHARE * span.measured.seconds => Severity::Wrong,
        _ => Severity::Warning,
    };
    let (ios, were, they) = match older {
        1 => ("I/O", "was", "it is not"),
        _ => ("I/Os", "were", "they are not"),
    };
    let beyond = match longest {
        Some(longest) => {
            format!("longer than any that was counted ({:.1} ms at most)", Millis::of_ns(longest).ms())
        }
        None if counted => "and no other I/O completed in that time".into(),
        None => "and none ever came back".into(),
    };
    let oldest = oldest.ms();
    let message = format!(
        "{older} {ios} on '{path}' {were} still in flight when measuring ended, the oldest for {oldest:.1} \
         ms, {beyond}: {they} in any figure"
    );
    Some(Finding::new("unfinished-ios", severity, span, message).on_target(path).remedy(format!(
        "find the cause ({}, other users, a frozen file system, a thin pool that is full), and measure \
         longer",
        span.system.kernel_log()
    )))
}
