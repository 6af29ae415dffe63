//! Zones (`--zoned`) with several ranks. Each rank only knows its own write pointers, so a rank must not
//! write to another rank's device.

use super::messages::CheckReply;
use super::names::ranks;
use crate::profile::{Profile, TargetIds};
use crate::ranks::target_location::group_places;

/// Returns messages about ranks that cannot share a zoned device. `checked` is by rank.
pub(super) fn refusals(profile: &Profile, checked: &[Option<CheckReply>], hosts: &[String]) -> Vec<String> {
    let ids = TargetIds::from_profile(profile);
    let mut refusals = Vec::new();
    for (id, path) in ids.paths().iter().enumerate() {
        let all = profile.time_spans.iter().flat_map(|span| &span.targets);
        let mut entries = all.filter(|target| target.path == *path);
        let is_written = entries.clone().any(|target| target.write_ratio > 0);
        if !is_written || !entries.any(|target| target.zoned) {
            continue;
        }
        let place = |rank: &Option<CheckReply>| rank.as_ref()?.places.get(id).cloned();
        let (groups, guessed) = group_places(&checked.iter().map(place).collect::<Vec<_>>());
        let is = if guessed { "may be" } else { "is" };
        refusals.extend(groups.iter().filter(|group| group.len() > 1).map(|group| {
            format!(
                "--zoned: '{path}' {is} the same device for {}, and each would move write pointers without \
                 the others' knowledge; give each its own device (%r or %h in the path)",
                ranks(group, hosts)
            )
        }));
    }
    refusals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Target, TimeSpan};
    use crate::ranks::target_location::TargetLocation;

    #[test]
    fn ranks_write_zones_of_separate_devices() {
        for (zoned, write_ratio, inodes, refused) in [
            (true, 1, [1, 1], true),
            (true, 1, [1, 2], false),
            (true, 0, [1, 1], false),
            (false, 1, [1, 1], false),
        ] {
            let target = Target { path: "d".into(), zoned, write_ratio, ..Target::default() };
            let span = TimeSpan { targets: vec![target], ..TimeSpan::default() };
            let profile = Profile { time_spans: vec![span], ..Profile::default() };
            let rank = |inode| {
                let number = Some((8, inode));
                let place = TargetLocation { machine: "a".into(), number, ..TargetLocation::default() };
                Some(CheckReply { places: vec![place], ..CheckReply::default() })
            };
            let told = refusals(&profile, &inodes.map(rank), &["x".to_owned(), "y".to_owned()]);
            assert_eq!(!told.is_empty(), refused, "{zoned} {write_ratio} {inodes:?}: {told:?}");
        }
    }
}
