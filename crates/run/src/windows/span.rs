//! The Windows counterpart of the Linux files of a time span.

use crate::options::Options;
use crate::precreate::File;
use crate::services::{Observer, RunSupportError};
use crate::services::{content, creation, written};
use crate::span::RunContext;
use crate::span::planning::plan_at;
use diskspd_engine::{EngineKind, File as EngineFile, MakeEngine};
use diskspd_host::claims::{self, Claims};
use diskspd_host::target;
use diskspd_machine::System;
use diskspd_machine::completion::Completion;
use diskspd_machine::content::ContentFacts;
use diskspd_machine::target::TargetFacts;
use diskspd_plan::{self as plan, PlanError, SpanPlan, WorkerPlan, WorkerTarget};
use diskspd_profile::{RunOptions, Target, TimeSpan};
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_sys::{cpu, raw_devices, targets};
use diskspd_worker::{RunReporter, SpanOutcome, WorkerFailure};
use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) mod probes {
    pub use super::Probes;
}

pub(crate) mod look {
    pub(crate) use super::inspect_targets;
}

pub(crate) mod preparation {
    pub(crate) use super::{HeldTargets, make_ready};
}

pub(crate) mod opening {
    pub(crate) use super::{bind, open_all};
}

pub(crate) mod span_context {
    pub(crate) use super::{hold_awake, look_at_content, observe};
    pub(crate) use crate::services::Observer;
}

/// Times in which the program could not run.
pub(crate) mod pauses {
    pub(crate) use super::StopCounters;
}

/// Large pages, which are not reserved in advance; a lack of them is only known on request.
pub(crate) mod large_pages {
    use diskspd_plan::SpanPlan;
    use diskspd_sys::memory::LargePagesError;

    #[derive(Debug, Clone, Copy, Default)]
    pub(crate) struct HugePagePool;

    impl HugePagePool {
        pub(crate) fn reserve_for(_: &SpanPlan) -> HugePagePool {
            HugePagePool
        }

        pub(crate) fn explain(&self, why: &LargePagesError) -> String {
            format!("-l: {why}")
        }
    }
}

/// Properties of the targets in addition to their facts; empty on Windows.
#[derive(Debug, Default)]
pub struct Probes;

impl Probes {
    /// Checks whether the engines of a plan are available.
    ///
    /// # Errors
    /// Fails with every unavailable engine and its reason.
    pub fn engines_available(&self, plan: &SpanPlan) -> Result<(), Vec<PlanError>> {
        let unavailable = |kind: EngineKind| {
            let why = kind.row().available().err()?;
            Some(PlanError::profile(format!("engine {} is not available: {why}", kind.row().name)))
        };
        let mut kinds: Vec<EngineKind> = plan.workers.iter().map(|worker| worker.engine).collect();
        kinds.dedup();
        let errors: Vec<PlanError> = kinds.into_iter().filter_map(unavailable).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Succeeds, because an unsupported trace (`-e`) was rejected earlier.
    pub fn trace_available(&self, _: &SpanPlan) -> Result<(), Vec<PlanError>> {
        Ok(())
    }

    pub fn forget_what_lacked(&self) {}
}

/// Inspects a target's current state for the plan.
pub(crate) fn inspect_targets(
    _: &TimeSpan,
    _: &Target,
    location: &Path,
    options: &Options,
    _: &Probes,
) -> io::Result<TargetFacts> {
    let facts = target::probe(location)?;
    if options.run_options.simulated() {
        return Ok(facts);
    }
    Ok(TargetFacts { completion: Completion::Overlapped, ..facts })
}

/// Handles held on the disks and volumes that a time span writes.
#[derive(Debug, Default)]
pub(crate) struct HeldTargets {
    claims: Claims,
}

/// Makes the targets ready for the workers: protects user data on disks and volumes, then creates the
/// files of `-c`. Returns the plan with the actual files; nothing changes for engines without files.
///
/// # Errors
/// Fails with the failed step, or the outcome of an interruption.
pub(crate) fn make_ready(
    span: &TimeSpan,
    first: SpanPlan,
    locations: &[PathBuf],
    common: RunContext,
) -> Result<(SpanPlan, HeldTargets), Box<SpanOutcome>> {
    let RunContext { profile, precreated, system, options, control, voice, probes, .. } = common;
    if options.run_options.simulated() {
        return Ok((first, HeldTargets::default()));
    }
    control.start_step("inspects the written targets");
    let claims = claims::protect(written(span, locations), options.permission())
        .map_err(|refusal| Box::new(SpanOutcome::from_failures(vec![refusal.to_string()])))?;
    let held = HeldTargets { claims };
    let verified = |plan: SpanPlan| {
        let memory = system.memory_to_take();
        let begun = common.integrity.map_or(Ok(()), |integrity| integrity.begin_span(&plan, memory));
        begun.map_err(|error| Box::new(SpanOutcome::failed(vec![error.to_string()])))?;
        Ok((plan, held))
    };
    if !span.targets.iter().any(plan::creates) {
        return verified(first);
    }
    control.start_step("prepares files (-c)");
    // A path that is listed twice is created once, as its last target wants it.
    let mut wanted: Vec<(File, PathBuf)> = Vec::new();
    for (target, location) in span.targets.iter().zip(locations) {
        let is_file = !raw_devices::may_be_device(location);
        if is_file && plan::creates(target) && !precreated.contains(&target.path) {
            wanted.retain(|(file, _)| file.path != target.path);
            let (path, size) = (target.path.clone(), target.file_size.unwrap_or(0));
            wanted.push((File { path, size, zero: target.zero_write_buffers }, location.clone()));
        }
    }
    creation::create_all(&wanted, options, control, voice).map_err(|not| Box::new(not.into()))?;
    let plan = plan_at(locations, profile, span, system, options, probes).map_err(|errors| {
        Box::new(SpanOutcome::failed(errors.into_iter().map(|error| error.to_string()).collect()))
    })?;
    verified(plan)
}

pub(crate) fn observe(
    plan: &SpanPlan,
    _: &HeldTargets,
    _: &System,
    _: &Options,
    _: &Probes,
) -> Result<Observer, RunSupportError> {
    Ok(Observer::new(plan))
}

/// Inspects the content of the read files, and warns of reads that do not reach the disk.
pub(crate) fn look_at_content(plan: &SpanPlan, _: &HeldTargets, voice: &RunReporter) -> Vec<ContentFacts> {
    content::sample_content(plan, voice)
}

#[derive(Debug)]
pub(crate) struct Awake(Infallible);

/// Returns `None`, because the option was rejected earlier.
pub(crate) fn hold_awake(_: &RunOptions) -> Result<Option<Awake>, RunSupportError> {
    Ok(None)
}

/// Counters of times in which the program could not run; always empty on Windows.
#[derive(Debug)]
pub(crate) struct StopCounters;

impl StopCounters {
    /// Whether a thread that sleeps wakes within a fraction of a millisecond: by default within a tick of the
    /// timer, which is up to 16 ms.
    pub(crate) const WAKES_EXACTLY: bool = false;
    /// Minimum difference between the clocks that counts as a suspend; one of them is exact to about 16
    /// ms.
    pub(crate) const MIN_SUSPEND: Nanos = SECOND / 10;

