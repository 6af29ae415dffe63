//! A time span in real time: the workers, each in its thread, and the controlling thread.

use super::control::{Control, Phase};
use super::io_log::Ring;
use super::live::Counters;
use super::observe::Observer;
use super::options::Options;
use super::phases::Clocked;
use super::recorder::merge_errors;
use super::setup::{self, Shared};
use super::span::SpanOutcome;
use super::worker::{Outcome as Ended, Phases};
use super::{content, recorder, trace};
use crate::plan::WorkerPlan;
use crate::results::SpanResults;
use crate::sys::cpu;
use crate::sys::cpu_latency::CpuLatency;
use crate::system::System;

/// Runs the workers in real time. `trace`: what of it is open already.
pub(super) fn measure(
    shared: &Shared,
    system: &System,
    options: &Options,
    control: &Control,
    rings: &[Ring],
    trace: Option<trace::Ready>,
) -> SpanOutcome {
    control.begin_span();
    let Shared { span: plan, console, .. } = *shared;
    let (progress, accounts) = (&shared.progress, &shared.accounts);
    let latencies = console.is_live() && plan.measure_latency;
    let live: Vec<Counters> = plan.workers.iter().map(|_| Counters::new(latencies)).collect();
    let mut results = SpanResults::default();
    // Without files there is nothing to be read.
    let content = if options.simulated() { Vec::new() } else { content::look(plan, console) };
    let mut observer = match Observer::new(plan, system, options, trace) {
        Ok(observer) => observer,
        Err(refusal) => return SpanOutcome::failed(vec![refusal.to_string()]),
    };
    let awake = match options.cpu_latency.map(CpuLatency::hold).transpose() {
        Ok(held) => held,
        // It could be held when the run began.
        Err(error) => return SpanOutcome::failed(vec![format!("--cpu-latency: {error}")]),
    };
    if let Some(limit) = options.cpu_latency {
        console.verbose(|| format!("processors may take {limit} us at most to wake up (--cpu-latency)"));
    }
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (index, worker) in plan.workers.iter().enumerate() {
            let (live, ring) = (live.get(index), rings.get(index));
            let work = move || work(worker, shared, control, live, ring);
            match std::thread::Builder::new().name(format!("worker {index}")).spawn_scoped(scope, work) {
                Ok(thread) => threads.push(thread),
                Err(e) => {
                    control.fail(format!("thread {index} can't be started: {e}; lower -t or -F"));
                    break;
                }
            }
        }
        // Not before: the workers would inherit it.
        let aside = cpu::keep_off(plan.workers.iter().filter_map(|worker| worker.cpu));
        let events = &options.events;
        let until_steady = options.until_steady;
        let clocked = Clocked { plan, system, events, control, console, live: &live, progress, until_steady };
        if control.wait_until_ready(plan.workers.len()) && events.may_start(control, console) {
            clocked.lead(&mut observer, &mut results);
        }
        control.set_phase(Phase::Stop);
        control.start();
        drop(aside);
        console.clear_line();
        for (index, thread) in threads.into_iter().enumerate() {
            let defect = || format!("thread {index} ended in a defect of this program; please report it");
            let ended = thread.join().unwrap_or_else(|_| {
                control.fail(defect());
                Ended::default()
            });
            results.threads.push(ended.results);
            merge_errors(&mut results.errors, ended.errors);
        }
    });
    drop(awake);
    let mut failures = control.failures();
    results.intervals = accounts.take_intervals();
    let mut observed = observer.finish();
    observed.content = content;
    results.observed = Some(observed);
    if !failures.is_empty() {
        // DISKSPD shows no figures of a span that failed; the accounts stay in the record.
        results.measured = 0;
        failures.extend(results.errors.iter().map(recorder::describe_error));
    }
    SpanOutcome { results, failures }
}

/// The whole life of a worker thread.
fn work(
    worker: &WorkerPlan,
    shared: &Shared,
    control: &Control,
    live: Option<&Counters>,
    log: Option<&Ring>,
) -> Ended {
    if let Some(live) = live {
        live.belongs_to_me();
    }
    let worker = match setup::set_up(worker, shared, Phases::Controlled(control), live, log) {
        Ok(worker) => worker,
        Err(failure) => {
            control.fail(failure);
            return Ended::default();
        }
    };
    if !control.ready_and_wait() {
        return Ended::default();
    }
    let ended = worker.run(shared.span);
    if let Some(failure) = &ended.failure {
        control.fail(failure.clone());
    }
    ended
}
