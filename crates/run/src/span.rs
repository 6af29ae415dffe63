//! One time span, from its targets to its results.

pub mod exact;
pub(super) mod large_pages;
mod logged;
pub(super) mod measure;
pub(super) mod phases;
pub(super) mod planning;
pub(super) mod probes;
mod pulse;
pub(super) mod refusals;
mod settle;
mod setup;
mod setup_error;
mod simulate;
mod volume;
mod warm_up;

use super::control::Control;
use super::options::Options;
use super::outcome::SpanOutcome;
use super::voice::Voice;
use crate::files::creation;
use crate::files::creation::{File, NotCreated};
use crate::files::{prefill, sources};
use crate::integrity::{Integrity, IntegrityError};
use crate::located::SpanTargets;
use crate::tell::io_log::IoLog;
use crate::tell::stream::ByDirection;
use crate::worker::VolumeQuota;
use diskspd_host::claims::{self, Claims};
use diskspd_host::located::Located;
use diskspd_model::machine::System;
use diskspd_model::plan::{self, PlanError, SpanPlan, WorkerPlan};
use diskspd_model::profile::{Profile, RawText, Target, TimeSpan};
use diskspd_model::workload::InterlockedPosition;
use large_pages::Reserve;
pub(super) use logged::logged;
use measure::measure;
use planning::{locations, plan_at};
use probes::Probes;
use refusals::{prepared, written};
use setup::Shared;
use simulate::simulate;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    pub voice: &'a Voice,
    /// What is known of the machine since the run began.
    pub probes: &'a Probes,
    /// Where single I/Os are logged.
    pub log: Option<&'a IoLog>,
    /// What is verified.
    pub integrity: Option<&'a Integrity>,
}

/// Runs one time span.
pub fn run(span: &TimeSpan, common: Common) -> SpanOutcome {
    let Common { profile, prefilled, system, options, control, voice, probes, log, .. } = common;
    control.does_in_time("looks at the targets");
    let messages = |errors: Vec<PlanError>| errors.into_iter().map(|e| e.to_string()).collect();
    // The first plan finds what is wrong before anything is written, the second one sees the files as they
    // came out.
    let planned = locations(span, options).and_then(|at| {
        let plan = plan_at(&at, profile, span, system, options, probes)?;
        probes.engines_available(&plan).map(|()| (plan, at))
    });
    let (mut first, locations) = match planned {
        Ok(planned) => planned,
        Err(errors) => return SpanOutcome::refused(messages(errors)),
    };
    if let Err(error) = forget_renewed(span, &first, common) {
        return SpanOutcome::failed(vec![error.to_string()]);
    }
    std::mem::take(&mut first.warnings).into_iter().for_each(|warning| voice.tell(warning));
    control.awaits("reads the source of what is written (-Z)");
    let sources = match sources::make(&first.sources) {
        Ok(sources) => sources,
        Err(error) => return SpanOutcome::refused(vec![error.to_string()]),
    };
    let claims = match claimed(span, &locations, common) {
        Ok(claims) => claims,
        Err(not) => return not.into(),
    };
    let (plan, located) = match as_made(span, first, &locations, common) {
        Ok(made) => made,
        Err(errors) => return SpanOutcome::failed(messages(errors)),
    };
    control.does("fills the targets (--prefill)");
    if let Err(error) = prefill::prefill(&plan, &located, &claims, prefilled, options, control, voice) {
        let failed = || SpanOutcome::failed(vec![error.to_string()]);
        return if control.is_interrupted() { SpanOutcome::default() } else { failed() };
    }
    control.does("writes what of the targets is in memory before it begins");
    if let Err(error) = settle_and_begin(&plan, &located, common) {
        return SpanOutcome::failed(vec![error.to_string()]);
    }
    if control.is_interrupted() {
        return SpanOutcome::default();
    }
    control.does("sets up the run");
    log.iter().for_each(|log| log.begin_span());
    let shared = Shared {
        span: &plan,
        interlocked: &interlocked_positions(&plan),
        located: &located,
        claims: &claims,
        accounts: Arc::default(),
        progress: by_direction(&plan, options, voice),
        quota: VolumeQuota::of(&plan),
        sources: &sources,
        log,
        integrity: common.integrity,
        large_pages: Reserve::before(&plan),
        voice,
    };
    let outcome = match options.run_options.engine {
        Some(_) if options.run_options.virtual_time() => simulate(&shared, system, options, control, log),
        _ => logged(log, 0..plan.workers.len() as u32, false, |rings| {
            let outcome = measure(&shared, system, options, control, rings, probes.take_trace());
            if log.is_some() {
                control.deposit(outcome.clone());
                control.does_in_time("writes the log of I/Os (--io-log)");
            }
            outcome
        })
        .unwrap_or_else(|error| SpanOutcome::failed(vec![error.to_string()])),
    };
    // It is part of the results from here on.
    let _ = control.take_deposit();
    outcome
}