    pub(crate) fn watch() -> StopCounters {
        StopCounters
    }

    /// Returns the thread's waiting time for a CPU; unknown on Windows.
    pub(crate) fn waited(&self) -> Option<Nanos> {
        None
    }

    pub(crate) fn continues(&self) -> Option<u64> {
        None
    }

    pub(crate) fn frozen_us(&self) -> Option<u64> {
        None
    }
}

/// Binds the calling thread to its worker's processor. A thread that waits for its I/Os' times gets exact
/// wake-ups.
pub(crate) fn bind(plan: &WorkerPlan) -> Result<(), WorkerFailure> {
    if plan.is_limited() {
        cpu::wake_exactly();
    }
    let Some(cpu) = plan.cpu else { return Ok(()) };
    cpu::bind_to(cpu).map_err(|why| {
        let (group, number) = (cpu / 64, cpu % 64);
        WorkerFailure::of_thread(
            plan.thread,
            format!(
                "cannot bind it to CPU {number} of group {group}: {why}; choose other CPUs (-a), or none \
                 (-n)"
            ),
        )
    })
}

/// Opens the targets; the same path used in the same way is opened once. Returns the files and, for each
/// target, the index of its file.
///
/// # Errors
/// Fails if a target cannot be opened, must not be written to, or does not support the I/O priority.
pub(crate) fn open_all(
    plan: &WorkerPlan,
    held: &HeldTargets,
) -> Result<(Vec<EngineFile>, Vec<u32>), WorkerFailure> {
    let mut distinct: Vec<&WorkerTarget> = Vec::new();
    let (mut opened, mut index) = (Vec::new(), Vec::new());
    let way = |t: &WorkerTarget| (t.open, t.priority, t.mapping);
    for target in &plan.targets {
        let known = distinct.iter().position(|d| d.location == target.location && way(d) == way(target));
        if known.is_none() {
            let path = &target.path;
            // Mapped files have no I/Os that could end later.
            let overlapped = !plan.engine.is_synchronous() && target.mapping.is_none();
            let open = match raw_devices::may_be_device(&target.location) {
                true => raw_devices::open,
                false => targets::open,
            };
            let found = open(&target.location, &target.open, overlapped).map_err(|why| {
                WorkerFailure::from(format!(
                    "'{path}': cannot open it: {why}; check the name, the rights, and whether another \
                     program has it"
                ))
            })?;
            if target.open.write {
                let refused = held.claims.permit(&target.location, &found.file);
                refused.map_err(|refusal| WorkerFailure::from(refusal.to_string()))?;
            }
            targets::set_priority(&found.file, target.priority).map_err(|why| {
                WorkerFailure::from(format!(
                    "'{path}': its I/Os cannot have the priority (-I): {why}; leave out \
                    -I"
                ))
            })?;
            let WorkerTarget { priority, mapping, .. } = *target;
            opened.push(EngineFile { priority, mapping, ..EngineFile::from(found.file) });
            distinct.push(target);
        }
        index.push(known.unwrap_or(distinct.len() - 1) as u32);
    }
    Ok((opened, index))
}
