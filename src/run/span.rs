//! One time span, from its targets to its results.

use super::console::Console;
use super::control::{Control, Phase};
use super::creation::NotCreated;
use super::events::Events;
use super::failure::by_cause;
use super::io_log::{IoLog, Ring};
use super::large_pages::Reserve;
use super::live::Counters;
use super::observe::{self, Observer};
use super::precreate::File;
use super::recorder::merge_errors;
use super::refusals::written;
use super::sampler::Sampler;
use super::setup::{self, Shared};
use super::stream::{Progress, Ticker};
use super::worker::{Outcome as Ended, Phases};
use super::{content, creation, prefill, recorder, sources, trace, warm_up};
use crate::clock::{self, SECOND};
use crate::engine::EngineKind;
use crate::plan::{self, PlanError, SpanPlan, Surroundings, Wish, WorkerPlan};
use crate::profile::{Profile, RawText, Target, TimeSpan};
use crate::results::{CpuTimes, SpanResults};
use crate::sys::cpu;
use crate::system::System;
use crate::system::claims::{self, Claims};
use crate::system::completion;
use crate::system::cpu_times::CpuClock;
use crate::system::target;
use crate::system::target::TargetFacts;
use crate::workload::InterlockedPosition;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// How the user wants a profile to be run, beyond what the profile says.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--engine`; `None` = the program chooses.
    pub engine: Option<EngineKind>,
    /// `--poll`: completions are polled for.
    pub poll: bool,
    /// `--recreate`: files of `-c` are written anew even when they are complete.
    pub recreate: bool,
    /// `--destroy`: block devices that carry a signature may be written to.
    pub destroy: bool,
    /// `-ys`, `-yf`, `-yr`
    pub events: Events,
    /// `--until-steady`: the warm-up goes on until the run is steady, but no longer than this, s.
    pub until_steady: Option<u32>,
    /// `--io-log`: every single I/O is logged in this file.
    pub io_log: Option<PathBuf>,
    /// `--flush-after`: what is still in memory at the end is written, and that is timed.
    pub flush_after: bool,
    /// `--prefill`: what was never written is written before the run.
    pub prefill: Option<prefill::Prefill>,
}

impl Options {
    /// No file is opened, no device touched.
    pub fn simulated(&self) -> bool {
        self.engine.is_some_and(|kind| !kind.row().needs_files)
    }

