//! Was the program traced? Then each of its system calls takes several times as long.

use super::{Finding, Severity, SpanView};

/// A debugger or `strace` that was there while it was measured.
pub(super) fn check(span: &SpanView) -> Vec<Finding> {
    let Some(tracer) = span.results.observed.as_ref().and_then(|observed| observed.tracer.as_ref()) else {
        return Vec::new();
    };
    let name = if tracer.name.is_empty() { "a process" } else { &tracer.name };
    let pid = tracer.pid;
    let message = format!(
        "{name} (process {pid}) traced the program during the measurement: it stops each thread at every \
         system call or signal that it watches, and the figures include these stops"
    );
    let mut finding = Finding::new("traced", Severity::Warning, span, message);
    if tracer.looks < tracer.of {
        finding = finding.shown_by(format!(
            "seen in {} of {} checks, one per \
                                            second",
            tracer.looks, tracer.of
        ));
    }
    vec![finding.remedy(format!(
        "end {name} (process {pid}) or detach it, and measure again; perf and bpftrace trace system calls at \
         a lower cost"
    ))]
}
