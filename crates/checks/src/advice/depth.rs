//! Number of I/Os in flight.

use super::reads_and_writes;
use crate::view::RequestedTarget;
use crate::{Finding, Severity, SpanContext};
use diskspd_results::ThreadResults;

const DEFAULT_DEPTH: u32 = 2;

pub(super) fn one_at_a_time(span: &SpanContext, asked: RequestedTarget) -> Option<Finding> {
    let target = asked.target;
    let depth = if span.asked.is_floating_pool() { span.asked.request_count } else { target.request_count };
    if depth < 2 || span.target_total(asked.id, reads_and_writes) == 0 {
        return None;
    }
    let threads = &span.results.threads;
    let all =
        |name: &str| !threads.is_empty() && threads.iter().all(|thread| engine_name(thread) == Some(name));
    let (severity, why, remedy) = if target.memory_mapped_io {
        let remedy = "use more threads (-t), or leave out -Sm";
        (Severity::Warning, "with memory-mapped I/O the thread copies the data itself", remedy)
    } else if span.is_cached(asked) && all("aio") {
        let remedy = "bypass the cache with -Su, or use --engine uring";
        (Severity::Warning, "engine aio waits for I/O through the page cache", remedy)
    } else if all("sync") {
        // Chosen by the program, and only where no engine could do more.
        (
            Severity::Note,
            "they complete in the submitting call",
            "use more threads (-t) for more I/Os at a time",
        )
    } else {
        return None;
    };
    let message = format!("a thread's I/Os on '{}' are done one at a time: {why}", target.path);
    let finding = Finding::new("one-at-a-time", severity, span, message)
        .on_target(&target.path)
        .shown_by(format!("requested: {depth} outstanding I/Os"))
        .remedy(remedy);
    // The limit of the run reports the effect of engine sync on the queue depth.
    let said = depth == DEFAULT_DEPTH || severity == Severity::Note;
    Some(if said { finding.quietly() } else { finding })
}

/// Returns the name of a thread's engine; `None` = a record of an older program.
fn engine_name(thread: &ThreadResults) -> Option<&str> {
    thread.engine.as_ref().map(|engine| engine.name.as_str())
}
