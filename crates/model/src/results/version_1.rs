//! Records of version 1: of one machine, in which every fact names its target by the path.

use super::{Record, RecordFormat, Results};
use crate::machine::System;
use crate::profile::{Profile, TargetIds, reading_paths};
use serde::{Deserialize, Deserializer, de};

/// As it was stored.
#[derive(Deserialize)]
struct Version1 {
    #[serde(rename = "format")]
    _format: RecordFormat,
    #[serde(deserialize_with = "numbering_its_targets")]
    profile: Profile,
    system: System,
    results: Results,
}

/// The paths of the profile have the first numbers, as in any record.
fn numbering_its_targets<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Profile, D::Error> {
    let profile = Profile::deserialize(deserializer)?;
    TargetIds::number(&profile);
    Ok(profile)
}

/// Reads one, as one of today.
///
/// # Errors
/// Those of the deserializer.
pub fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Record, D::Error> {
    let (read, ids) = reading_paths(|| Version1::deserialize(deserializer));
    let Version1 { profile, system, results, .. } = read?;
    if !ids.paths().starts_with(TargetIds::of(&profile).paths()) {
        return Err(de::Error::custom("the profile has to stand before what refers to its targets"));
    }
    Ok(Record::with_targets(profile, &ids, system, results))
}
