//! Little's law: mean latency times I/Os per second is the mean number of I/Os in flight. In a closed loop
//! every completion immediately starts the next I/O, so the result is the queue depth. This checks the
//! depth and every latency. The devices' clocks provide a second check.

use super::device::InFlight;
use super::{Finding, Limits, Severity, SpanContext, achieved_rate};
use diskspd_base::engines::EngineKind;
use diskspd_machine::completion::OneByOne;
use diskspd_results::{ResourceUsage, WorkerUsage};

/// Default of `-o`.
const DEFAULT_DEPTH: u32 = 2;
/// Range of the product relative to the queue depth in a closed loop. It may be lower, because I/Os
/// waiting in the program are not in flight. It is hardly higher, from I/Os in flight at the start with
/// their whole latency.
const AGREES: std::ops::RangeInclusive<f64> = 0.98..=1.01;
/// Ratio above which the latencies are wrong, not only inexact.
const TOLERABLE: f64 = 1.05;
/// Maximum ratio at which the measured depth differs from the requested depth.
const MAX_DEPTH_RATIO: f64 = 0.9;
/// Maximum ratio at which I/Os complete during submission instead of waiting for it.
const MAX_SUBMIT_RATIO: f64 = 0.5;
const FULL_CPU_SHARE: f64 = 0.9;
/// Minimum share of CPU waits of threads that explains waiting I/Os.
const MIN_RUN_DELAY_SHARE: f64 = 0.1;
/// Minimum number of I/Os per queue slot that reduces the effect of the window's edges below one percent.
const MIN_IOS_PER_SLOT: f64 = 100.0;

/// Returns the mean number of I/Os in flight, from latencies and the ages of I/Os still in flight at the
/// end. `None` if not measured (`-L`).
pub(super) fn in_flight(span: &SpanContext) -> Option<f64> {
    let targets = span.results.threads.iter().flat_map(|thread| &thread.targets);
    let mut known = false;
    let mut sum = 0.0;
    for latency in targets.flat_map(|target| [&target.read, &target.write]).filter_map(|d| d.latency.as_ref())
    {
        known = true;
        sum += latency.moments().mean().unwrap_or(0.0) * latency.moments().count() as f64;
    }
    let measured = span.results.measured;
    let unfinished = span.rows().flat_map(|row| &row.unfinished).map(|age| *age.min(&measured) as f64);
    sum += unfinished.sum::<f64>();
    known.then(|| sum / measured as f64)
}

/// Returns the share of the queue depth explained by the latencies, 1 = all. `None` if not measured, or
/// not applicable: no closed loop, or too few I/Os.
pub(super) fn accounted(span: &SpanContext) -> Option<f64> {
    Some(in_flight(span)? / closed_loop(span)? as f64)
}

/// Returns the number of permanently outstanding I/Os; `None` = not permanent, or too few I/Os.
fn closed_loop(span: &SpanContext) -> Option<u64> {
    let effort = span.effort()?;
    let depth: u64 = effort.workers.iter().map(|worker| u64::from(worker.depth)).sum();
    let at_once = effort.workers.iter().all(|worker| worker.engine == EngineKind::Null);
    let one_by_one = effort.workers.iter().any(|worker| worker.reachable_depth() < worker.depth)
        || span.results.observed.as_ref().is_some_and(|seen| seen.serialized.iter().any(Option::is_some));
    let limited = achieved_rate::is_limited(span)
        || span.asked.targets.iter().any(|target| target.think_time.is_some_and(|ms| ms > 0));
    // They take places in the queue.
    let flushed = span.rows().any(|row| !row.others.are_none());
    let limited = limited || flushed;
    let ios = span.measured.total.total.throughput.ios as f64;
    if at_once
        || one_by_one
        || limited
        || span.asked.completion_routines
        || ios < MIN_IOS_PER_SLOT * depth as f64
    {
        return None;
    }
    Some(depth)
}

