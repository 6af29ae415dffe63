//! A time span in real time: the workers, each in its thread, and the controlling thread.

use crate::options::Options;
use crate::services;
use crate::span::machine_watch;
use crate::span::phases::PhaseDriver;
use crate::span::probes::Probes;
use crate::span::setup::{self, SharedByWorkers};
use crate::span::span_context;
use diskspd_machine::System;
use diskspd_machine::content::ContentFacts;
use diskspd_output::guard;
use diskspd_plan::{SpanPlan, WorkerPlan};
use diskspd_results::{Observations, SpanResults};
use diskspd_sys::clock::{self, Nanos};
use diskspd_sys::cpu;
use diskspd_worker::control::{Control, Phase};
use diskspd_worker::handoff::{self, WorkerHandoff};
use diskspd_worker::recorder::merge_errors;
use diskspd_worker::telemetry::io_log::LineRing;
use diskspd_worker::telemetry::live::Counters;
use diskspd_worker::{Phases, RunReporter, Slowest, SlowestRings, SpanOutcome, WorkerFailure, recorder};
use std::iter;

fn not_started(index: usize, why: &std::io::Error) -> String {
    format!(
        "cannot start thread {index}: {why}; lower -t or -F, or check ulimit -u and the limits of the \
         container (pids.max)"
    )
}

/// Returns the counters of each worker for the display.
fn counters(plan: &SpanPlan, voice: &RunReporter) -> Vec<Counters> {
    let latencies = voice.is_detailed() && plan.measure_latency;
    let splits = voice.is_detailed() && machine_watch::has_both_directions(plan);
    plan.workers.iter().map(|_| Counters::new(latencies).splitting(splits)).collect()
}

/// Runs the workers in real time. `probes` may contain an open trace.
pub(crate) fn measure(
    shared: &SharedByWorkers,
    system: &System,
    options: &Options,
    control: &Control,
    rings: &[LineRing],
    probes: &Probes,
) -> SpanOutcome {
    control.begin_span();
    let SharedByWorkers { span: plan, held, voice, .. } = *shared;
    let live = counters(plan, voice);
    let mut results = SpanResults::default();
    control.start_step("sets up the run");
    let content = inspect_content(shared, options);
    let mut observer = match span_context::observe(plan, held, system, options, probes) {
        Ok(observer) => observer,
        Err(refusal) => return SpanOutcome::failed(vec![refusal.to_string()]),
    };
    let awake = match span_context::hold_awake(&options.run_options) {
        Ok(held) => held,
        // It could be held when the run began.
        Err(error) => return SpanOutcome::failed(vec![format!("--cpu-latency: {error}")]),
    };
    if let Some(limit) = options.run_options.cpu_latency_us {
        voice.verbose(|| format!("limiting the CPUs' wake-up time to {limit} us (--cpu-latency)"));
    }
    let (slowest, desks) =
        (observer.slowest(), Vec::from_iter(plan.workers.iter().map(|_| WorkerHandoff::default())));
    let observer = std::thread::scope(|scope| {
        // A panic of this thread must not leave the workers waiting for it: the scope waits for them.
        let _release = Release(control);
        let mut threads = Vec::new();
        for ((index, worker), desk) in plan.workers.iter().enumerate().zip(&desks) {
            let outlets = WorkerOutlets::new(index, &live, rings, slowest.as_ref());
            let work = move || work(worker, shared, control, outlets, desk);
            match std::thread::Builder::new().name(format!("worker {index}")).spawn_scoped(scope, work) {
                Ok(thread) => threads.push(thread),
                Err(e) => {
                    control.fail(not_started(index, &e));
                    break;
                }
            }
        }
        // Not before: the workers would inherit it.
        let aside = cpu::keep_off(plan.workers.iter().filter_map(|worker| worker.cpu));
        let clocked = PhaseDriver::new(shared, system, options, control, (&live, &desks));
        if control.wait_until_ready(plan.workers.len()) && options.events.may_start(control, voice) {
            control.start_step("measures");
            clocked.run_phases(&mut observer, &mut results);
        }
        control.start_step("waits for its threads to end");
        control.set_phase(Phase::Stop);
        control.start();
        drop(aside);
        voice.clear_line();
        let over = clock::monotonic();
        if !control.wait_until_ended(threads.len(), |missing| tell_of_waiting(missing, voice)) {
            let alive: Vec<bool> = threads.iter().map(|thread| !thread.is_finished()).collect();
            let trouble = take_over(plan, (&desks, &live), &alive, over, &mut results);
            let results = std::mem::take(&mut results);
            let observed = observer.finish_observation(&live);
            let mut outcome = close_span(plan, shared, control, results, content.clone(), observed);
            outcome.troubles.push(trouble);
            // Before the log: its file may hang as well.
            control.deposit(outcome);
            control.start_step("writes the log of I/Os (--io-log)");
            shared.log.iter().for_each(|log| log.finish_log());
            control.abandon();
            return None;
        }
        for ((thread, desk), worker) in threads.into_iter().zip(&desks).zip(&plan.workers) {
            // A panic was reported when it happened.
            let _ = thread.join();
            let ended = desk.take().unwrap_or_else(|| handoff::nothing_done(worker, plan));
            results.threads.push(ended.results);
            merge_errors(&mut results.errors, ended.errors);
        }
        Some(observer)
    });
    drop(awake);
    if options.run_options.flush_after {
        control.deposit(SpanOutcome { results: results.clone(), ..SpanOutcome::default() });
        control.start_step("flushes the written data (--flush-after)");
    }
    let observed = observer.map(|observer| observer.finish(&live)).unwrap_or_default();
    let mut outcome = close_span(plan, shared, control, results, content, observed);
    if options.run_options.flush_after {
        outcome.troubles.extend(unflushed_targets(plan, &outcome.results));
    }
    outcome
}

