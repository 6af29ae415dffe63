//! Additional I/O properties: atomic writes, uncached I/O, and the number of I/Os that would have waited.

use super::view::RequestedTarget;
use super::{Finding, Severity, SpanContext};
use diskspd_base::operation::Operation;
use diskspd_figures::units;
use diskspd_machine::io_counters::TargetDevices;
use diskspd_results::{DirectionResults, TargetResults};

/// Maximum share of `--dontcache` data in the page cache after measuring: current I/Os, and pages held by
/// other programs.
const MAX_CACHED_SHARE: f64 = 0.05;
/// Minimum in bytes, for deep queues of large blocks.
const LEFT_AT_LEAST: u64 = 16 << 20;

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let mut findings: Vec<Finding> = span.targets().filter_map(|asked| nowait_finding(span, asked)).collect();
    for asked in span.targets() {
        findings.extend(durable_finding(span, asked));
        let Some(facts) = span.facts_of(asked.id).next() else { continue };
        findings.extend(atomic_finding(span, asked, facts));
        findings.extend(dont_cache(span, asked, facts));
    }
    findings
}

/// Reports the guarantee for atomic writes and its source. The kernel fails writes that it cannot do
/// atomically.
fn atomic_finding(span: &SpanContext, asked: RequestedTarget, facts: &TargetDevices) -> Option<Finding> {
    let offered = facts.atomic?;
    let written = span.target_total(asked.id, |row| row.write.ios);
    let [min, max] = [offered.unit_min, offered.unit_max].map(|bytes| units::Size(bytes.into()));
    let path = &asked.target.path;
    let message = format!(
        "all {written} writes to '{path}' were atomic (RWF_ATOMIC); units from {min:#} to {max:#} are \
         guaranteed"
    );
    let by = match offered.device_max {
        Some(0) => "by the file system alone: the device does no atomic writes".to_owned(),
        Some(most) => format!("by the device up to {:#}, above that by the file system", units::Size(most)),
        None => "how much the device guarantees is unknown".to_owned(),
    };
    (written > 0)
        .then(|| Finding::new("atomic-writes", Severity::Note, span, message).on_target(path).shown_by(by))
}

/// Reports the durable writes. [`advice`](super::advice) judges whether they reached the device.
fn durable_finding(span: &SpanContext, asked: RequestedTarget) -> Option<Finding> {
    let done = |count: fn(&DirectionResults) -> u64| {
        span.target_total(asked.id, move |row| row.aux_results(Operation::DurableWrite).map_or(0, count))
    };
    let (durable, writes) = (done(|done| done.ios), span.target_total(asked.id, |row| row.write.ios));
    let path = &asked.target.path;
    let message = format!("{durable} of {writes} writes to '{path}' were durable on completion (RWF_DSYNC)");
    (durable > 0).then(|| Finding::new("durable-writes", Severity::Note, span, message).on_target(path))
}

fn nowait_finding(span: &SpanContext, asked: RequestedTarget) -> Option<Finding> {
    let done = |of: fn(&TargetResults) -> &DirectionResults| {
        let misses = span.target_total(asked.id, |row| of(row).nowait_misses.unwrap_or(0));
        (misses, span.target_total(asked.id, |row| of(row).ios))
    };
    let path = &asked.target.path;
    let counts = [("reads", done(|row| &row.read)), ("writes", done(|row| &row.write))];
    let words = counts.iter().filter(|(_, (_, ios))| *ios > 0);
    let words: Vec<String> = words.map(|(what, (misses, ios))| format!("{misses} of {ios} {what}")).collect();
    let message = format!(
        "{} on '{path}' would have waited: the kernel refused them (RWF_NOWAIT), and they were repeated \
         without the flag",
        words.join(" and ")
    );
    let told = asked.target.no_wait && !words.is_empty();
    told.then(|| Finding::new("nowait-misses", Severity::Note, span, message).on_target(path))
}

/// Reports data left in the page cache, by the kernel's page counts before and after. Dirty pages are
/// released later.
fn dont_cache(span: &SpanContext, asked: RequestedTarget, facts: &TargetDevices) -> Option<Finding> {
    let cached = facts.cached.filter(|_| asked.target.dont_cache)?;
    let done = span.target_total(asked.id, |row| row.read.bytes.saturating_add(row.write.bytes));
    let unwritten = facts.unwritten.unwrap_or(0);
    let stayed = cached.after.saturating_sub(cached.before).saturating_sub(unwritten);
    let path = &asked.target.path;
    let shown = format!(
        "page cache: {} before, {} after (of these {} dirty); I/O of {}",
        units::amount(cached.before),
        units::amount(cached.after),
        units::amount(unwritten),
        units::amount(done)
    );
    let finding = |name, severity, message: String| {
        Finding::new(name, severity, span, message).on_target(path).shown_by(shown.clone())
    };
    let allowed = ((done as f64 * MAX_CACHED_SHARE) as u64).max(LEFT_AT_LEAST);
    Some(match stayed > allowed {
        true => {
            let message = format!(
                "--dontcache: {} of '{path}' stayed in the page cache, so that later reads may be served \
                 from memory",
                units::amount(stayed)
            );
            finding("dontcache-retained", Severity::Warning, message)
                .remedy("see that no other program uses the file during the run; use -Su to be sure")
        }
        false => {
            let message =
                format!("I/O on '{path}' went through the page cache, and no page of it stayed there");
            finding("dontcache", Severity::Note, message)
        }
    })
}