/// Reports a queue that was not full, and impossible latencies.
pub(super) fn check(span: &SpanContext, limits: Option<&Limits>) -> Vec<Finding> {
    let Some(effort) = span.effort() else { return Vec::new() };
    if let Some(finding) = one_by_one(span, effort) {
        return vec![finding];
    }
    let Some(limits) = limits else { return Vec::new() };
    match limits.in_flight_share {
        // Those in flight at the end that are not known by their age are no older than the longest.
        Some(share) if share < *AGREES.start() - at_the_edge(span) => {
            vec![waiting_finding(span, limits, share, effort.workers.len())]
        }
        Some(share) if share > *AGREES.end() + at_the_edge(span) => {
            vec![impossible_finding(span, limits, share)]
        }
        _ => at_device(span, effort, limits).into_iter().collect(),
    }
}

/// Reports a requested depth that is impossible because I/Os are sequential, with the most severe cause.
fn one_by_one(span: &SpanContext, effort: &ResourceUsage) -> Option<Finding> {
    let known = &span.results.observed.as_ref()?.serialized;
    let causes = effort.workers.iter().enumerate().filter_map(|(thread, worker)| {
        let cause = known.get(thread).copied().flatten();
        let serial = cause.is_some() || worker.reachable_depth() < worker.depth;
        (serial && worker.depth > 1).then(|| (depth_severity(cause, worker), cause, worker))
    });
    // The first of those that are equally bad.
    let (severity, cause, worker) = causes.rev().max_by_key(|(severity, ..)| *severity)?;
    let (depth, engine) = (worker.depth, worker.engine.row().name);
    let message = match cause {
        Some(OneByOne::Writes) => format!(
            "each thread should have kept {depth} I/Os outstanding, but on this file system the kernel \
             serializes the writes to a file"
        ),
        Some(OneByOne::PageCache) => format!(
            "each thread should have kept {depth} I/Os outstanding, but writes to the page cache complete \
             one at a time"
        ),
        Some(OneByOne::Target) => {
            format!(
                "each thread should have kept {depth} I/Os outstanding, but the target completes one at a \
                     time"
            )
        }
        Some(OneByOne::Memory) | None => {
            format!(
                "each thread should have kept {depth} I/Os outstanding, but engine {engine} issues one at \
                 a time"
            )
        }
    };
    let finding = Finding::new("depth-not-reached", severity, span, message);
    let finding = match (cause, worker.engine.is_synchronous()) {
        (Some(OneByOne::Writes | OneByOne::Target), false) => finding.shown_by(
            "they wait for each other when they are submitted, and each latency includes that wait".into(),
        ),
        (_, true) if severity > Severity::Note => {
            finding.shown_by("the figures describe one outstanding I/O per thread".into())
        }
        _ => finding,
    };
    Some(finding.remedy(match cause {
        Some(OneByOne::Target) => {
            "try more threads (-t) or --engine uring to see whether it can do more at a time; with -o1 the \
             report states the depth that was measured"
        }
        Some(OneByOne::Writes) => "use one file per thread, or -o1",
        _ => "use more threads (-t), or another engine (--engine help)",
    }))
}

/// Returns the severity of a missing depth. Memory has no queue, mappings have separate advice, and the
/// default depth is not a request.
fn depth_severity(cause: Option<OneByOne>, worker: &WorkerUsage) -> Severity {
    match cause {
        Some(OneByOne::Target | OneByOne::PageCache | OneByOne::Writes) if worker.depth > DEFAULT_DEPTH => {
            Severity::Warning
        }
        _ => Severity::Note,
    }
}

fn at_device(span: &SpanContext, effort: &ResourceUsage, limits: &Limits) -> Option<Finding> {
    let InFlight { requests, counted } = span.queues.in_flight?;
    let (depth, counted) = (closed_loop(span)?, counted?);
    if depth <= effort.workers.len() as u64 || counted >= MAX_SUBMIT_RATIO * depth as f64 {
        return None;
    }
    let message = format!(
        "{} had {counted:.1} of {depth} outstanding I/Os in flight on average: the others waited in the \
         kernel to reach it, or were completed and waited to be reaped",
        span.the_device()
    );
    let mut finding = Finding::new("device-depth", Severity::Note, span, message);
    if limits.in_flight_share.is_some() {
        finding = finding.shown_by("latencies include that wait".into());
    }
    let disks = span.system.environment.iter().flat_map(|environment| &environment.disks);
    for device in disks.map(|disk| &disk.device) {
        let places = device.queue.get("nr_requests").and_then(|places| places.parse::<f64>().ok());
        if let Some(places) = places.filter(|places| requests >= FULL_CPU_SHARE * places) {
            let name = &device.name;
            finding = finding.shown_by(format!(
                "the queue of {name} was full: it holds {places} requests \
                                          (nr_requests)"
            ));
        }
    }
    for text in [submission_text(limits), without_cpu(limits)].into_iter().flatten() {
        finding = finding.shown_by(text);
    }
    Some(finding)
}

