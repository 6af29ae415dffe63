//! Intentional delays of a run: pauses between bursts, and quotas of CPU time.

use super::thresholds::{MAJORITY_SHARE, STOPPED, STOPPED_PERIODS};
use crate::{SpanContext, littles_law};
use diskspd_machine::quota::CpuQuota;
use diskspd_profile::Target;
use diskspd_results::ResourceUsage;

/// Returns the quota that throttled the program most.
pub(super) fn quota<'a>(span: &SpanContext, effort: &'a ResourceUsage) -> Option<&'a CpuQuota> {
    let share = |quota: &CpuQuota| quota.throttled as f64 / (span.measured.seconds * 1e9);
    let periods = |quota: &CpuQuota| quota.throttled_periods as f64 / quota.periods.max(1) as f64;
    let matters = |quota: &&CpuQuota| {
        quota.throttled_periods > 0 && (share(quota) >= STOPPED || periods(quota) >= STOPPED_PERIODS)
    };
    effort.quotas.iter().filter(matters).max_by_key(|quota| quota.throttled)
}

/// Returns the share of time in pauses between bursts on a target, by the number of bursts. 0 if the queue
/// was mostly full, because the I/Os then took longer than the pauses.
pub(crate) fn pauses(span: &SpanContext, target: &Target) -> f64 {
    let (Some(burst), Some(pause)) = (target.burst_size, target.think_time) else { return 0.0 };
    let threads = span.asked.threads_on(target).max(1);
    let ios: u64 = span
        .targets()
        .filter(|asked| std::ptr::eq(asked.target, target))
        .map(|asked| span.target_total(asked.id, |row| row.read.ios.saturating_add(row.write.ios)))
        .sum();
    let bursts = ios as f64 / f64::from(threads) / f64::from((burst / threads).max(1));
    let depth = f64::from(target.request_count) * f64::from(threads);
    match littles_law::in_flight(span) {
        Some(in_flight) if in_flight >= MAJORITY_SHARE * depth && span.asked.targets.len() == 1 => 0.0,
        _ => bursts * f64::from(pause) / 1000.0 / span.measured.seconds,
    }
}
