//! Little's law: mean latency times I/Os per second is the mean number of I/Os in flight. In a closed loop,
//! where every completion is followed by the next I/O at once, that is the queue depth: a check of the
//! depth and of every latency. The devices have clocks of their own: what they had in flight is a second
//! one.

use super::device::InFlight;
use super::{Finding, Limits, Severity, SpanView, offered};
use diskspd_model::engines::EngineKind;
use diskspd_model::machine::completion::OneByOne;
use diskspd_model::results::{Effort, WorkerEffort};

/// `-o` when it isn't given.
const DEFAULT_DEPTH: u32 = 2;
/// So near to the queue depth the product has to be in a closed loop. It may be below: what waits in the
/// program to be submitted is not in flight. Hardly above: an I/O in flight at the beginning counts with
/// its whole latency.
const AGREES: std::ops::RangeInclusive<f64> = 0.98..=1.01;
/// Above this the latencies are wrong, not only inexact.
const TOLERABLE: f64 = 1.05;
/// Below this the depth that was asked for is not what was measured.
const NEARLY: f64 = 0.9;
/// So little that I/Os don't wait to be submitted: they complete meanwhile.
const HARDLY: f64 = 0.5;
/// So near to the number of its places a queue is full, on average.
const FULL: f64 = 0.9;
/// From this share of the time on threads that had to wait for a CPU explain that I/Os had to.
const WITHOUT_CPU: f64 = 0.1;
/// The edges of the window weigh less than a percent when so many I/Os of each place in the queue lie
/// between them.
const ENOUGH: f64 = 100.0;