fn submission_text(limits: &Limits) -> Option<String> {
    let micros = limits.cpu_per_io? / 1000.0;
    Some(format!(
        "submitting and reaping an I/O takes {micros:.2} us of CPU, and a thread does that one I/O at a time"
    ))
}

fn without_cpu(limits: &Limits) -> Option<String> {
    let waiting = limits.run_delay.filter(|waiting| *waiting >= MIN_RUN_DELAY_SHARE)?;
    Some(format!("threads had no CPU {:.0} % of the time", waiting * 100.0))
}

fn waiting_finding(span: &SpanContext, limits: &Limits, share: f64, threads: usize) -> Finding {
    let depth = limits.depth;
    let in_flight = share * depth as f64;
    if share < MAX_SUBMIT_RATIO && depth > threads as u64 {
        let message = format!("only {in_flight:.1} of {depth} I/Os were in flight on average");
        let cause =
            "I/O that completes while it is submitted (from a cache, from memory) never fills a queue";
        let finding = Finding::new("depth-not-reached", Severity::Note, span, message);
        return finding.shown_by(cause.into());
    }
    let severity = if share < MAX_DEPTH_RATIO { Severity::Warning } else { Severity::Note };
    let message = format!(
        "{in_flight:.1} of {depth} I/Os were in flight on average: the others waited in the program to be \
         submitted"
    );
    let mut finding = Finding::new("depth-not-reached", severity, span, message);
    for text in [submission_text(limits), without_cpu(limits)].into_iter().flatten() {
        finding = finding.shown_by(text);
    }
    if let Some(InFlight { counted: Some(counted), .. }) = span.queues.in_flight {
        finding = finding.shown_by(format!(
            "{} had {counted:.1} I/Os in flight, by the kernel's counters",
            span.the_device()
        ));
    }
    finding
        .shown_by(format!(
            "latencies do not include that wait: they correspond to a queue depth of {in_flight:.1}"
        ))
        .remedy(match depth > threads as u64 {
            true => {
                "spread them over more threads (-t, with a lower -o); without -L they are submitted in \
                     larger batches"
            }
            false => {
                "use more threads (-t): with one outstanding I/O a thread has no I/O in flight while it \
                 submits the next"
            }
        })
}

/// Returns the possible error of the depth ratio from the window's edges. I/Os in flight at the start
/// count with their whole latency, up to the longest one. I/Os in flight at the end do not count.
fn at_the_edge(span: &SpanContext) -> f64 {
    let directions = span.rows().flat_map(|row| [&row.read, &row.write]);
    let longest = directions.filter_map(|direction| direction.longest()).max().unwrap_or(0);
    longest as f64 / span.results.measured.max(1) as f64
}

/// Reports more I/Os in flight than possible, because stamps or counts are wrong.
fn impossible_finding(span: &SpanContext, limits: &Limits, share: f64) -> Finding {
    let severity = if share > TOLERABLE { Severity::Warning } else { Severity::Note };
    let percent = share * 100.0;
    let message = format!(
        "the reported latencies are too long: latency x IOPS is {percent:.1} % of the queue depth, which \
         Little's law rules out"
    );
    let in_flight = share * limits.depth as f64;
    Finding::new("latency-accounting", severity, span, message)
        .shown_by(format!(
            "latency x IOPS gives {in_flight:.2} I/Os in flight, the queue depth is \
                           {}",
            limits.depth
        ))
        .shown_by(
            "I/Os submitted in the warm-up count with their whole latency, but cannot explain it: this is \
             a defect of this program, please report it"
                .into(),
        )
}
