//! Threads bound to other CPUs by another process or the system during the measurement (`taskset -p`, a
//! cpuset, an offline CPU). Findings about their CPUs apply only to part of the time.

use super::processors::cpus_in_words;
use super::{Finding, Severity, SpanContext};
use diskspd_figures::units::seconds_of_us;
use diskspd_results::{AffinityChange, WorkerUsage};

/// Reports the number of threads with a changed affinity, and the first of them.
pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let workers = span.effort().map_or(&[][..], |effort| &effort.workers);
    let moved = (0u32..)
        .zip(workers)
        .filter_map(|(thread, worker)| Some((thread, worker, worker.affinity_change.as_ref()?)));
    let moved: Vec<_> = moved.collect();
    let Some(first) = moved.iter().min_by_key(|(_, _, rebound)| rebound.observed_us) else {
        return Vec::new();
    };
    let message = format!(
        "{} of {} threads were bound to other CPUs from outside during the measurement: the figures mix \
         both bindings",
        moved.len(),
        workers.len()
    );
    let finding =
        Finding::new("affinity-changed", Severity::Warning, span, message).shown_by(thread_text(*first));
    vec![finding.remedy(
        "measure again without the cause: taskset, a change of the control group's cpuset, a CPU that went \
         offline, or a daemon that places threads (tuned, numad)",
    )]
}

fn thread_text((thread, worker, rebound): (u32, &WorkerUsage, &AffinityChange)) -> String {
    let from = worker.cpu.map_or("the CPUs that it began with".into(), |cpu| cpus_in_words(&[cpu]));
    let (after, seen) = (seconds_of_us(rebound.after_us), seconds_of_us(rebound.observed_us));
    format!(
        "thread {thread} went from {from} to {} between second {after:.1} and {seen:.1}",
        cpus_in_words(&rebound.cpus)
    )
}
