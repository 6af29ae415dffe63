//! Limits of another program: its control groups, its CPU time, and the devices.

use super::thresholds::SATURATED;
use super::{Limits, groups, quota, wording};
use crate::{Finding, Severity, SpanContext};
use diskspd_results::{JudgedProgram, Limiter, ResourceUsage};

/// A device that was busy for so much of the time had an I/O at any time.
const BUSY: f64 = 0.9;
/// Mean I/Os in flight below which I/O counts as one at a time.
const SINGLE_CPU_LIMIT: f64 = 1.5;

pub(super) fn judge(span: &SpanContext, effort: &ResourceUsage, program: &JudgedProgram) -> Limits {
    Limits {
        limited_by: Some(limiter(span, effort, program)),
        busy: None,
        busiest: None,
        user: None,
        run_delay: None,
        uncontended_iops: None,
        steal: None,
        interrupts: None,
        cpu_per_io: None,
        ceiling_iops: None,
        depth: 0,
        in_flight: None,
        device_in_flight: in_flight(span),
        leaf_in_flight: None,
        in_flight_share: None,
    }
}

fn limiter(span: &SpanContext, effort: &ResourceUsage, program: &JudgedProgram) -> Limiter {
    let one_at_a_time = in_flight(span).is_some_and(|ios| ios < SINGLE_CPU_LIMIT);
    match () {
        () if quota(span, effort).is_some() => Limiter::CpuQuota,
        () if groups::at_limit(span, effort).is_some() => Limiter::IoLimit,
        () if cpus(span, program) >= SATURATED * all_cpus(span) => Limiter::Cpu,
        () if busy(span) >= BUSY && one_at_a_time => Limiter::Depth,
        () if busy(span) >= BUSY => Limiter::Storage,
        () => Limiter::Unclear,
    }
}

pub(super) fn describe(
    span: &SpanContext,
    effort: &ResourceUsage,
    program: &JudgedProgram,
    limiter: Limiter,
) -> Finding {
    let (busy, cpus) = (busy(span) * 100.0, cpus(span, program));
    let flight = in_flight(span).map_or_else(String::new, |ios| format!(" with {ios:.1} I/Os in flight"));
    // Without a command no process is known.
    let used = match program.words.is_empty() {
        true => String::new(),
        false => format!(", and the command used {cpus:.2} of {:.0} CPUs", all_cpus(span)),
    };
    let note = |name, message: String| Finding::new(name, Severity::Note, span, message);
    match limiter {
        Limiter::CpuQuota => wording::cpu_quota(span, effort),
        Limiter::IoLimit => wording::io_limit(span, effort),
        Limiter::Cpu => note(
            "limited-by-cpu",
            format!("limited by the CPU: the command used {cpus:.1} of {:.0} CPUs", all_cpus(span)),
        ),
        Limiter::Depth => note(
            "limited-by-depth",
            format!("limited by one I/O at a time: the device was busy {busy:.0} % of the time{flight}"),
        ),
        Limiter::Storage => note(
            "limited-by-storage",
            format!("limited by the storage: the device was busy {busy:.0} % of the time{flight}"),
        ),
        _ => note(
            "limit-unclear",
            format!("the limit is unclear: the device was busy {busy:.0} % of the time{flight}{used}"),
        )
        .remedy("repeat with more I/Os in flight: if the figures rise, the device was not the limit"),
    }
}

fn in_flight(span: &SpanContext) -> Option<f64> {
    span.queues.in_flight.map(|queue| queue.requests)
}

/// Share of the time in which the busiest device right under the files had an I/O in flight.
fn busy(span: &SpanContext) -> f64 {
    let Some(facts) = span.devices() else { return 0.0 };
    let first: Vec<&str> =
        span.parts.iter().flat_map(|part| part.first()).map(|layer| layer.name.as_str()).collect();
    let devices = facts.devices.iter().filter(|device| first.contains(&device.name.as_str()));
    let busiest = devices.map(|device| device.activity.busy_ms).max().unwrap_or(0);
    (busiest as f64 * 1e6 / facts.elapsed.max(1) as f64).min(1.0)
}

fn cpus(span: &SpanContext, program: &JudgedProgram) -> f64 {
    program.cpu_ns as f64 / (span.measured.seconds * 1e9)
}

fn all_cpus(span: &SpanContext) -> f64 {
    span.system.topology.allowed_cpus().count().max(1) as f64
}
