//! Little's law: mean latency times I/Os per second is the mean number of I/Os in flight. In a closed loop, where every
//! completion is followed by the next I/O at once, that is the queue depth: a check of every latency figure.

use super::{Finding, Severity, SpanView};
use crate::engine::EngineKind;
use crate::results::Effort;

/// So near to the queue depth the product has to be in a closed loop. It may be below: the time that the program takes
/// between a completion and the next I/O. Hardly above: an I/O in flight at the beginning counts with its whole latency.
const AGREES: std::ops::RangeInclusive<f64> = 0.98..=1.01;
/// Farther off the latencies are wrong, not only inexact.
const TOLERABLE: std::ops::RangeInclusive<f64> = 0.9..=1.05;
/// In flight less than this share of what was asked for: the queue depth isn't what it seems to be.
const HARDLY: f64 = 0.5;
/// The edges of the window weigh less than a percent when so many I/Os of each place in the queue lie between them.
const ENOUGH: f64 = 100.0;

/// Mean number of I/Os in flight, by the latencies; `None` = they were not measured (`-L`).
pub(super) fn in_flight(span: &SpanView) -> Option<f64> {
    let targets = span.results.threads.iter().flat_map(|thread| &thread.targets);
    let mut known = false;
    let mut sum = 0.0;
    for latency in targets.flat_map(|target| [&target.read, &target.write]).filter_map(|d| d.latency.as_ref())
    {
        known = true;
        sum += latency.moments().mean().unwrap_or(0.0) * latency.moments().count() as f64;
    }
    known.then(|| sum / span.results.measured as f64)
}

/// The share of the queue depth that the latencies account for, 1 = all of it; `None` = not measured, or they don't have
/// to: no closed loop, or too few I/Os.
pub(super) fn accounted(span: &SpanView) -> Option<f64> {
    let effort = effort(span)?;
    let depth: u64 = effort.workers.iter().map(|worker| u64::from(worker.depth)).sum();
    let at_once = effort.workers.iter().all(|worker| worker.engine == EngineKind::Null);
    let one_by_one = effort.workers.iter().any(|worker| worker.reachable_depth() < worker.depth);
    let limited =
        span.asked.targets.iter().any(|t| t.throughput.is_some() || t.think_time.is_some_and(|ms| ms > 0));
    let ios = span.measured.total.total.throughput.ios as f64;
    if at_once || one_by_one || limited || span.asked.completion_routines || ios < ENOUGH * depth as f64 {
        return None;
    }
    Some(in_flight(span)? / depth as f64)
}

fn effort<'a>(span: &SpanView<'a>) -> Option<&'a Effort> {
    span.results.observed.as_ref()?.effort.as_ref()
}

/// A queue that was never full, and latencies that don't account for it.
pub(super) fn check(span: &SpanView) -> Vec<Finding> {
    let Some(effort) = effort(span) else { return Vec::new() };
    let one_by_one = effort.workers.iter().find(|worker| worker.reachable_depth() < worker.depth);
    if let Some(worker) = one_by_one {
        let message = format!(
            "{} I/Os of a thread are to be outstanding, but engine {} does one after the other",
            worker.depth,
            worker.engine.row().name
        );
        let finding = Finding::new("depth-not-reached", Severity::Note, span, message);
        return vec![finding.remedy("more threads (-t), or another engine (--engine help)")];
    }
    accounted(span).and_then(|share| disagreement(span, effort, share)).into_iter().collect()
}

fn disagreement(span: &SpanView, effort: &Effort, share: f64) -> Option<Finding> {
    let depth: u64 = effort.workers.iter().map(|worker| u64::from(worker.depth)).sum();
    let in_flight = share * depth as f64;
    if AGREES.contains(&share) {
        return None;
    }
    if share < HARDLY && depth > effort.workers.len() as u64 {
        let message =
            format!("{depth} I/Os were to be outstanding, but only {in_flight:.1} were in flight on average");
        let cause =
            "I/O that completes while it is handed over (from a cache, from memory) never fills a queue";
        let finding = Finding::new("depth-not-reached", Severity::Note, span, message);
        return Some(finding.shown_by(cause.into()));
    }
    let severity = if TOLERABLE.contains(&share) { Severity::Note } else { Severity::Warning };
    let message = format!(
        "latency x IOPS accounts for {:.1} % of the queue depth: latencies are {} by so much",
        share * 100.0,
        if share < 1.0 { "too short" } else { "too long" }
    );
    let figures = format!("{in_flight:.2} I/Os in flight by the latencies, {depth} outstanding");
    let finding = Finding::new("latency-accounting", severity, span, message).shown_by(figures);
    Some(
        finding.shown_by(match share < 1.0 {
            true => "the rest is time between a completion and the next I/O, in the program or without a CPU"
                .to_string(),
            false => "an I/O that waited long in the warm-up counts with all of its latency".to_string(),
        }),
    )
}
