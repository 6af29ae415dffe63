//! Finds one slow target or thread among others with the same work. The totals do not show it.

use super::{Finding, Severity, SpanContext};
use diskspd_figures::stats::median;
use diskspd_profile::Target;
use diskspd_results::{TargetResults, ThreadResults};
use std::collections::HashMap;

/// Share of the median below which a target or thread is slow.
const MAX_SLOW_SHARE: f64 = 0.1;
/// Minimum number of threads with the same targets.
const MIN_THREADS: usize = 3;
const MIN_IOS: f64 = 200.0;
const MAX_NAMED: usize = 3;

/// Target or thread with its I/Os.
struct ShareOfIos {
    name: String,
    ios: u64,
}

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    // A request that failed with -x is not made again, and recorded I/Os and rates set what is to be done.
    if span.measured.failed > 0 || span.replays || span.rate_total.is_some() {
        return Vec::new();
    }
    let targets = slow_targets(span);
    // A thread may be slow because its target is.
    if targets.is_empty() { slow_threads(span) } else { targets }
}

fn slow_targets(span: &SpanContext) -> Vec<Finding> {
    let all: Vec<(&Target, ShareOfIos)> = span
        .targets()
        .filter(|asked| asked.target.throughput.is_none() && asked.target.thread_targets.is_empty())
        .map(|asked| {
            (
                asked.target,
                ShareOfIos {
                    name: format!("'{}'", asked.target.path),
                    ios: span.target_total(asked.id, count_ios),
                },
            )
        })
        .collect();
    let mut groups: Vec<(&Target, Vec<ShareOfIos>)> = Vec::new();
    for (target, worked) in all {
        match groups.iter_mut().find(|(first, _)| is_same_work(first, target)) {
            Some((_, group)) => group.push(worked),
            None => groups.push((target, vec![worked])),
        }
    }
    let found = groups.into_iter().filter_map(|(_, group)| slow_members(span, group, 2));
    let finding = |(message, evidence): (String, String)| {
        Finding::new("slow-target", Severity::Warning, span, message).shown_by(evidence).remedy(
            "measure the slow target alone: a slower device or path, a rebuild, or other users may explain \
             this; the total is below that of targets of one speed",
        )
    };
    found.map(finding).collect()
}

/// Whether two targets have the same work.
fn is_same_work(a: &Target, b: &Target) -> bool {
    *a == Target { path: a.path.clone(), file_size: a.file_size, ..b.clone() }
}

fn slow_threads(span: &SpanContext) -> Vec<Finding> {
    let mut groups: Vec<Vec<ShareOfIos>> = Vec::new();
    let mut known: HashMap<Vec<_>, usize> = HashMap::new();
    for (thread, number) in span.results.threads.iter().zip(0..) {
        let targets: Vec<_> = thread.targets.iter().map(|row| row.target).collect();
        let worked = ShareOfIos { name: format!("thread {number}"), ios: thread_ios(thread) };
        let place = *known.entry(targets).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(worked),
            None => groups.push(vec![worked]),
        }
    }
    let found = groups.into_iter().filter_map(|group| slow_members(span, group, MIN_THREADS));
    let finding = |(message, evidence): (String, String)| {
        Finding::new("slow-thread", Severity::Warning, span, message).shown_by(evidence).remedy(
            "check the thread's CPU: other programs, interrupts, -a with a busy or slow CPU; measure again",
        )
    };
    found.map(finding).collect()
}

fn count_ios(row: &TargetResults) -> u64 {
    row.read.ios.saturating_add(row.write.ios)
}

fn thread_ios(thread: &ThreadResults) -> u64 {
    thread.targets.iter().map(count_ios).fold(0, u64::saturating_add)
}

/// Returns message and evidence about the slow members of a group; `None` if there are no slow members, or
/// too few I/Os.
fn slow_members(span: &SpanContext, group: Vec<ShareOfIos>, fewest: usize) -> Option<(String, String)> {
    if group.len() < fewest {
        return None;
    }
    let seconds = span.measured.seconds;
    let highest = group.iter().map(|worked| worked.ios).max()? as f64;
    // Of two there is no middle: the faster one shows what is usual.
    let usual = match group.len() {
        2 => highest,
        _ => median(group.iter().map(|worked| worked.ios as f64)),
    };
    let slow: Vec<&ShareOfIos> =
        group.iter().filter(|worked| (worked.ios as f64) < MAX_SLOW_SHARE * usual).collect();
    if slow.is_empty() || usual < MIN_IOS {
        return None;
    }
    let named = slow.iter().take(MAX_NAMED);
    let names: Vec<String> = named
        .map(|worked| format!("{} did {:.0} I/Os per second", worked.name, worked.ios as f64 / seconds))
        .collect();
    let more = match slow.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let usual = usual / seconds;
    let message = format!("{}{more}, the usual rate of the {} is {usual:.0}", names.join(", "), group.len());
    let all: u64 = group.iter().map(|worked| worked.ios).sum();
    let evidence =
        format!("{:.0} I/Os per second are the total of all {}", all as f64 / seconds, group.len());
    Some((message, evidence))
}