/// Returns the targets that `--flush-after` could not flush.
fn unflushed_targets(plan: &SpanPlan, results: &SpanResults) -> Vec<String> {
    let devices = results.observed.as_ref().and_then(|observed| observed.devices.as_ref());
    let targets = devices.into_iter().flat_map(|devices| &devices.targets);
    targets
        .filter_map(|target| {
            let error = std::io::Error::from_raw_os_error(target.write_error?);
            Some(format!(
                "--flush-after: cannot flush '{}': {error}; written data may be lost: see dmesg",
                plan.path_of(target.target)
            ))
        })
        .collect()
}

fn inspect_content(shared: &SharedByWorkers, options: &Options) -> Vec<ContentFacts> {
    if options.run_options.simulated() {
        return Vec::new();
    }
    span_context::look_at_content(shared.span, shared.held, shared.voice)
}

/// Collects the results of a time span whose workers have ended or were abandoned.
fn close_span(
    plan: &SpanPlan,
    shared: &SharedByWorkers,
    control: &Control,
    mut results: SpanResults,
    content: Vec<ContentFacts>,
    mut observed: Observations,
) -> SpanOutcome {
    recorder::count_from(control.measure_start(), &mut results.errors);
    shared.integrity.iter().for_each(|integrity| integrity.order().judge(&mut results.threads));
    let mut failures = control.failures();
    results.intervals = shared.accounts.take_intervals();
    results.responses = shared.accounts.take_responses();
    observed.content = content;
    observed.latencies = shared.accounts.take_latencies();
    results.observed = Some(observed);
    if !failures.is_empty() {
        // DISKSPD shows no figures of a span that failed; the accounts stay in the record.
        results.measured = 0;
        failures.extend(results.errors.iter().map(|error| recorder::describe_error(plan, error)));
    }
    SpanOutcome { results, failures, ..SpanOutcome::default() }
}

fn take_over(
    plan: &SpanPlan,
    (desks, live): (&[WorkerHandoff], &[Counters]),
    alive: &[bool],
    over: Nanos,
    results: &mut SpanResults,
) -> String {
    let (mut stuck, mut silent) = (Vec::new(), Vec::new());
    let threads = (0u32..).zip(live).filter(|(_, counters)| cpu::is_ready(counters.thread()));
    let ready: Vec<u32> = threads.map(|(thread, _)| thread).collect();
    for ((worker, desk), alive) in
        plan.workers.iter().zip(desks).zip(alive.iter().chain(iter::repeat(&false)))
    {
        let remains = desk.take_over(worker, plan);
        results.threads.push(remains.outcome.results);
        merge_errors(&mut results.errors, remains.outcome.errors);
        if *alive {
            stuck.extend(remains.stuck);
            silent.extend(remains.nothing.then_some(worker.thread));
        }
    }
    handoff::describe(stuck, &silent, &ready, over, clock::monotonic())
}

