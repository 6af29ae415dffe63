//! Setup of a worker in its thread and on its CPU, so that its memory is local.

use crate::sources;
use crate::span::large_pages::HugePagePool;
use crate::span::opening;
use crate::span::preparation::HeldTargets;
use diskspd_base::message_error::MessageError;
use diskspd_engine::MakeEngine;
use diskspd_engine::{Engine, EngineError, PinError, Setup};
use diskspd_figures::units::Size;
use diskspd_integrity::{Integrity, SectorChecker};
use diskspd_plan::workload::{Assignment, InterlockedPosition, ThreadWorkload, payload};
use diskspd_plan::{SpanPlan, WorkerPlan, WorkerTarget, WriteContent};
use diskspd_sys::clock::{Clock, SECOND};
use diskspd_sys::handover_cell::lend;
use diskspd_sys::memory::{self, Buffer};
use diskspd_worker::recorder::{JointAccounts, Recorder};
use diskspd_worker::telemetry::io_log::{IoLog, LineRing};
use diskspd_worker::telemetry::live::Counters;
use diskspd_worker::telemetry::stream::DirectionCounts;
use diskspd_worker::{
    Phases, Requests, RunReporter, Schedule, VolumeQuota, Worker, WorkerFailure, WorkerLedger,
};
use std::fmt;
use std::sync::Arc;

pub(crate) struct SharedByWorkers<'a> {
    pub span: &'a SpanPlan,
    /// Interlocked positions by target.
    pub interlocked: &'a [Arc<InterlockedPosition>],
    pub held: &'a HeldTargets,
    pub accounts: Arc<JointAccounts>,
    pub progress: Vec<Arc<DirectionCounts>>,
    pub quota: Option<Arc<VolumeQuota>>,
    /// Write data by [`SpanPlan::sources`].
    pub sources: &'a [memory::Shared],
    /// The log of I/Os, if enabled; it must be put in place when workers are left behind.
    pub log: Option<&'a IoLog>,
    /// `--verify`; `None` = no verification.
    pub integrity: Option<&'a Integrity>,
    pub large_pages: HugePagePool,
    pub voice: &'a RunReporter,
}

/// Creates a worker that is ready to run.
///
/// # Errors
/// Fails with the missing resource, its place, and a hint.
pub(super) fn set_up<'a>(
    plan: &'a WorkerPlan,
    shared: &SharedByWorkers<'a>,
    phases: Phases<'a>,
    live: Option<&'a Counters>,
    log: Option<&'a LineRing>,
) -> Result<Worker<'a>, WorkerFailure> {
    let (thread, real) = (plan.thread, plan.engine.row().needs_files);
    // Engine null as well: what it measures is what a thread on this CPU can do.
    let real_time = !plan.engine.row().virtual_time;
    if real_time {
        opening::bind(plan)?;
    }
    let clock = if real_time { Clock::fastest() } else { Clock::simulated(0) };
    let (opened, files) =
        if real { opening::open_all(plan, shared.held)? } else { (Vec::new(), vec![0; plan.targets.len()]) };
    let (buffer, sources) =
        make_buffer(plan, shared).map_err(|error| WorkerFailure::of_thread(thread, error.into()))?;
    let setup = Setup { files: opened, buffer, depth: plan.depth, clock: clock.clone(), seed: plan.seed };
    let engine =
        make_engine(plan, shared.span, setup).map_err(|e| WorkerFailure::of_thread(thread, e.to_string()))?;
    if let Some(why) = engine.info().not_pinned {
        shared.voice.warn_once(not_pinned(why, shared.span));
    }
    let assignment = |t: &'a WorkerTarget| Assignment {
        workload: &t.workload,
        requests: t.requests,
        interlocked: Arc::clone(&shared.interlocked[t.target]),
    };
    let assignments: Vec<Assignment> = plan.targets.iter().map(assignment).collect();
    let mut workload = ThreadWorkload::new(plan.seed, plan.floating, &assignments);
    draw_slices(&mut workload, plan, shared.span);
    let progress = shared.progress.get(thread as usize).cloned();
    let recorder = Recorder::new(shared.span, plan, &workload, Arc::clone(&shared.accounts), progress);
    shared.voice.verbose(|| {
        format!(
            "thread {thread} ready: seed {}, {} outstanding, {}, {} ({}), {}",
            plan.seed,
            plan.depth,
            plan.cpu.map_or("any CPU".into(), |cpu| format!("group {} CPU {}", cpu / 64, cpu % 64)),
            engine.info().features,
            plan.reason,
            clock.source()
        )
    });
    let (books, heir) = lend(WorkerLedger::new(plan, Requests::new(plan, &files, &sources), recorder));
    Ok(Worker {
        plan,
        engine,
        checker: shared.integrity.map(|integrity| SectorChecker::new(integrity, plan, &files)),
        workload,
        books,
        heir: Some(heir),
        clock,
        phases,
        live,
        quota: shared.quota.clone(),
        log: log.map(LineRing::producer),
        slowest: None,
        voice: shared.voice,
    })
}

