//! A time span in virtual time.

use crate::options::Options;
use crate::peer_ranks::BarrierPoint;
use crate::services;
use crate::span::logged;
use crate::span::setup::{self, SharedByWorkers, not_led};
use crate::unobserved;
use diskspd_machine::System;
use diskspd_plan::workload::Pattern;
use diskspd_plan::{SpanPlan, WorkerPlan};
use diskspd_results::{CpuTimes, EndedBy, Observations, RunOutcome, SpanResults};
use diskspd_sys::mutex::LockUnpoisoned;
use diskspd_worker::recorder::{self, merge_errors};
use diskspd_worker::telemetry::io_log::IoLog;
use diskspd_worker::{
    Control, Phases, RunReporter, SpanOutcome, VolumeQuota, WorkerFailure, WorkerOutcome, by_cause,
};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Mutex;

fn may_begin(options: &Options, control: &Control, voice: &RunReporter) -> bool {
    let companions = options.companions.as_ref();
    options.events.may_start(control, voice)
        && companions.is_none_or(|all| all.go_on_at(BarrierPoint::Ready, control).is_some())
}

type WorkerEnd = Result<WorkerOutcome, WorkerFailure>;

/// Runs the workers in virtual time; the result depends only on the plan.
pub(super) fn simulate(
    shared: &SharedByWorkers,
    system: &System,
    options: &Options,
    control: &Control,
    log: Option<&IoLog>,
) -> SpanOutcome {
    let SharedByWorkers { span: plan, voice, .. } = *shared;
    if !may_begin(options, control, voice) {
        return SpanOutcome { failures: control.failures(), ..SpanOutcome::default() };
    }
    options.events.measurement_begins(control);
    if voice.is_streaming() {
        voice.warn(
            "--stream: simulated time passes at once, so nothing can be streamed; use --out FILE.csv for the \
             intervals",
        );
    }
    let _way = match services::give_way() {
        Ok(way) => way,
        Err(why) => return SpanOutcome::failed(vec![not_led(&why)]),
    };
    let schedule = setup::schedule(plan);
    let mut results =
        SpanResults { measured: schedule.cooldown - schedule.measure, ..SpanResults::default() };
    let phases = || Phases::Scheduled(schedule, control);
    let ends: Vec<WorkerEnd> = match log {
        None if are_independent(plan) => side_by_side(shared, phases),
        _ => plan.workers.iter().map(|worker| in_turn(worker, shared, phases(), log)).collect(),
    };
    let failed = gather_failures(ends, &mut results);
    options.events.measurement_ended(control);
    recorder::count_from(schedule.measure, &mut results.errors);
    let by = if failed.is_empty() { EndedBy::Time } else { EndedBy::Failure };
    results.ended = Some(RunOutcome { cause: by, after: Some(results.measured) });
    let mut failures = by_cause(&failed);
    failures.extend(control.failures());
    results.intervals = shared.accounts.take_intervals();
    results.responses = shared.accounts.take_responses();
    let latencies = shared.accounts.take_latencies();
    results.observed = Some(Observations { latencies, ..unobserved::simulated(plan) });
    // Nothing real was used: all CPUs were idle in that time.
    let active = system.topology.groups.iter().map(|g| g.active as usize).sum();
    results.cpus = vec![CpuTimes { idle: results.measured, ..CpuTimes::default() }; active];
    // Interrupted in the midst of it, some threads have done nothing at all.
    if !failures.is_empty() || control.is_interrupted() {
        // The caller reports the cause of the end.
        results.measured = 0;
        results.ended = None;
    }
    SpanOutcome { results, failures, ..SpanOutcome::default() }
}

fn gather_failures(ends: Vec<WorkerEnd>, results: &mut SpanResults) -> Vec<WorkerFailure> {
    let mut failed = Vec::new();
    for ended in ends {
        match ended {
            Ok(ended) => {
                results.threads.push(ended.results);
                merge_errors(&mut results.errors, ended.errors);
                failed.extend(ended.failure);
            }
            Err(failure) => failed.push(failure),
        }
    }
    failed
}

fn in_turn(worker: &WorkerPlan, shared: &SharedByWorkers, phases: Phases, log: Option<&IoLog>) -> WorkerEnd {
    let ended = logged(log, worker.thread..worker.thread + 1, true, |rings| {
        let made = setup::set_up(worker, shared, phases, None, rings.first());
        made.map(|worker| worker.run(shared.span))
    });
    ended.unwrap_or_else(|error| Err(error.to_string().into()))
}

/// Whether the workers' I/Os are independent. Each has a separate device and clock, but a position (`-si`)
/// and a volume that ends the span are shared.
fn are_independent(plan: &SpanPlan) -> bool {
    let mut targets = plan.workers.iter().flat_map(|worker| &worker.targets);
    VolumeQuota::for_plan(plan).is_none()
        && targets.all(|target| target.workload.pattern != Pattern::Interlocked)
}

fn side_by_side<'a>(shared: &SharedByWorkers, phases: impl Fn() -> Phases<'a> + Sync) -> Vec<WorkerEnd> {
    let plan = shared.span;
    let waiting = Mutex::new(plan.workers.iter().enumerate());
    let work = || {
        let mut ended = Vec::new();
        loop {
            // One is set up behind the other: what they say comes in their order.
            let mut next = waiting.lock_anyway();
            let Some((index, worker)) = next.next() else { return ended };
            let made = setup::set_up(worker, shared, phases(), None, None);
            drop(next);
            ended.push((index, made.map(|worker| worker.run(plan))));
        }
    };
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let helpers = processors.min(plan.workers.len()).saturating_sub(1);
    let mut ends = std::thread::scope(|scope| {
        let named = || std::thread::Builder::new().name("simulated".into());
        // Where no thread can be started this one does it all.
        let helpers: Vec<_> = (0..helpers).filter_map(|_| named().spawn_scoped(scope, work).ok()).collect();
        let mut ends = work();
        for helper in helpers {
            ends.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        ends
    });
    ends.sort_unstable_by_key(|(index, _)| *index);
    ends.into_iter().map(|(_, end)| end).collect()
}