    /// Time itself is simulated.
    pub(super) fn virtual_time(&self) -> bool {
        self.engine.is_some_and(|kind| kind.row().virtual_time)
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
    let plan = plan_at(&locations(span, options)?, profile, span, system, options)?;
    engines_available(&plan)?;
    trace::check(&plan).map_err(|refusal| vec![PlanError::profile(refusal.to_string())])?;
    Ok(plan)
}

/// Where the targets are, in their order. Looked up once for a span: what is checked has to be what is opened.
pub(super) fn locations(span: &TimeSpan, options: &Options) -> Result<Vec<PathBuf>, Vec<PlanError>> {
    let mut errors = Vec::new();
    let locations = span.targets.iter().map(|target| match target::locate(target.path.as_bytes()) {
        Ok(location) => location,
        Err(_) if options.simulated() => PathBuf::new(),
        Err(message) => {
            errors.push(PlanError::target(message));
            PathBuf::new()
        }
    });
    let locations = locations.collect();
    errors.dedup();
    if errors.is_empty() { Ok(locations) } else { Err(errors) }
}

fn plan_at(
    locations: &[PathBuf],
    profile: &Profile,
    span: &TimeSpan,
    system: &System,
    options: &Options,
) -> Result<SpanPlan, Vec<PlanError>> {
    let mut facts = Vec::new();
    let mut errors = Vec::new();
    let wish = Wish { engine: options.engine, poll: options.poll };
    for (target, location) in span.targets.iter().zip(locations) {
        match target::probe(location) {
            Ok(mut found) => {
                if let Some(direct) = plan::completion_matters(span, target, wish) {
                    found.completion = completion::completion(&found, direct);
                }
                if wish.poll {
                    found.polling = completion::polling(&found);
                }
                facts.push(found);
            }
            // A simulated device needs no target; the plan sees one that isn't there.
            Err(_) if options.simulated() => facts.push(TargetFacts::default()),
            Err(error) => errors.push(PlanError::target(error.to_string())),
        }
    }
    if !errors.is_empty() {
        errors.dedup();
        return Err(errors);
    }
    plan::plan(profile, span, Surroundings { system, facts: &facts, wish })
}

/// An engine that the kernel forbids, or has no memory for, is better known before a large file is created for it.
fn engines_available(plan: &SpanPlan) -> Result<(), Vec<PlanError>> {
    let kinds: HashSet<EngineKind> = plan.workers.iter().map(|worker| worker.engine).collect();
    let unavailable = |kind: EngineKind| {
        let why = kind.row().available().err()?;
        let message = format!("engine {} is not available: {why}", kind.row().name);
        Some(if why.lacking { PlanError::target(message) } else { PlanError::profile(message) })
    };
    let errors: Vec<PlanError> = kinds.into_iter().filter_map(unavailable).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// What the time spans of a run have in common.
#[derive(Clone, Copy)]
pub struct Common<'a> {
    /// The whole profile.
    pub profile: &'a Profile,
    /// Files that are not created again.
    pub precreated: &'a HashSet<RawText>,
    /// Block devices that are not prefilled again.
    pub prefilled: &'a prefill::Done,
    /// The machine.
    pub system: &'a System,
    /// What the user wants.
    pub options: &'a Options,
    /// What stops the run.
    pub control: &'a Control,
    /// What the run says.
    pub console: &'a Console,
    /// Where single I/Os are logged.
    pub log: Option<&'a IoLog>,
}

/// Runs one time span.
pub fn run(span: &TimeSpan, common: Common) -> SpanOutcome {
    let Common { profile, precreated, prefilled, system, options, control, console, log } = common;
    let messages = |errors: Vec<PlanError>| errors.into_iter().map(|e| e.message).collect();
    // The first plan finds what is wrong before anything is written, the second one sees the files as they came out.
    let planned = locations(span, options).and_then(|at| {
        let plan = plan_at(&at, profile, span, system, options)?;
        engines_available(&plan).map(|()| (plan, at))
    });
    let (first, locations) = match planned {
        Ok(planned) => planned,
        Err(errors) => return SpanOutcome::failed(messages(errors)),
    };
    first.warnings.iter().for_each(|warning| console.warn(warning));
    let sources = match sources::make(&first.sources) {
        Ok(sources) => sources,
        Err(message) => return SpanOutcome::failed(vec![message]),
    };
    let claims = match if options.simulated() {
        Ok(Claims::default())
    } else {
        protect_and_prepare(span, &locations, precreated, options, control, console)
    } {
        Ok(claims) => claims,
        Err(NotCreated::Interrupted) => return SpanOutcome::default(),
        Err(NotCreated::Failed(message)) => return SpanOutcome::failed(vec![message]),
    };
    let plan = match plan_at(&locations, profile, span, system, options) {
        Ok(plan) => plan,
        Err(errors) => return SpanOutcome::failed(messages(errors)),
    };
    if let Err(message) = prefill::prefill(&plan, &claims, prefilled, options, control, console) {
        let interrupted = control.is_interrupted();
        return if interrupted { SpanOutcome::default() } else { SpanOutcome::failed(vec![message]) };
    }
    if let Some(log) = log {
        log.begin_span();
    }
    let interlocked = interlocked_positions(&plan);
    let progress = match console.is_streaming() && !options.virtual_time() {
        true => plan.workers.iter().map(|_| Progress::new(is_timed(&plan))).collect(),
        false => Vec::new(),
    };
    let shared = Shared {
        span: &plan,
        interlocked: &interlocked,
        claims: &claims,
        accounts: Arc::default(),
        progress,
        sources: &sources,
        large_pages: Reserve::before(&plan),
        console,
    };
    let outcome = match options.engine {
        Some(_) if options.virtual_time() => simulate(&shared, system, options, control, log),
        _ => logged(log, 0..plan.workers.len() as u32, false, |rings| {
            measure(&shared, system, options, control, rings)
        }),
    };
    drop(claims);
    warn_of_short_transfers(&outcome.results, console);
    outcome
}

/// Makes sure that nothing of the user's is destroyed, then creates the files of `-c`. What is returned keeps devices
/// exclusively ours until the span is over.
fn protect_and_prepare(
    span: &TimeSpan,
    locations: &[PathBuf],
    precreated: &HashSet<RawText>,
    options: &Options,
    control: &Control,
    console: &Console,
) -> Result<Claims, NotCreated> {
    let targets = || span.targets.iter().zip(locations);
    let claims = claims::protect(written(span, locations, options), options.destroy)
        .map_err(|e| NotCreated::Failed(e.to_string()))?;
    let wanted = || targets().filter(|(t, _)| plan::creates(t) && !precreated.contains(&t.path));
    // A path that is listed twice is created once, as its last target wants it.
    let last: HashMap<&RawText, &Target> = wanted().map(|(t, _)| (&t.path, t)).collect();
    let only = |target: &Target| last.get(&target.path).is_some_and(|last| std::ptr::eq(*last, target));
    let file = |target: &Target| File {
        path: target.path.clone(),
        size: target.file_size.unwrap_or(0),
        zero: target.zero_write_buffers,
    };
    let files: Vec<(File, PathBuf)> =
        wanted().filter(|(t, _)| only(t)).map(|(t, path)| (file(t), path.clone())).collect();
    creation::create_all(&files, options, control, console)?;
    Ok(claims)
}

/// Does the work of these threads, with a ring for each of them if there is a log, and else without any.
fn logged<T>(log: Option<&IoLog>, threads: Range<u32>, patient: bool, work: impl FnOnce(&[Ring]) -> T) -> T {
    match log {
        Some(log) => log.record(threads, patient, work),
        None => work(&[]),
    }
}

/// Runs the workers in real time.
fn measure(
    shared: &Shared,
    system: &System,
    options: &Options,
    control: &Control,
    rings: &[Ring],
) -> SpanOutcome {
    control.begin_span();
    let Shared { span: plan, console, .. } = *shared;
    let (progress, accounts) = (&shared.progress, &shared.accounts);
    let latencies = console.is_live() && plan.measure_latency;
    let live: Vec<Counters> = plan.workers.iter().map(|_| Counters::new(latencies)).collect();
    let mut results = SpanResults::default();
    // Without files there is nothing to be read.
    let content = if options.simulated() { Vec::new() } else { content::look(plan, console) };
    let mut observer = match Observer::new(plan, system, options) {
        Ok(observer) => observer,
        Err(refusal) => return SpanOutcome::failed(vec![refusal.to_string()]),
    };
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
            clocked.phases(&mut observer, &mut results);
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

/// The controlling thread's part of a span.
struct Clocked<'a> {
    plan: &'a SpanPlan,
    system: &'a System,
    events: &'a Events,
    control: &'a Control,
    console: &'a Console,
    live: &'a [Counters],
    progress: &'a [Arc<Progress>],
    until_steady: Option<u32>,
}

/// Whether the workers know the latencies of their I/Os.
fn is_timed(plan: &SpanPlan) -> bool {
    plan.measure_latency || plan.iops_interval.is_some()
}

impl Clocked<'_> {
    /// Leads the workers through the phases; the measured time, its beginning and the CPU times in it go into `results`.
    fn phases(&self, observer: &mut Observer, results: &mut SpanResults) {
        let Clocked { plan, events, control, console, .. } = *self;
        console.verbose(|| format!("starting: {} threads", plan.workers.len()));
        console.begin(self.live);
        control.start();
        let mut sampler = Sampler::new(self.live, clock::monotonic());
        if plan.warmup > 0 {
            console.verbose(|| format!("warming up for {} s", plan.warmup));
            if !self.sleep("warm up", plan.warmup, None, &mut sampler) {
                return;
            }
        }
        if let Some(limit) = self.until_steady {
            match warm_up::wait(limit, plan.duration, control, console, &mut sampler) {
                None => return,
                ended => observer.observed.warm_up = ended,
            }
        }
        console.verbose(|| format!("measuring for {} s", plan.duration));
        observer.measurement_is_near();
        events.measurement_begins(control);
        let before = CpuClock::read();
        observer.measurement_begins(self.live);
        let start = control.start_measuring();
        let started_at = clock::wall_millis();
        let mut ticker = (!self.progress.is_empty())
            .then(|| Ticker::new(start, started_at, plan.iops_interval.unwrap_or(1000)));
        let mut sampler = Sampler::new(self.live, start);
        let complete = self.sleep("measure", plan.duration, ticker.as_mut(), &mut sampler);
        control.set_phase(Phase::Cooldown);
        let measured = clock::monotonic() - start;
        observer.measurement_ended();
        let after = CpuClock::read();
        observer.measurement_is_over();
        observer.observed.samples = sampler.samples().to_vec();
        events.measurement_ended(control);
        console.verbose(|| format!("measured {:.2} s", measured as f64 / SECOND as f64));
        if complete && plan.cooldown > 0 {
            console.verbose(|| format!("cooling down for {} s", plan.cooldown));
            self.sleep("cool down", plan.cooldown, None, &mut sampler);
        }
        match before.and_then(|before| Ok((before, after?))) {
            Ok((before, after)) => {
                results.measured = measured;
                results.started_at = Some(started_at);
                results.cpus = after.since(&before, &self.system.topology);
                observer.observed.lost = after.lost_since(&before, &self.system.topology);
            }
            Err(e) => control.fail(format!("/proc/stat, the CPU times of the machine, can't be read: {e}")),
        }
    }

