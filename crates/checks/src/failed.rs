//! Failed I/Os and short I/Os, which make the counted I/O differ from the requested one.

use super::{Finding, Severity, SpanContext};
use diskspd_base::engines::Direction;
use diskspd_base::io_error;
use diskspd_figures::units::seconds_of_us;
use diskspd_profile::{RawText, TargetId};
use diskspd_results::IoErrors;

const MIN_RELEVANT_SHARE: f64 = 0.001;

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    failed_ios(span).into_iter().chain(short_transfers(span)).collect()
}

pub(super) fn successes_text(span: &SpanContext, are_meant: impl Fn(TargetId) -> bool) -> String {
    let here = span.results.errors.iter().filter(|error| are_meant(error.target));
    match here.map(|error| error.count).fold(0, u64::saturating_add) {
        0 => String::new(),
        1 => "; 1 more I/O failed".into(),
        failed => format!("; {failed} more I/Os failed"),
    }
}

fn total_depth(span: &SpanContext) -> Option<u64> {
    let effort = span.results.observed.as_ref()?.resource_usage.as_ref()?;
    Some(effort.workers.iter().map(|worker| u64::from(worker.depth)).sum())
}

/// Returns the time of the last failed I/O in s since the start of the measurement.
fn last_at(span: &SpanContext) -> Option<f64> {
    span.results.errors.iter().flat_map(|error| &error.at_us).max().map(|us| seconds_of_us(*us))
}

/// Returns the time in s since measuring began when every request had failed (`-x`), so the targets were
/// idle. `None` if requests were left, or it is unknown.
pub(super) fn all_stopped_at(span: &SpanContext) -> Option<f64> {
    last_at(span)
        .filter(|_| total_depth(span).is_some_and(|depth| depth > 0 && span.measured.failed >= depth))
}

/// Reports failures. Each stops a request (`-x`), so later I/O has a lower depth.
fn failed_ios(span: &SpanContext) -> Option<Finding> {
    let errors = &span.results.errors;
    let failed = span.measured.failed;
    if failed == 0 {
        return None;
    }
    let ios = span.measured.total.total.throughput.ios;
    let (depth, last) = (total_depth(span), last_at(span));
    let what = match failed {
        1 => format!("1 I/O failed ({ios} were counted)"),
        _ => format!("{failed} I/Os failed ({ios} were counted)"),
    };
    let effect = match (depth, last) {
        (Some(depth), Some(last)) if failed >= depth && last > 0.0 => format!(
            "all I/O stopped after {last:.2} s (every request failed once); rates are still averaged over \
             {:.2} s",
            span.measured.seconds
        ),
        (Some(depth), Some(_)) if failed >= depth => "all I/O stopped before measuring began (every request \
             failed once)"
            .into(),
        (Some(depth), _) => format!(
            "{failed} of {depth} requests stopped, so the queue depth fell by as \
                                     many"
        ),
        (None, _) => "with -x each failure stops its request".into(),
    };
    let mut finding = Finding::new("failed-ios", Severity::Wrong, span, format!("{what}, and {effect}"));
    for error in errors {
        finding = finding.shown_by(error_text(error, span.host.path(error.target)));
    }
    Some(finding.remedy(format!(
        "find the cause ({}) and measure again; without -x the first failed I/O ends the run",
        span.system.kernel_log()
    )))
}

/// Formats `64 reads of 'x' failed: Input/output error (os error 5), the first one at offset 4096`.
fn error_text(error: &IoErrors, path: &RawText) -> String {
    let IoErrors { direction, errno, count, first_offset, .. } = error;
    let name = match (direction, count) {
        (Direction::Read, 1) => "read",
        (Direction::Read, _) => "reads",
        (Direction::Write, 1) => "write",
        (Direction::Write, _) => "writes",
    };
    let why = io_error::describe(*errno);
    format!("{count} {name} of '{path}' failed: {why}, the first one at offset {first_offset}")
}

/// Returns a finding for each target, over all threads.
fn short_transfers(span: &SpanContext) -> Vec<Finding> {
    let mut ids: Vec<TargetId> = Vec::new();
    for row in span.rows().filter(|row| row.read.short > 0 || row.write.short > 0) {
        if !ids.contains(&row.target) {
            ids.push(row.target);
        }
    }
    let finding = |id: TargetId| {
        let short = span.target_total(id, |row| row.read.short.saturating_add(row.write.short));
        let ios = span.target_total(id, |row| row.read.ios.saturating_add(row.write.ios));
        let path = span.host.path(id);
        let share = short as f64 / ios.max(1) as f64;
        let severity = if share >= MIN_RELEVANT_SHARE { Severity::Wrong } else { Severity::Warning };
        let message = format!(
            "{short} of {ios} I/Os on '{path}' transferred less than a block ({:.1} %); only the transferred \
             bytes are counted",
            share * 100.0
        );
        Finding::new("short-ios", severity, span, message)
            .on_target(path)
            .remedy("did the target shrink during the run? Keep others from changing it, and measure again")
    };
    ids.into_iter().map(finding).collect()
}
