//! An exact number of I/Os of one worker, in the calling thread and without a controlling thread. The cost
//! of its loop per I/O can therefore be counted and timed separately. For `cargo xtask` only.

use crate::options::Options;
use crate::precreate;
use crate::sources;
use crate::span::planning::probe_and_plan;
use crate::span::setup::{self, SharedByWorkers};
use crate::span::system::large_pages::HugePagePool;
use crate::span::system::preparation::HeldTargets;
use crate::span::system::probes::Probes;
use diskspd_machine::System;
use diskspd_plan::workload::InterlockedPosition;
use diskspd_plan::{PlanError, SpanPlan};
use diskspd_profile::Profile;
use diskspd_sys::clock::{Clock, Nanos, monotonic};
use diskspd_sys::usage::{ThreadUsage, thread_usage};
use diskspd_worker::control::Control;
use diskspd_worker::{CountedEngine, Phases, RunReporter, Worker, WorkerFailure, WorkerOutcome};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Cost of the loop, including the worker's end but not its setup.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub ios: u64,
    /// Elapsed time in ns.
    pub elapsed: Nanos,
    pub cpu: ThreadUsage,
}

#[derive(Debug, Clone, Copy)]
pub enum Time {
    Real,
    /// Every I/O takes this number of ns, so that time-dependent decisions of the loop are reproducible.
    /// The cost of reading a clock is excluded.
    Steady(Nanos),
}

/// Measures thread 0 of the profile's first time span until `ios` I/Os have ended, or up to one queue
/// depth more. Its targets must exist, unless the engine works without files; devices cannot be written.
///
/// # Errors
/// Fails if the profile is unsuitable, the worker cannot be set up, or an I/O failed.
pub fn run_exactly(
    profile: &Profile,
    system: &System,
    options: &Options,
    ios: u64,
    time: Time,
) -> Result<Cost, WorkerFailure> {
    let profile = &precreate::resized(profile);
    let span = profile.time_spans.first().ok_or_else(|| "the profile has no time span".to_owned())?;
    let plan = probe_and_plan(profile, span, system, options, &Probes::default());
    let plan = plan.map_err(|errors| errors.first().map(PlanError::to_string).unwrap_or_default())?;
    let worker = plan.workers.first().ok_or_else(|| "the time span has no thread".to_owned())?;
    let (control, voice, held) = (Arc::new(Control::default()), RunReporter::quiet(), HeldTargets::default());
    let interlocked: Vec<_> = (0..plan.targets).map(|_| Arc::new(InterlockedPosition::default())).collect();
    let sources = sources::make(&plan.sources, &options.origin.owners).map_err(String::from)?;
    let shared = SharedByWorkers {
        span: &plan,
        interlocked: &interlocked,
        held: &held,
        accounts: Arc::default(),
        progress: Vec::new(),
        quota: None,
        sources: &sources,
        log: None,
        integrity: None,
        large_pages: HugePagePool::reserve_for(&plan),
        voice: &voice,
    };
    let mut worker = setup::set_up(worker, &shared, Phases::Controlled(&control), None, None)?;
    let counted = Arc::new(AtomicU64::new(0));
    control.begin_span();
    control.start();
    control.start_measuring();
    let (mut each, mut hand) = (0, Rc::default());
    if let Time::Steady(nanos) = time {
        (each, hand) = (nanos, Rc::new(Cell::new(control.measure_start())));
        worker.clock = Clock::Virtual(Rc::clone(&hand));
    }
    worker.engine = Box::new(CountedEngine {
        engine: worker.engine,
        ended: 0,
        ios,
        counted: Arc::clone(&counted),
        control: Arc::clone(&control),
        hand,
        each,
    });
    let usage = || thread_usage().map_err(|error| format!("cannot read the thread's CPU time: {error}"));
    let (before, start) = (usage()?, monotonic());
    let outcome = worker_outcome(worker, &plan);
    let (end, after) = (monotonic(), usage()?);
    match outcome.failure {
        Some(failure) => Err(failure),
        None => Ok(Cost {
            ios: counted.load(Ordering::Relaxed),
            elapsed: end - start,
            cpu: ThreadUsage { user: after.user - before.user, system: after.system - before.system },
        }),
    }
}

/// The measured part, in a separate function so that profilers can begin and end at its name.
#[inline(never)]
fn worker_outcome(worker: Worker, span: &SpanPlan) -> WorkerOutcome {
    worker.run(span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_base::engines::EngineKind;
    use diskspd_profile::RunOptions;
    use diskspd_profile::{Target, TimeSpan};

    #[test]
    fn exact_loop_ends_after_requested_ios() {
        let options = Options::from(RunOptions { engine: Some(EngineKind::Null), ..RunOptions::default() });
        for (depth, ios, ended) in [(1, 1, 1), (1, 777, 777), (32, 320, 320), (32, 321, 352)] {
            let target = Target {
                path: "x".into(),
                file_size: Some(1 << 30),
                request_count: depth,
                ..Target::default()
            };
            let span = TimeSpan { targets: vec![target], duration: 1, ..TimeSpan::default() };
            let profile = Profile { time_spans: vec![span], ..Profile::default() };
            for time in [Time::Real, Time::Steady(1000)] {
                let cost = run_exactly(&profile, &diskspd_host::snapshot(), &options, ios, time).unwrap();
                assert_eq!(cost.ios, ended, "depth {depth}, {ios} I/Os, {time:?}");
            }
        }
    }
}