fn tell_of_waiting(missing: usize, voice: &RunReporter) {
    let threads = if missing == 1 { "a thread has".to_string() } else { format!("{missing} threads have") };
    voice.note(&format!(
        "time is over, but {threads} not ended: outstanding I/O or a lack of CPU time keeps it back; the \
         report follows when it has, within 30 s, or at once with Ctrl-C"
    ));
}

/// Releases the workers if the controlling thread panics.
struct Release<'a>(&'a Control);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0
                .fail("a defect of this program ended the controlling thread; please report it".to_string());
            self.0.set_phase(Phase::Stop);
            self.0.start();
        }
    }
}

/// Reports on drop that a worker, by its number, has ended, so that no thread waits for its readiness
/// forever.
struct EndedGuard<'a>(&'a Control, u32);

impl Drop for EndedGuard<'_> {
    fn drop(&mut self) {
        let EndedGuard(control, thread) = self;
        if std::thread::panicking() {
            control.fail(format!("a defect of this program ended thread {thread}; please report it"));
        }
        control.worker_ended();
    }
}

#[derive(Clone, Copy)]
struct WorkerOutlets<'a> {
    live: Option<&'a Counters>,
    log: Option<&'a LineRing>,
    /// `--explain`: buffer of slow I/Os, and the number of kept I/Os.
    slow: Option<(&'a LineRing, u32)>,
}

impl<'a> WorkerOutlets<'a> {
    fn new(
        index: usize,
        live: &'a [Counters],
        logs: &'a [LineRing],
        slowest: Option<&'a SlowestRings>,
    ) -> WorkerOutlets<'a> {
        let slow = slowest.and_then(|rings| Some((rings.by_worker.get(index)?, rings.wanted)));
        WorkerOutlets { live: live.get(index), log: logs.get(index), slow }
    }
}

/// Body of a worker thread.
fn work(
    worker: &WorkerPlan,
    shared: &SharedByWorkers,
    control: &Control,
    WorkerOutlets { live, log, slow }: WorkerOutlets,
    desk: &WorkerHandoff,
) {
    let _leaving = EndedGuard(control, worker.thread);
    if let Some(live) = live {
        live.belongs_to(cpu::thread_number());
    }
    // Before its engine has threads of its own in the kernel, which run as it does.
    let _way = match services::give_way() {
        Ok(way) => way,
        Err(why) => return control.fail(WorkerFailure::of_thread(worker.thread, setup::not_led(&why))),
    };
    let mut worker = match setup::set_up(worker, shared, Phases::Controlled(control), live, log) {
        Ok(worker) => worker,
        Err(failure) => return control.fail(failure),
    };
    if let Some((ring, wanted)) = slow {
        match Slowest::new(wanted, ring.producer()) {
            Ok(slowest) => worker.slowest = Some(slowest),
            Err(why) => return control.fail(WorkerFailure::of_thread(worker.plan.thread, why.into())),
        }
    }
    desk.names(worker.heir.take());
    if !control.ready_and_wait() {
        return;
    }
    if shared.span.waits_for_measuring() {
        control.wait_for_measuring();
    }
    let mut measured = Some(guard::is_measured());
    worker.work(shared.span, &mut |ended, in_flight| {
        measured = None;
        // A wait for a CPU is counted when it is over: this one shows what was going on when the window
        // closed.
        if let Some(live) = live
            && let Some(waited) = services::waited_for_cpu(live.thread())
        {
            live.is_over(clock::monotonic(), waited);
        }
        if let Some(failure) = &ended.failure {
            control.fail(failure.clone());
        }
        desk.hand_in(ended, in_flight);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panicked_worker_is_not_awaited() {
        let control = Control::default();
        std::thread::scope(|scope| {
            let work = || {
                let _leaving = EndedGuard(&control, 3);
                std::panic::resume_unwind(Box::new(()));
            };
            assert!(scope.spawn(work).join().is_err());
        });
        assert!(!control.wait_until_ready(1));
        assert_eq!(control.failures(), ["a defect of this program ended thread 3; please report it"]);
    }
}
