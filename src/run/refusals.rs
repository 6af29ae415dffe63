//! What a time span writes to, and what would keep it from that: for telling before anything is touched.

use super::options::Options;
use super::planning::locations;
use super::prefill;
use crate::plan::{PlanError, SpanPlan};
use crate::profile::TimeSpan;
use crate::sys::cpu_latency::CpuLatency;
use crate::system::refusal::write_refusal;
use std::path::{Path, PathBuf};

/// The places that are written to in place, so that nothing of the user's may be there. `-c` creates files and leaves
/// devices as they are: it adds none.
pub(super) fn written<'a>(
    span: &'a TimeSpan,
    locations: &'a [PathBuf],
    options: &Options,
) -> impl Iterator<Item = &'a Path> + use<'a> {
    let prefilled = options.prefill.is_some() && options.destroy;
    let targets = span.targets.iter().zip(locations);
    targets.filter(move |(target, _)| target.write_ratio > 0 || prefilled).map(|(_, path)| path.as_path())
}

/// Whether the limit of `--cpu-latency` can be held here: holds it for a moment.
///
/// # Errors
/// It can't; what to do about it.
pub fn cpu_latency_refusal(options: &Options) -> Result<(), Vec<PlanError>> {
    let Some(limit) = options.cpu_latency else { return Ok(()) };
    if options.virtual_time() {
        return Err(vec![PlanError::profile(
            "--cpu-latency: in simulated time no processor has to be woken up; leave it out, or choose another engine",
        )]);
    }
    let held = CpuLatency::hold(limit);
    held.map(drop).map_err(|error| vec![PlanError::target(format!("--cpu-latency: {error}"))])
}

/// Why the span would be refused, one message for each place; empty when nothing is known against it. A snapshot: the
/// run itself looks again, and knows more ([`crate::system::claims::protect`]).
pub fn refusals(span: &TimeSpan, plan: &SpanPlan, options: &Options) -> Vec<String> {
    if options.simulated() {
        return Vec::new();
    }
    // What is wrong with the places is what the plan has complained of.
    let locations = locations(span, options).unwrap_or_default();
    let mut places: Vec<&Path> = written(span, &locations, options).collect();
    places.sort_unstable();
    places.dedup();
    let refused = places.into_iter().filter_map(|place| match write_refusal(place, options.destroy) {
        Ok(refusal) => refusal.map(|refusal| refusal.to_string()),
        Err(error) => Some(error.to_string()),
    });
    refused.chain(prefill::refusals(plan, options)).collect()
}