/// The plan with the files as they came out, and what is at the targets' places.
fn as_made(
    span: &TimeSpan,
    first: SpanPlan,
    locations: &[PathBuf],
    common: Common,
) -> Result<(SpanPlan, SpanTargets), Vec<PlanError>> {
    let Common { profile, system, options, probes, .. } = common;
    // Only what was made since looks otherwise now.
    let plan = match span.targets.iter().any(plan::creates) {
        true => {
            probes.look_anew();
            plan_at(locations, profile, span, system, options, probes)?
        }
        false => first,
    };
    let located = match options.run_options.simulated() {
        true => SpanTargets::default(),
        false => probes.targets_at(locations),
    };
    Ok((plan, located))
}

/// Protects what the user has, and makes the files; nothing is touched in simulated time.
fn claimed(span: &TimeSpan, locations: &[PathBuf], common: Common) -> Result<Claims, NotCreated> {
    let Common { options, control, .. } = common;
    control.does("prepares files (-c)");
    match options.run_options.simulated() {
        true => Ok(Claims::default()),
        false => protect_and_prepare(span, locations, common),
    }
}

/// Writes what of the targets is in memory only; verification begins from what they hold then.
fn settle_and_begin(
    planned: &SpanPlan,
    located: &SpanTargets,
    common: Common,
) -> Result<(), Box<dyn std::error::Error>> {
    settle::settle(planned, located, common.control, common.voice)?;
    let memory = common.system.memory_to_take();
    Ok(common.integrity.map_or(Ok(()), |integrity| integrity.begin_span(planned, memory))?)
}

/// What is known of the targets' content begins anew where others than the workers are about to write.
fn forget_renewed(span: &TimeSpan, planned: &SpanPlan, common: Common) -> Result<(), IntegrityError> {
    let Some(integrity) = common.integrity else { return Ok(()) };
    let is_renewed = |path: &RawText| {
        let is_made = |target: &Target| target.path == *path && plan::creates(target);
        let is_new = !common.precreated.contains(path) && span.targets.iter().any(is_made);
        is_new || common.options.run_options.prefill.is_some()
    };
    integrity.forget(planned, is_renewed)
}

/// Makes sure that nothing of the user's is destroyed, then creates the files of `-c`. What is returned
/// keeps devices exclusively ours until the span is over.
fn protect_and_prepare(span: &TimeSpan, locations: &[PathBuf], common: Common) -> Result<Claims, NotCreated> {
    let Common { precreated, options, control, voice, probes, .. } = common;
    let targets = || span.targets.iter().zip(locations);
    let at = |place: &Path| probes.located(place).ok().flatten();
    let is_written: Vec<Located> = written(span, locations, options).filter_map(at).collect();
    let claims = claims::protect_as(options.claimant, &is_written, options.destroy)
        .map_err(|e| NotCreated::Refused(e.to_string()))?;
    let is_prepared: Vec<Located> = prepared(span, locations, options).filter_map(at).collect();
    claims::spare(&is_prepared).map_err(|e| NotCreated::Refused(e.to_string()))?;
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
    creation::create_all(&files, options, control, voice)?;
    Ok(claims)
}

/// Where the workers tell what they do in each direction, one for each; empty = nobody wants to know.
fn by_direction(plan: &SpanPlan, options: &Options, voice: &Voice) -> Vec<Arc<ByDirection>> {
    if !voice.is_streaming() || options.run_options.virtual_time() {
        return Vec::new();
    }
    let response = |worker: &WorkerPlan| plan.measure_latency && worker.is_paced();
    plan.workers.iter().map(|worker| ByDirection::new(plan.is_timed(), response(worker))).collect()
}

fn interlocked_positions(plan: &SpanPlan) -> Vec<Arc<InterlockedPosition>> {
    (0..plan.targets).map(|_| Arc::new(InterlockedPosition::default())).collect()
}
