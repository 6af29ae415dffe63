//! What is often misunderstood about a profile, and what it means for the figures.

use super::{Finding, Severity, SpanView};
use crate::profile::{Target, Throughput};
use crate::units;

/// Every misunderstanding of one time span.
pub(super) fn check(span: &SpanView) -> Vec<Finding> {
    span.asked.targets.iter().filter_map(|target| limited(span, target)).collect()
}

/// `-g` limits each thread on each target: what is reported is the sum.
fn limited(span: &SpanView, target: &Target) -> Option<Finding> {
    let threads = u64::from(threads_on(span, target));
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
    Some(Finding::new("throughput-limit-per-thread", Severity::Note, span, message).on(&target.path))
}

/// How many threads work on a target.
pub(super) fn threads_on(span: &SpanView, target: &Target) -> u32 {
    match (span.asked.thread_count, target.thread_targets.len()) {
        (0, _) => target.threads_per_file,
        (pool, 0) => pool,
        (_, named) => u32::try_from(named).unwrap_or(u32::MAX),
    }
}