/// Mean number of I/Os in flight, by the latencies and by the ages of those that a stall kept to the end;
/// `None` = they were not measured (`-L`).
pub(super) fn in_flight(span: &SpanView) -> Option<f64> {
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

/// The share of the queue depth that the latencies account for, 1 = all of it; `None` = not measured, or
/// they don't have to: no closed loop, or too few I/Os.
pub(super) fn accounted(span: &SpanView) -> Option<f64> {
    Some(in_flight(span)? / closed_loop(span)? as f64)
}

/// I/Os that have to be outstanding at any time; `None` = not all of them have to, or there were too few to
/// tell.
fn closed_loop(span: &SpanView) -> Option<u64> {
    let effort = span.effort()?;
    let depth: u64 = effort.workers.iter().map(|worker| u64::from(worker.depth)).sum();
    let at_once = effort.workers.iter().all(|worker| worker.engine == EngineKind::Null);
    let one_by_one = effort.workers.iter().any(|worker| worker.reachable_depth() < worker.depth)
        || span.results.observed.as_ref().is_some_and(|seen| seen.serialized.iter().any(Option::is_some));
    let limited = offered::is_limited(span)
        || span.asked.targets.iter().any(|target| target.think_time.is_some_and(|ms| ms > 0));
    // They take places in the queue.
    let flushed = span.rows().any(|row| !row.others.are_none());
    let limited = limited || flushed;
    let ios = span.measured.total.total.throughput.ios as f64;
    if at_once || one_by_one || limited || span.asked.completion_routines || ios < ENOUGH * depth as f64 {
        return None;
    }
    Some(depth)
}

/// A queue that was not full, and latencies that can't be right.
pub(super) fn check(span: &SpanView, limits: Option<&Limits>) -> Vec<Finding> {
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

/// The depth that was asked for can't exist: I/Os are done one after the other. The worst cause is told.
fn one_by_one(span: &SpanView, effort: &Effort) -> Option<Finding> {
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
            "each thread was to keep {depth} I/Os outstanding, but on this file system the kernel serializes \
             the writes to a file"
        ),
        Some(OneByOne::PageCache) => format!(
            "each thread was to keep {depth} I/Os outstanding, but writes to the page cache complete one at \
             a time"
        ),
        Some(OneByOne::Target) => {
            format!(
                "each thread was to keep {depth} I/Os outstanding, but the target completes one at a \
                     time"
            )
        }
        Some(OneByOne::Memory) | None => {
            format!(
                "each thread was to keep {depth} I/Os outstanding, but engine {engine} issues one at a time"
            )
        }
    };
    let finding = Finding::new("depth-not-reached", severity, span, message);
    let finding = match (cause, worker.engine.is_synchronous()) {
        (Some(OneByOne::Writes | OneByOne::Target), false) => finding.shown_by(
            "they wait for each other when they are submitted, and each latency includes that wait".into(),
        ),
        (_, true) if severity > Severity::Note => {
            finding.shown_by("the figures are those of one outstanding I/O per thread".into())
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

/// How much the depth that is missing misleads. Memory has no queue that anybody could fill; a mapping is
/// told by the advice about it; and nobody asked for the default depth.
fn depth_severity(cause: Option<OneByOne>, worker: &WorkerEffort) -> Severity {
    match cause {
        Some(OneByOne::Target | OneByOne::PageCache | OneByOne::Writes) if worker.depth > DEFAULT_DEPTH => {
            Severity::Warning
        }
        _ => Severity::Note,
    }
}

/// All are outstanding, but hardly any at the device: they wait before it or after it.
fn at_device(span: &SpanView, effort: &Effort, limits: &Limits) -> Option<Finding> {
    let InFlight { requests, counted } = span.queues.in_flight?;
    let (depth, counted) = (closed_loop(span)?, counted?);
    if depth <= effort.workers.len() as u64 || counted >= HARDLY * depth as f64 {
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
        if let Some(places) = places.filter(|places| requests >= FULL * places) {
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
    let waiting = limits.run_delay.filter(|waiting| *waiting >= WITHOUT_CPU)?;
    Some(format!("threads had no CPU {:.0} % of the time", waiting * 100.0))
}

/// What completed waited in the program to be submitted again, and was not in flight meanwhile.
fn waiting_finding(span: &SpanView, limits: &Limits, share: f64, threads: usize) -> Finding {
    let depth = limits.depth;
    let in_flight = share * depth as f64;
    if share < HARDLY && depth > threads as u64 {
        let message = format!("only {in_flight:.1} of {depth} I/Os were in flight on average");
        let cause =
            "I/O that completes while it is submitted (from a cache, from memory) never fills a queue";
        let finding = Finding::new("depth-not-reached", Severity::Note, span, message);
        return finding.shown_by(cause.into());
    }
    let severity = if share < NEARLY { Severity::Warning } else { Severity::Note };
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
            "{} had {counted:.1} of them in flight, by the kernel's counters",
            span.the_device()
        ));
    }
    finding
        .shown_by(format!(
            "latencies don't include that wait: they are those of a queue depth of {in_flight:.1}"
        ))
        .remedy(match depth > threads as u64 {
            true => {
                "spread them over more threads (-t, with a lower -o); without -L they are submitted in \
                     larger batches"
            }
            false => {
                "use more threads (-t): with one outstanding I/O a thread has none in flight while it \
                 submits the next"
            }
        })
}

/// What I/Os that were in flight when measuring began may add to the share of the depth: each counts with all
/// of its latency, and was no older than the longest. And what those in flight at its end may lack, which
/// count with none of it.
fn at_the_edge(span: &SpanView) -> f64 {
    let directions = span.rows().flat_map(|row| [&row.read, &row.write]);
    let longest = directions.filter_map(|direction| direction.longest()).max().unwrap_or(0);
    longest as f64 / span.results.measured.max(1) as f64
}

/// More in flight than there are: stamps or counts are wrong.
fn impossible_finding(span: &SpanView, limits: &Limits, share: f64) -> Finding {
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
            "I/Os submitted in the warm-up count with their whole latency, but can't explain it: this is a \
             defect of this program, please report it"
                .into(),
        )
}
