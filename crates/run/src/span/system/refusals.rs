//! Written places of a time span, and reasons for refusal, reported before anything changes.

use crate::files::prefill;
use crate::located::SpanTargets;
use crate::options::Options;
use crate::own_targets;
use crate::span::planning::locations;
use diskspd_host::claims::{self, Claims};
use diskspd_host::located::ResolvedTargets;
use diskspd_plan::{self as plan, PlanError, SpanPlan};
use diskspd_profile::{Profile, RunOptions, TimeSpan};
use diskspd_sys::cpu_latency::CpuLatency;
use std::path::{Path, PathBuf};

/// Returns the places written in place, which must not contain user data. `-c` creates files and ignores
/// devices, so it adds no place.
pub(crate) fn written<'a>(
    span: &'a TimeSpan,
    locations: &'a [PathBuf],
    options: &Options,
) -> impl Iterator<Item = &'a Path> + use<'a> {
    let prefilled = options.run_options.prefill.is_some() && options.destroy;
    let targets = span.targets.iter().zip(locations);
    targets.filter(move |(target, _)| target.is_changed() || prefilled).map(|(_, path)| path.as_path())
}

/// Returns the places where files are created or filled, which must not be in use. Devices among them are
/// ignored, or belong to [`written`].
pub(crate) fn prepared<'a>(
    span: &'a TimeSpan,
    locations: &'a [PathBuf],
    options: &Options,
) -> impl Iterator<Item = &'a Path> + use<'a> {
    let filled = options.run_options.prefill.is_some();
    let targets = span.targets.iter().zip(locations);
    targets.filter(move |(target, _)| filled || plan::creates(target)).map(|(_, path)| path.as_path())
}

/// Tests whether the limit of `--cpu-latency` can be held on this machine, by holding it for a moment.
///
/// # Errors
/// Fails with the cause and a remedy.
pub fn cpu_latency_refusal(run_options: &RunOptions) -> Result<(), Vec<PlanError>> {
    let Some(limit) = run_options.cpu_latency_us else { return Ok(()) };
    let held = CpuLatency::hold(limit);
    held.map(drop).map_err(|error| vec![PlanError::target(format!("--cpu-latency: {error}"))])
}

/// Claims the block devices that these profiles write to in any time span, all at once: for all ranks of a
/// job that run on this machine.
///
/// # Errors
/// Fails with a message for each place.
pub fn claim(profiles: &[Profile], options: &Options) -> Result<Claims, Vec<String>> {
    let mut places: Vec<PathBuf> = Vec::new();
    for span in profiles.iter().flat_map(|profile| &profile.time_spans) {
        let locations = locations(span, options).unwrap_or_default();
        places.extend(written(span, &locations, options).map(Path::to_owned));
    }
    places.retain(claims::is_device);
    places.sort_unstable();
    places.dedup();
    let denied = |place: &PathBuf| claims::protect([place.as_path()], options.permission()).err();
    let refused: Vec<String> = places.iter().filter_map(denied).map(|denial| denial.to_string()).collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    let all = claims::protect(places.iter().map(PathBuf::as_path), options.permission());
    all.map_err(|denial| vec![denial.to_string()])
}

/// Returns the reasons for refusing the span, one message for each place; empty without known reasons.
/// Devices are claimed as for the run and released at once. This also detects users without a trace in
/// /proc and /sys.
pub fn refusals(span: &TimeSpan, plan: &SpanPlan, options: &Options) -> Vec<String> {
    if options.run_options.simulated() {
        return Vec::new();
    }
    // The plan has already reported errors of the places.
    let locations = locations(span, options).unwrap_or_default();
    let mut looked = ResolvedTargets::default();
    let mut at = |place: &Path| looked.resolve(place).ok().flatten();
    let targets = SpanTargets::new(locations.iter().map(|place| at(place)).collect());
    let mut places: Vec<&Path> = written(span, &locations, options).collect();
    places.sort_unstable();
    places.dedup();
    let written = places
        .iter()
        .filter_map(|place| at(place))
        .filter_map(|target| claims::protect_as(options.claimant, [&target], options.permission()).err());
    let mut refused: Vec<String> = written.map(|denial| denial.to_string()).collect();
    let prepared = prepared(span, &locations, options).filter(|place| !places.contains(place));
    let spared = prepared.filter_map(at).filter_map(|target| claims::spare([&target]).err());
    refused.extend(spared.map(|refusal| refusal.to_string()));
    refused.extend(prefill::refusals(plan, &targets, options));
    refused.extend(own_targets::faults(span, options).iter().map(ToString::to_string));
    refused.dedup();
    refused
}
