//! Common misunderstandings of a profile, and their effect on the figures.

mod addresses;
mod caching;
mod counted;
mod depth;
mod durability;
mod idle_exit_latency;

use super::view::RequestedTarget;
use super::{Finding, Severity, SpanContext};
use counted::{reads, reads_and_writes, writes};
use diskspd_figures::units;
use diskspd_profile::Throughput;

type TargetAdvice = fn(&SpanContext, RequestedTarget) -> Option<Finding>;

const ABOUT_TARGETS: &[TargetAdvice] = &[
    caching::reads_fit,
    addresses::overlapping,
    addresses::find_misaligned,
    depth::one_at_a_time,
    caching::not_durable,
    caching::small_area,
    durability::not_flushed,
    durability::in_memory,
    durability::sync_mount,
    rate_limited,
];

type SpanAdvice = fn(&SpanContext) -> Option<Finding>;

const ABOUT_SPANS: &[SpanAdvice] = &[idle_exit_latency::waking_up, idle_exit_latency::unheeded, single_run];

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let about_targets =
        span.targets().flat_map(|asked| ABOUT_TARGETS.iter().filter_map(move |rule| rule(span, asked)));
    about_targets.chain(ABOUT_SPANS.iter().filter_map(|rule| rule(span))).collect()
}

/// Recommends repetitions, which alone show how much figures scatter. Only for programs that judge results,
/// because users would see it too often.
fn single_run(span: &SpanContext) -> Option<Finding> {
    let message = "one run does not show how much the figures vary".to_owned();
    let finding = || Finding::new("single-run", Severity::Note, span, message);
    (span.profile.time_spans.len() == 1)
        .then(|| finding().remedy("repeat it: --repeat 3 or more, then compare medians and ranges").quietly())
}

fn rate_limited(span: &SpanContext, asked: RequestedTarget) -> Option<Finding> {
    let target = asked.target;
    let threads = u64::from(span.asked.threads_on(target));
    let (each, all) = match target.throughput? {
        Throughput::Iops(iops) => (format!("{iops} IOPS"), format!("{} IOPS", u64::from(iops) * threads)),
        Throughput::BytesPerMillisecond(bytes) => {
            let per_second = |threads| units::Size(u64::from(bytes) * 1000 * threads);
            (format!("{}/s", per_second(1)), format!("{}/s", per_second(threads)))
        }
    };
    if threads < 2 {
        return None;
    }
    let message =
        format!("-g limits each of the {threads} threads on '{}' to {each}: {all} in all", target.path);
    Some(Finding::new("throughput-limit-per-thread", Severity::Note, span, message).on_target(&target.path))
}
