//! One time span, from its targets to its results.

use super::console::Console;
use super::control::{Control, Phase};
use super::io_log::{IoLog, Ring};
use super::live::Counters;
use super::recorder::merge_errors;
use super::setup::{self, Shared};
use super::worker::{Outcome as Ended, Phases};
use super::{prepare, recorder, sources};
use crate::clock::{self, Nanos, SECOND};
use crate::engine::EngineKind;
use crate::plan::{self, PlanError, SpanPlan, Surroundings, WorkerPlan};
use crate::profile::{Profile, Target, TimeSpan};
use crate::results::{CpuTimes, SpanResults};
use crate::system::System;
use crate::system::claims::Claims;
use crate::system::cpu_times::CpuClock;
use crate::system::refusal::write_refusal;
use crate::system::target;
use crate::system::target::{TargetFacts, TargetKind};
use crate::workload::InterlockedPosition;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How the user wants a profile to be run, beyond what the profile says.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--engine`; `None` = the program chooses.
    pub engine: Option<EngineKind>,
    /// `--recreate`: files of `-c` are written anew even when they are complete.
    pub recreate: bool,
    /// `--destroy`: block devices that carry a signature may be written to.
    pub destroy: bool,
    /// `--io-log`: every single I/O is logged in this file.
    pub io_log: Option<PathBuf>,
}

impl Options {
    /// No file is opened, no device touched.
    fn simulated(&self) -> bool {
        self.engine.is_some_and(|kind| !kind.row().needs_files)
    }
}

/// What became of a time span.
#[derive(Debug, Default)]
pub struct SpanOutcome {
    /// What was measured; nothing when it failed.
    pub results: SpanResults,
    /// Why it failed; empty = it didn't.
    pub failures: Vec<String>,
}

impl SpanOutcome {
    fn failed(failures: Vec<String>) -> SpanOutcome {
        SpanOutcome { failures, ..SpanOutcome::default() }
    }
}

/// Looks at the targets as they are now and plans the span on them.
///
/// # Errors
/// Everything that doesn't fit.
pub fn probe_and_plan(
    profile: &Profile,
    span: &TimeSpan,
    system: &System,
    options: &Options,
) -> Result<SpanPlan, Vec<PlanError>> {
    let mut facts = Vec::new();
    let mut errors = Vec::new();
    for target in &span.targets {
        match target::probe(target.path.as_path()) {
            Ok(found) => facts.push(found),
            // A simulated device needs no target; the plan sees one that isn't there.
            Err(_) if options.simulated() => facts.push(TargetFacts::default()),
            Err(error) => errors.push(PlanError::target(error.to_string())),
        }
    }
    if !errors.is_empty() {
        errors.dedup();
        return Err(errors);
    }
    plan::plan(profile, span, Surroundings { system, facts: &facts, engine: options.engine })
}

/// Runs one time span.
pub fn run(
    profile: &Profile,
    span: &TimeSpan,
    system: &System,
    options: &Options,
    control: &Control,
    console: &Console,
    log: Option<&IoLog>,
) -> SpanOutcome {
    let messages = |errors: Vec<PlanError>| errors.into_iter().map(|e| e.message).collect();
    // The first plan finds what is wrong before anything is written, the second one sees the files as they came out.
    let first = match probe_and_plan(profile, span, system, options) {
        Ok(plan) => plan,
        Err(errors) => return SpanOutcome::failed(messages(errors)),
    };
    first.warnings.iter().for_each(|warning| console.warn(warning));
    let sources = match sources::make(&first.sources) {
        Ok(sources) => sources,
        Err(message) => return SpanOutcome::failed(vec![message]),
    };
    let guards = match if options.simulated() {
        Ok(Claims::default())
    } else {
        protect_and_prepare(span, options, control, console)
    } {
        Ok(guards) => guards,
        Err(_) if control.is_interrupted() => return SpanOutcome::default(),
        Err(message) => return SpanOutcome::failed(vec![message]),
    };
    let plan = match probe_and_plan(profile, span, system, options) {
        Ok(plan) => plan,
        Err(errors) => return SpanOutcome::failed(messages(errors)),
    };
    if let Some(log) = log {
        log.begin_span();
    }
    let interlocked = interlocked_positions(&plan);
    let shared = Shared { span: &plan, interlocked: &interlocked, sources: &sources, console };
    let outcome = match options.engine {
        Some(EngineKind::Sim) => simulate(&shared, system, log),
        _ => {
            logged(log, 0..plan.workers.len() as u32, false, |rings| measure(&shared, system, control, rings))
        }
    };
    drop(guards);
    warn_of_short_transfers(&outcome.results, console);
    outcome
}

/// Makes sure that nothing of the user's is destroyed, then creates the files of `-c`. What is returned keeps devices
/// exclusively ours until the span is over.
fn protect_and_prepare(
    span: &TimeSpan,
    options: &Options,
    control: &Control,
    console: &Console,
) -> Result<Claims, String> {
    let written: Vec<&Path> =
        span.targets.iter().filter(|t| t.write_ratio > 0).map(|t| t.path.as_path()).collect();
    for path in &written {
        if let Some(refusal) = write_refusal(path, options.destroy).map_err(|e| e.to_string())? {
            return Err(refusal.to_string());
        }
    }
    let claims = Claims::take(written).map_err(|e| e.to_string())?;
    let mut created = HashSet::new();
    for target in span.targets.iter().filter(|t| plan::creates(t)) {
        let facts = target::probe(target.path.as_path()).map_err(|e| e.to_string())?;
        // A path that is listed twice is created once.
        if facts.kind != TargetKind::BlockDevice && created.insert(&target.path) {
            create(target, options, control, console)?;
        }
    }
    Ok(claims)
}

fn create(target: &Target, options: &Options, control: &Control, console: &Console) -> Result<(), String> {
    let path = target.path.as_path();
    let order = prepare::Order {
        path,
        size: target.file_size.unwrap_or(0),
        zero: target.zero_write_buffers,
        recreate: options.recreate,
    };
    console.verbose(|| format!("creating '{}' with {} bytes", target.path, order.size));
    let name = target.path.to_string();
    let done = prepare::prepare(
        &order,
        &mut |done, total| console.draw_preparation(&name, done, total),
        control.stop_flag(),
    )
    .map_err(|e| e.to_string())?;
    console.clear_line();
    match done {
        prepare::Prepared::Kept => console.note(&format!(
            "'{}' already has the size asked for and is fully written: kept as it is (--recreate writes it anew)",
            target.path
        )),
        other => console.verbose(|| format!("'{}': {other}", target.path)),
    }
    Ok(())
}

/// Does the work of these threads, with a ring for each of them if there is a log, and else without any.
fn logged<T>(log: Option<&IoLog>, threads: Range<u32>, patient: bool, work: impl FnOnce(&[Ring]) -> T) -> T {
    match log {
        Some(log) => log.record(threads, patient, work),
        None => work(&[]),
    }
}

/// Runs the workers in real time.
fn measure(shared: &Shared, system: &System, control: &Control, rings: &[Ring]) -> SpanOutcome {
    control.begin_span();
    let Shared { span: plan, console, .. } = *shared;
    let live: Vec<Counters> = match console.is_live() {
        true => plan.workers.iter().map(|_| Counters::new(plan.measure_latency)).collect(),
        false => Vec::new(),
    };
    let mut results = SpanResults::default();
    let mut failures = Vec::new();
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
        let clocked = Clocked { plan, system, control, console, live: &live };
        if control.wait_until_ready(plan.workers.len()) {
            (results.measured, results.cpus) = clocked.phases();
        }
        control.set_phase(Phase::Stop);
        control.start();
        console.clear_line();
        for (index, thread) in threads.into_iter().enumerate() {
            let ended = thread.join().unwrap_or_else(|_| Ended {
                failure: Some(format!("thread {index} ended in a defect of this program; please report it")),
                ..Ended::default()
            });
            results.threads.push(ended.results);
            merge_errors(&mut results.errors, ended.errors);
            failures.extend(ended.failure);
        }
    });
    failures.extend(control.failures().into_iter().filter(|f| !failures.contains(f)).collect::<Vec<_>>());
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
    let worker = match setup::set_up(worker, shared, Phases::Controlled(control), live, log) {
        Ok(worker) => worker,
        Err(message) => {
            control.fail(message);
            return Ended::default();
        }
    };
    if !control.ready_and_wait() {
        return Ended::default();
    }
    let ended = worker.run(shared.span);
    if let Some(message) = &ended.failure {
        control.fail(message.clone());
    }
    ended
}

/// The controlling thread's part of a span.
struct Clocked<'a> {
    plan: &'a SpanPlan,
    system: &'a System,
    control: &'a Control,
    console: &'a Console,
    live: &'a [Counters],
}

impl Clocked<'_> {
    /// Leads the workers through the phases. Returns the measured time, ns (0 = never measured), and the CPU times in
    /// it.
    fn phases(&self) -> (Nanos, Vec<CpuTimes>) {
        let Clocked { plan, control, console, .. } = *self;
        console.verbose(|| format!("starting: {} threads", plan.workers.len()));
        control.start();
        if plan.warmup > 0 {
            console.verbose(|| format!("warming up for {} s", plan.warmup));
            if !self.sleep("warm up", plan.warmup) {
                return (0, Vec::new());
            }
        }
        console.verbose(|| format!("measuring for {} s", plan.duration));
        let before = CpuClock::read();
        let start = control.start_measuring();
        let complete = self.sleep("measure", plan.duration);
        control.set_phase(Phase::Cooldown);
        let measured = clock::monotonic() - start;
        let after = CpuClock::read();
        console.verbose(|| format!("measured {:.2} s", measured as f64 / SECOND as f64));
        if complete && plan.cooldown > 0 {
            console.verbose(|| format!("cooling down for {} s", plan.cooldown));
            self.sleep("cool down", plan.cooldown);
        }
        match before.and_then(|before| Ok((before, after?))) {
            Ok((before, after)) => (measured, after.since(&before, &self.system.topology)),
            Err(e) => {
                control.fail(format!("/proc/stat, the CPU times of the machine, can't be read: {e}"));
                (0, Vec::new())
            }
        }
    }

    /// False = ended early, by failure or interruption.
    fn sleep(&self, phase: &str, seconds: u32) -> bool {
        let end = clock::monotonic() + recorder::seconds(seconds);
        loop {
            let now = clock::monotonic();
            let next = if self.live.is_empty() { end } else { end.min(now + SECOND) };
            if !self.control.sleep_until(next) {
                return false;
            }
            if next == end {
                return true;
            }
            self.console.draw(phase, end - next, self.live);
        }
    }
}

/// Runs the workers in virtual time, one after the other in this thread: the outcome depends on the plan alone.
fn simulate(shared: &Shared, system: &System, log: Option<&IoLog>) -> SpanOutcome {
    let plan = shared.span;
    let schedule = setup::schedule(plan);
    let mut results =
        SpanResults { measured: schedule.cooldown - schedule.measure, ..SpanResults::default() };
    let mut failures = Vec::new();
    for worker in &plan.workers {
        let ended = logged(log, worker.thread..worker.thread + 1, true, |rings| {
            setup::set_up(worker, shared, Phases::Scheduled(schedule), None, rings.first())
                .map(|worker| worker.run(plan))
        });
        match ended {
            Ok(ended) => {
                results.threads.push(ended.results);
                merge_errors(&mut results.errors, ended.errors);
                failures.extend(ended.failure);
            }
            Err(message) => failures.push(message),
        }
    }
    // Nothing real was used: all CPUs were idle in that time.
    let active = system.topology.groups.iter().map(|g| g.active as usize).sum();
    results.cpus = vec![CpuTimes { idle: results.measured, ..CpuTimes::default() }; active];
    if !failures.is_empty() {
        results.measured = 0;
    }
    SpanOutcome { results, failures }
}

fn interlocked_positions(plan: &SpanPlan) -> Vec<Arc<InterlockedPosition>> {
    (0..plan.targets).map(|_| Arc::new(InterlockedPosition::default())).collect()
}

/// DISKSPD warns of every short transfer when it happens; one line per target after the run does not disturb it.
fn warn_of_short_transfers(results: &SpanResults, console: &Console) {
    for (thread, result) in results.threads.iter().enumerate() {
        for target in &result.targets {
            let short = target.read.short + target.write.short;
            if short > 0 {
                console.warn(&format!(
                    "thread {thread}: {short} of {} I/Os on '{}' transferred less than a block; they count with what \
                     they transferred. Did the file shrink?",
                    target.read.ios + target.write.ios,
                    target.path
                ));
            }
        }
    }
}
