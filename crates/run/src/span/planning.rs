//! From the targets as they are to a plan.

use crate::options::Options;
use crate::replay;
use crate::span::probes::Probes;
use diskspd_host::located::Located;
use diskspd_host::target;
use diskspd_host::{completion_probe, discards, ways};
use diskspd_model::machine::System;
use diskspd_model::machine::target::TargetFacts;
use diskspd_model::operation::Operation;
use diskspd_model::plan::{self, PlanError, SpanPlan, Surroundings, Wish};
use diskspd_model::profile::{Profile, TimeSpan};
use diskspd_sys::anchor::Location;
use diskspd_sys::problem::TargetError;
use std::path::{Path, PathBuf};

/// Looks at the targets as they are now and plans the span on them; what it needs of the machine is asked
/// of `probes`.
///
/// # Errors
/// Everything that doesn't fit.
pub fn probe_and_plan(
    profile: &Profile,
    span: &TimeSpan,
    system: &System,
    options: &Options,
    probes: &Probes,
) -> Result<SpanPlan, Vec<PlanError>> {
    let plan = plan_at(&locations(span, options)?, profile, span, system, options, probes)?;
    probes.engines_available(&plan)?;
    probes.trace_available(&plan)?;
    Ok(plan)
}

/// Where the targets are, in their order. Looked up once for a span: what is checked has to be what is
/// opened.
pub fn locations(span: &TimeSpan, options: &Options) -> Result<Vec<PathBuf>, Vec<PlanError>> {
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

/// What a target is; where nothing is, what one that is created there will be.
fn facts_of(location: &Path, located: Option<&Located>) -> Result<TargetFacts, TargetError> {
    match located {
        Some(located) => located.facts(),
        None => target::probe(location),
    }
}

/// Plans the span on the targets at these places.
pub fn plan_at(
    locations: &[PathBuf],
    profile: &Profile,
    span: &TimeSpan,
    system: &System,
    options: &Options,
    probes: &Probes,
) -> Result<SpanPlan, Vec<PlanError>> {
    let mut facts = Vec::new();
    let mut errors = Vec::new();
    let wish = Wish { engine: options.run_options.engine, poll: options.run_options.poll };
    for (target, location) in span.targets.iter().zip(locations) {
        let located = probes.located(location);
        let found = located.and_then(|located| Ok((facts_of(location, located.as_ref())?, located)));
        match found {
            Ok((mut found, located)) => {
                let place: &dyn Location = located.as_ref().map_or(location, |located| located);
                if let Some(direct) = plan::completion_matters(span, target, &found, wish) {
                    let look = || completion_probe::completion(place.way(), &found, direct);
                    found.completion = probes.completion(location, direct, look);
                }
                if target.shares.of(Operation::Discard) > 0 && !options.run_options.simulated() {
                    found.discards = Some(discards::look(place.way(), found.is_remote()));
                }
                if (target.atomic || target.dont_cache || target.no_wait) && !options.run_options.simulated()
                {
                    found.ways = Some(match target.no_wait && target.write_ratio > 0 {
                        true => ways::look_at_writes(place.way()),
                        false => ways::look(place.way()),
                    });
                }
                if wish.poll {
                    found.polling = completion_probe::polling(place.way());
                }
                facts.push(found);
            }
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
        let misaligned = replay::misaligned(list, span, &facts);
        if !misaligned.is_empty() {
            return Err(misaligned);
        }
    }
    let around = Surroundings { system, facts: &facts, run_options: &options.run_options };
    let mut plan = plan::plan(profile, span, around)?;
    if let Some(list) = &options.replay {
        replay::give(&mut plan, list, &options.run_options)?;
    }
    Ok(plan)
}