/// Lets writes take data from random positions of a source.
fn draw_slices(workload: &mut ThreadWorkload, plan: &WorkerPlan, span: &SpanPlan) {
    for (index, target) in plan.targets.iter().enumerate() {
        if let WriteContent::Source { index: source, .. } = target.content {
            let slices = span.sources[source].size - u64::from(target.workload.block_size) + 1;
            workload.draw_slices(index, slices);
        }
    }
}

fn make_engine(plan: &WorkerPlan, span: &SpanPlan, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
    match span.ring {
        Some(ring) if !ring.register_buffers => plan.engine.row().create_unregistered(setup),
        _ => plan.engine.row().create(setup),
    }
}

pub(super) fn not_led(why: &std::io::Error) -> String {
    format!("{why}; give the program a priority of 2 or more (chrt -f 2), or none (chrt -o 0)")
}

/// Returns the phases of a span on a virtual clock that starts at 0.
pub(super) fn schedule(span: &SpanPlan) -> Schedule {
    let seconds = |s: u32| u64::from(s) * SECOND;
    let measure = seconds(span.warmup);
    let cooldown = measure + seconds(span.duration);
    Schedule { measure, cooldown, stop: cooldown + seconds(span.cooldown) }
}

/// Returns the worker's buffer with filled write slots (zeros are the default of new memory), and for each
/// target the position of its write source.
fn make_buffer(plan: &WorkerPlan, shared: &SharedByWorkers) -> Result<(Buffer, Vec<usize>), MessageError> {
    let bytes = plan.buffer;
    let no_memory = |why: &dyn fmt::Display| {
        format!("cannot allocate {} for I/O buffers: {why}; lower -b or -o", Size(bytes))
    };
    let used: Vec<&memory::Shared> =
        plan.targets.iter().filter_map(sources::source_size).map(|i| &shared.sources[i]).collect();
    let length = usize::try_from(plan.buffer).map_err(|error| no_memory(&error))?;
    let huge = plan.huge_pages;
    let (mut buffer, places) = match plan.large_pages {
        true => Buffer::of_large_pages_with(length, &used).map_err(|why| shared.large_pages.explain(&why))?,
        false if plan.separation > 0 => {
            let separation = usize::try_from(plan.separation).map_err(|error| no_memory(&error))?;
            Buffer::separated(length, separation, &used, huge).map_err(|error| no_memory(&error))?
        }
        false => Buffer::with_shared(length, &used, huge).map_err(|error| no_memory(&error))?,
    };
    let writes =
        |t: &WorkerTarget| t.workload.write_ratio > 0 || (t.workload.portion.is_some() && t.open.write);
    let patterned = |t: &&WorkerTarget| writes(t) && t.content == WriteContent::Pattern;
    for target in plan.targets.iter().filter(patterned) {
        let bytes = u64::from(target.slot) * u64::from(target.requests);
        let area = target.write_buffer as usize..(target.write_buffer + bytes) as usize;
        payload::fill_pattern(&mut buffer.as_mut_slice()[area]);
    }
    let mut places = places.into_iter();
    let place = |target| sources::source_size(target).and_then(|_| places.next()).unwrap_or(0);
    Ok((buffer, plan.targets.iter().map(place).collect()))
}

/// Returns the reason for the higher CPU time of I/Os, and the remedy.
fn not_pinned(why: &PinError, span: &SpanPlan) -> String {
    let (reason, remedy) = match why {
        PinError::Limit => {
            let queues = span.workers.iter().filter(|worker| worker.engine.row().pins_once);
            let bytes: u64 = queues.map(|worker| sources::with_sources(worker, span)).sum();
            // Buffers get half of it.
            let kib = bytes.saturating_mul(2).div_ceil(1024);
            ("the limit for locked memory is too low".to_string(), format!("; ulimit -l {kib} is enough"))
        }
        PinError::TooLarge => (
            "a thread's buffers exceed 1 GiB".to_string(),
            "; use a smaller -o with more threads (-t)".into(),
        ),
        PinError::Refused(answer) => (answer.clone(), String::new()),
    };
    format!(
        "the I/O buffers are not registered with io_uring ({reason}), so the kernel pins memory for every \
         I/O, which slows the run{remedy}"
    )
}
