//! Required properties of a target before planning.

use crate::options::Options;
use crate::span::system::probes::Probes;
use diskspd_base::operation::Operation;
use diskspd_host::located::ResolvedTarget;
use diskspd_host::{completion_probe, discards, io_features, zones};
use diskspd_machine::target::TargetFacts;
use diskspd_machine::zones::ZoneFacts;
use diskspd_plan::{self as plan, EngineRequest};
use diskspd_profile::{Target, TimeSpan};
use diskspd_sys::anchor::Location;
use diskspd_sys::nvme::PlacementHandle;
use diskspd_sys::target_error::TargetError;
use std::path::Path;

/// Inspects a target's current state for the plan.
pub(crate) fn inspect_targets(
    span: &TimeSpan,
    target: &Target,
    location: &Path,
    options: &Options,
    probes: &Probes,
) -> Result<TargetFacts, TargetError> {
    let wish = EngineRequest { engine: options.run_options.engine, poll: options.run_options.poll };
    let located = probes.located(location)?;
    let mut found = located.as_ref().map_or_else(|| probes.missing(location), ResolvedTarget::facts)?;
    let path = location.to_owned();
    let place: &dyn Location = located.as_ref().map_or(&path, |located| located);
    if let Some(direct) = plan::completion_matters(span, target, &found, wish) {
        let look = || completion_probe::completion(place.access_path(), &found, direct);
        found.completion = probes.completion(location, direct, look);
    }
    if target.shares.percent(Operation::Discard) > 0 && !options.run_options.simulated() {
        found.discards = Some(discards::read_discards(place.access_path(), found.is_remote()));
    }
    let asks = target.atomic || target.dont_cache || target.no_wait || !target.write_streams.is_empty();
    if asks && !options.run_options.simulated() {
        found.ways = Some(match target.no_wait && target.write_ratio > 0 {
            true => io_features::look_at_writes(place.access_path()),
            false => io_features::probe_features(place.access_path()),
        });
    }
    if let Some(namespace) = found.nvme.as_mut().filter(|_| !target.fdp.is_empty()) {
        let identifiers = |handles: Vec<PlacementHandle>| handles.iter().map(|one| one.identifier).collect();
        namespace.placement = Some(io_features::placement(place.access_path()).map(identifiers));
    }
    found.zones = zones_of(target, &found, place, options);
    if wish.poll {
        found.polling = completion_probe::polling(place.access_path());
    }
    Ok(found)
}

fn zones_of(
    target: &Target,
    found: &TargetFacts,
    place: &dyn Location,
    options: &Options,
) -> Option<ZoneFacts> {
    let matter = (target.zoned || target.is_changed()) && found.kind.is_device();
    (matter && !options.run_options.simulated()).then(|| zones::read_zones(place.access_path())).flatten()
}
