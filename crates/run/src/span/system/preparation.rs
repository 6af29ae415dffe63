//! Preparation of a time span's targets before its workers begin: protection, creation, filling and
//! writing.

use crate::files::creation;
use crate::files::prefill;
use crate::located::SpanTargets;
use crate::precreate::{File, PrecreateError};
use crate::span::common::RunContext;
use crate::span::planning::plan_at;
use crate::span::system::refusals::{prepared, written};
use crate::span::system::settle;
use diskspd_base::finding::Finding;
use diskspd_base::message_error::MessageError;
use diskspd_host::claims::{self, Claims};
use diskspd_host::located::ResolvedTarget;
use diskspd_plan::{self as plan, PlanError, SpanPlan};
use diskspd_profile::{RawText, Target, TimeSpan};
use diskspd_worker::{RunReporter, SpanOutcome};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Targets that are held during a time span.
#[derive(Debug, Default)]
pub(crate) struct HeldTargets {
    pub located: SpanTargets,
    pub claims: Claims,
}

/// Makes the targets ready for the workers. Returns the plan with the actual files, and the handles held
/// until the time span is over; nothing changes in simulated time.
///
/// # Errors
/// Fails with the failed step, or the outcome of an interruption.
pub(crate) fn make_ready(
    span: &TimeSpan,
    first: SpanPlan,
    locations: &[PathBuf],
    common: RunContext,
) -> Result<(SpanPlan, HeldTargets), Box<SpanOutcome>> {
    let RunContext { prefilled, options, control, voice, .. } = common;
    let failed = |message: String| Box::new(SpanOutcome::failed(vec![message]));
    let claims = claim_targets(span, locations, common).map_err(|not| Box::new(not.into()))?;
    let (plan, located) = as_made(span, first, locations, common).map_err(|errors| {
        Box::new(SpanOutcome::failed(errors.into_iter().map(|error| error.to_string()).collect()))
    })?;
    control.start_step("fills the targets (--prefill)");
    prefill::prefill(&plan, &located, &claims, prefilled, options, control, voice).map_err(|error| {
        match control.is_interrupted() {
            true => Box::default(),
            false => failed(error.into()),
        }
    })?;
    control.start_step("writes the targets' dirty pages to the device before it begins");
    settle_and_begin(&plan, &located, common).map_err(|error| failed(error.into()))?;
    Ok((plan, HeldTargets { located, claims }))
}

fn as_made(
    span: &TimeSpan,
    first: SpanPlan,
    locations: &[PathBuf],
    common: RunContext,
) -> Result<(SpanPlan, SpanTargets), Vec<PlanError>> {
    let RunContext { profile, system, options, probes, .. } = common;
    // Only what was made since looks otherwise now.
    let plan = match span.targets.iter().any(plan::creates) {
        true => {
            probes.refresh();
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

fn claim_targets(
    span: &TimeSpan,
    locations: &[PathBuf],
    common: RunContext,
) -> Result<Claims, PrecreateError> {
    let RunContext { options, control, .. } = common;
    control.start_step("prepares files (-c)");
    match options.run_options.simulated() {
        true => Ok(Claims::default()),
        false => protect_and_prepare(span, locations, common),
    }
}

fn settle_and_begin(
    planned: &SpanPlan,
    located: &SpanTargets,
    common: RunContext,
) -> Result<(), MessageError> {
    settle::settle(planned, located, common.control, common.voice)?;
    let Some(integrity) = common.integrity else { return Ok(()) };
    integrity.begin_span(planned, common.system.memory_to_take()).map_err(|error| error.to_string().into())
}

/// Reports each impossible check of a target, once.
fn report_unchecked<'a>(targets: impl Iterator<Item = &'a ResolvedTarget>, voice: &RunReporter) {
    let mut reported = Vec::new();
    for unchecked in claims::unchecked(targets) {
        if !reported.contains(&unchecked) {
            let finding = Finding::warning(unchecked.to_string()).remedy(unchecked.remedy());
            voice.report_finding(finding);
            reported.push(unchecked);
        }
    }
}

/// Protects user data, then creates the files of `-c`. The returned claims keep devices exclusive until
/// the span is over.
fn protect_and_prepare(
    span: &TimeSpan,
    locations: &[PathBuf],
    common: RunContext,
) -> Result<Claims, PrecreateError> {
    let RunContext { precreated, options, control, voice, probes, .. } = common;
    let targets = || span.targets.iter().zip(locations);
    let at = |place: &Path| probes.located(place).ok().flatten();
    let is_written: Vec<ResolvedTarget> = written(span, locations, options).filter_map(at).collect();
    let claims = claims::protect_as(options.claimant, &is_written, options.permission())
        .map_err(|e| PrecreateError::Refused(e.to_string()))?;
    let is_prepared: Vec<ResolvedTarget> = prepared(span, locations, options).filter_map(at).collect();
    claims::spare(&is_prepared).map_err(|e| PrecreateError::Refused(e.to_string()))?;
    report_unchecked(is_written.iter().chain(&is_prepared), voice);
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
