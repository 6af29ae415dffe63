//! Conversion of the current targets to a plan.

use crate::options::Options;
use crate::replay;
use crate::services::can_run;
use crate::span::look::inspect_targets;
use crate::span::probes::Probes;
use diskspd_host::target;
use diskspd_machine::System;
use diskspd_machine::target::TargetFacts;
use diskspd_plan::{self as plan, PlanContext, PlanError, SpanPlan};
use diskspd_profile::{Profile, TimeSpan};
use std::path::PathBuf;

/// Inspects the current targets and plans the span on them; `probes` checks the requirements on the
/// machine.
///
/// # Errors
/// Fails with all inconsistencies.
pub fn probe_and_plan(
    profile: &Profile,
    span: &TimeSpan,
    system: &System,
    options: &Options,
    probes: &Probes,
) -> Result<SpanPlan, Vec<PlanError>> {
    can_run(profile, &options.run_options)?;
    let plan = plan_at(&locations(span, options)?, profile, span, system, options, probes)?;
    probes.engines_available(&plan)?;
    probes.trace_available(&plan)?;
    Ok(plan)
}

/// Returns the locations of the targets in order. Resolved once per span, so that the checked and the
/// opened file are the same.
pub(crate) fn locations(span: &TimeSpan, options: &Options) -> Result<Vec<PathBuf>, Vec<PlanError>> {
    let mut errors = Vec::new();
    let locations = span.targets.iter().map(|target| match target::locate(target.path.as_bytes()) {
        Ok(location) => location,
        Err(_) if options.run_options.simulated() => PathBuf::new(),
        Err(message) => {
            errors.push(PlanError::target(message.to_string()));
            PathBuf::new()
        }
    });
    let locations = locations.collect();
    errors.dedup();
    if errors.is_empty() { Ok(locations) } else { Err(errors) }
}

/// Plans the span with the targets at these locations.
pub(crate) fn plan_at(
    locations: &[PathBuf],
    profile: &Profile,
    span: &TimeSpan,
    system: &System,
    options: &Options,
    probes: &Probes,
) -> Result<SpanPlan, Vec<PlanError>> {
    let mut facts = Vec::new();
    let mut errors = Vec::new();
    for (target, location) in span.targets.iter().zip(locations) {
        match inspect_targets(span, target, location, options, probes) {
            Ok(found) => facts.push(found),
            // A simulated device needs no target; the plan sees one that isn't there.
            Err(_) if options.run_options.simulated() => facts.push(TargetFacts::default()),
            Err(error) => errors.push(PlanError::target(error.to_string())),
        }
    }
    if !errors.is_empty() {
        errors.dedup();
        return Err(errors);
    }
    if let Some(list) = &options.replay {
        let misaligned = replay::find_misaligned(list, span, &facts);
        if !misaligned.is_empty() {
            return Err(misaligned);
        }
    }
    let (run_options, rank) = (&options.run_options, options.rank);
    let around = PlanContext { system, facts: &facts, run_options, rank };
    let mut plan = plan::plan(profile, span, around)?;
    if let Some(list) = &options.replay {
        replay::give(&mut plan, list, &options.run_options)?;
    }
    Ok(plan)
}
