//! Detection of a tracer. It makes each system call several times as long.

use super::{Finding, Severity, SpanContext};

/// A system call that does nothing takes a tenth of that, and with two stops at least twice as long.
const STOPPED_CALL_NS: u64 = 5_000;

/// Reports a debugger or `strace` during the measurement.
pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let Some(tracer) = span.results.observed.as_ref().and_then(|observed| observed.tracer.as_ref()) else {
        return Vec::new();
    };
    let name = if tracer.name.is_empty() { "a process" } else { &tracer.name };
    let pid = tracer.pid;
    let (stopped, samples) = (tracer.stopped, tracer.samples);
    let call_ns = tracer.call_ns.filter(|call_ns| *call_ns >= STOPPED_CALL_NS);
    // A debugger that only waits.
    if samples > 0 && stopped == 0 && call_ns.is_none() {
        let message = format!(
            "{name} (process {pid}) was attached to the program during the measurement; in none of {samples} \
             checks was a thread stopped"
        );
        return vec![Finding::new("traced", Severity::Note, span, message)];
    }
    let message = format!(
        "{name} (process {pid}) traced the program during the measurement: it stops each thread at every \
         system call or signal that it watches, and the figures include these stops"
    );
    let mut finding = Finding::new("traced", Severity::Warning, span, message);
    if let Some(call_ns) = call_ns {
        let us = call_ns as f64 / 1e3;
        finding = finding.shown_by(format!("a system call that does nothing took at least {us:.0} us"));
    }
    if stopped > 0 {
        finding = finding.shown_by(format!("threads were stopped in {stopped} of {samples} checks"));
    }
    if tracer.traced_checks < tracer.checks {
        finding = finding.shown_by(format!(
            "seen in {} of {} checks, one per second",
            tracer.traced_checks, tracer.checks
        ));
    }
    vec![finding.remedy(format!(
        "end {name} (process {pid}) or detach it, and measure again; perf and bpftrace trace system calls at \
         a lower cost"
    ))]
}
