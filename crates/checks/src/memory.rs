//! Memory limits of control groups, which include the page cache: reached or changed during the measurement.

use super::{Finding, Severity, SpanContext};
use diskspd_figures::units::{Size, seconds_of_us};
use diskspd_machine::quota::MemoryLimit;

/// Minimum share of the time waiting for memory that changes the figures.
const MIN_STALLED_SHARE: f64 = 0.02;

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let reached = memory_limits(span).iter().filter(|limit| limit.reached > 0);
    reached.map(|limit| limit_finding(span, limit)).collect()
}

fn memory_limits<'a>(span: &SpanContext<'a>) -> &'a [MemoryLimit] {
    span.effort().map_or(&[], |effort| &effort.memory)
}

/// Returns the longest time in s that all active threads of a group waited for memory. Groups include
/// their ancestors' waits.
pub(super) fn stalled_seconds(span: &SpanContext) -> f64 {
    seconds_of_us(memory_limits(span).iter().filter_map(|limit| limit.stalled_us).max().unwrap_or(0))
}

fn limit_finding(span: &SpanContext, limit: &MemoryLimit) -> Finding {
    let MemoryLimit { group, reached, .. } = limit;
    let values: Vec<String> = limit.values().flatten().map(|bytes| Size(bytes).to_string()).collect();
    let (values, times) =
        (values.join(", then "), if *reached == 1 { "once".into() } else { format!("{reached} times") });
    let message = format!(
        "the memory limit of the control group {group} ({values}) was reached {times}: the kernel took \
         memory back, of the page cache too"
    );
    let stalled = limit.stalled_us.map(seconds_of_us);
    let matters = stalled.is_some_and(|seconds| seconds >= MIN_STALLED_SHARE * span.measured.seconds);
    let severity = if matters { Severity::Warning } else { Severity::Note };
    let finding = Finding::new("memory-limit-reached", severity, span, message);
    let waited = stalled.map(|seconds| {
        format!("all threads of the group that had something to do waited for memory for {seconds:.2} s")
    });
    waited
        .into_iter()
        .fold(finding, Finding::shown_by)
        .remedy("compare only with runs that have this limit; or raise it, or bypass the page cache with -Su")
}

pub(super) fn changes(limits: &[MemoryLimit]) -> impl Iterator<Item = String> {
    let of = |limit: &MemoryLimit| {
        let group = limit.group.clone();
        let words = move |change: &diskspd_machine::quota::MemoryLimitChange| {
            let what = match change.bytes {
                Some(bytes) => format!("{} of memory for the control group {group}", Size(bytes)),
                None => format!("no memory limit of the control group {group} any more"),
            };
            let (after, seen) = (seconds_of_us(change.after_us), seconds_of_us(change.observed_us));
            format!("between second {after:.1} and {seen:.1}: {what}")
        };
        limit.changes.iter().map(words).collect::<Vec<_>>()
    };
    limits.iter().flat_map(of)
}
