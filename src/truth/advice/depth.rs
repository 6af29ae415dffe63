//! How many I/Os are in flight, and what happens between them.

use super::{done, storage};
use crate::profile::{CacheMode, Target};
use crate::results::ThreadResults;
use crate::truth::{Finding, Severity, SpanView};

/// `-o` when it isn't given: nobody has asked for that depth.
const DEFAULT_DEPTH: u32 = 2;

/// `-o` asks for I/Os side by side where the way they are done has them one after the other.
pub(super) fn one_at_a_time(span: &SpanView, target: &Target) -> Option<Finding> {
    let depth = if span.asked.is_floating_pool() { span.asked.request_count } else { target.request_count };
    if depth < 2 || done(&span.measured.total, &target.path) == 0 {
        return None;
    }
    let threads = &span.results.threads;
    let all = |name: &str| !threads.is_empty() && threads.iter().all(|thread| engine(thread) == Some(name));
    let (severity, why, remedy) = if target.memory_mapped_io {
        let remedy = "use more threads (-t), or leave out -Sm";
        (Severity::Warning, "memory-mapped I/O is done by the thread itself", remedy)
    } else if target.cache_mode == CacheMode::Cached && all("aio") {
        let remedy = "bypass the cache with -Su, or use --engine uring";
        (Severity::Warning, "engine aio waits for I/O through the page cache", remedy)
    } else if all("sync") {
        // Chosen by the program, and only where no engine could do more.
        (
            Severity::Note,
            "they end in the call that begins them",
            "use more threads (-t) to do more at a time",
        )
    } else {
        return None;
    };
    let message = format!("I/Os of a thread on '{}' are done one after the other: {why}", target.path);
    let finding = Finding::new("one-at-a-time", severity, span, message)
        .on(&target.path)
        .shown_by(format!("{depth} outstanding I/Os were asked for"))
        .remedy(remedy);
    // What engine sync makes of a queue depth is said aloud with what limited the run.
    let said = depth == DEFAULT_DEPTH || severity == Severity::Note;
    Some(if said { finding.quietly() } else { finding })
}

/// Name of the engine of a thread; `None` = the record is of an older program.
fn engine(thread: &ThreadResults) -> Option<&str> {
    thread.engine.as_ref().map(|engine| engine.name.as_str())
}

/// A wake-up counts from this share of the mean latency on.
const SHARE: f64 = 0.1;

/// Between I/Os that are far apart processors go to sleep, and what it takes to wake them is counted as latency. Only
/// past the cache: else the processors may have been busy copying all the time.
pub(super) fn waking_up(span: &SpanView) -> Option<Finding> {
    let past_the_cache = |target: &Target| {
        target.cache_mode != CacheMode::Cached
            && !target.memory_mapped_io
            && storage(span, &target.path).is_some()
    };
    let polled = span.results.observed.as_ref().is_some_and(|seen| seen.polled);
    if polled || !span.asked.targets.iter().all(past_the_cache) {
        return None;
    }
    let figures = &span.measured.total.total;
    let latency = figures.latency.and_then(|latency| latency.mean)? * 1000.0;
    let iops = figures.throughput.iops;
    if iops <= 0.0 || latency <= 0.0 {
        return None;
    }
    let pause = f64::from(span.measured.thread_count) * 1e6 / iops;
    let state = span.system.environment.as_ref()?.cpu.idle_state_for(pause)?;
    if (state.latency as f64) < latency * SHARE {
        return None;
    }
    let message = "the processors sleep between I/Os: latencies include their waking up".to_owned();
    Some(
        Finding::new("waking-up", Severity::Note, span, message)
            .shown_by(format!(
                "each thread does an I/O every {pause:.0} µs; the mean latency is {latency:.0} µs"
            ))
            .shown_by(format!("idle state {} takes {} µs to leave", state.name, state.latency))
            .remedy("compare with a run without deep idle states: cpupower idle-set -D <µs>"),
    )
}