    /// False = ended early, by failure or interruption.
    fn sleep(
        &self,
        phase: &str,
        seconds: u32,
        mut ticker: Option<&mut Ticker>,
        sampler: &mut Sampler,
    ) -> bool {
        let begin = clock::monotonic();
        let end = begin + recorder::seconds(seconds);
        let mut draw = if self.console.is_live() { begin + SECOND } else { end };
        loop {
            let due = ticker.as_ref().map_or(end, |ticker| ticker.due);
            let next = end.min(draw).min(due).min(sampler.due);
            let go_on = self.control.sleep_until(next);
            sampler.look(clock::monotonic());
            if let Some(ticker) = ticker.as_mut()
                && (next >= ticker.due || next == end || !go_on)
            {
                self.console.stream(&ticker.tick(self.progress));
            }
            if !go_on || next == end {
                return go_on;
            }
            if next == draw {
                self.console.draw(phase, end - next, self.live);
                draw += SECOND;
            }
        }
    }
}

/// Runs the workers in virtual time, one after the other in this thread: the outcome depends on the plan alone.
fn simulate(
    shared: &Shared,
    system: &System,
    options: &Options,
    control: &Control,
    log: Option<&IoLog>,
) -> SpanOutcome {
    let Shared { span: plan, console, .. } = *shared;
    if !options.events.may_start(control, console) {
        return SpanOutcome { failures: control.failures(), ..SpanOutcome::default() };
    }
    options.events.measurement_begins(control);
    if console.is_streaming() {
        console.warn(
            "--stream: simulated time passes at once, nothing is streamed; --out FILE.csv has the intervals",
        );
    }
    let schedule = setup::schedule(plan);
    let mut results =
        SpanResults { measured: schedule.cooldown - schedule.measure, ..SpanResults::default() };
    let mut failed = Vec::new();
    for worker in &plan.workers {
        let ended = logged(log, worker.thread..worker.thread + 1, true, |rings| {
            setup::set_up(worker, shared, Phases::Scheduled(schedule), None, rings.first())
                .map(|worker| worker.run(plan))
        });
        match ended {
            Ok(ended) => {
                results.threads.push(ended.results);
                merge_errors(&mut results.errors, ended.errors);
                failed.extend(ended.failure);
            }
            Err(failure) => failed.push(failure),
        }
    }
    options.events.measurement_ended(control);
    let mut failures = by_cause(&failed);
    failures.extend(control.failures());
    results.intervals = shared.accounts.take_intervals();
    results.observed = Some(observe::simulated(plan));
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
