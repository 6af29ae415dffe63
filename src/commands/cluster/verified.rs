//! Verification (`--verify`) with several ranks. Each rank only knows its own writes, so a rank must not
//! write where another one reads.

use super::messages::CheckReply;
use super::names::ranks;
use crate::profile::{Profile, RawText, TargetIds, VerifyMode};
use crate::ranks::target_location::{SameStorage, TargetLocation, group_places, same};

/// Returns a message for each target where ranks would classify each other's writes as damage. `checked`
/// by rank; `split` divides a shared target into separate parts.
pub(super) fn refusals(
    mode: Option<VerifyMode>,
    profile: &Profile,
    checked: &[Option<CheckReply>],
    split: bool,
    hosts: &[String],
) -> Vec<String> {
    if !mode.is_some_and(VerifyMode::stamps) {
        return Vec::new();
    }
    let ids = TargetIds::from_profile(profile);
    let place = |rank: &Option<CheckReply>, id: usize| rank.as_ref()?.places.get(id).cloned();
    let places = |id: usize| checked.iter().map(move |rank| place(rank, id)).collect::<Vec<_>>();
    let mut refusals = Vec::new();
    for (id, path) in ids.paths().iter().enumerate() {
        let (groups, guessed) = group_places(&places(id));
        if let Some(group) = groups.iter().find(|group| group.len() > 1) {
            refusals.extend(shared_target(profile, path, &ranks(group, hosts), split, guessed));
        }
        for (other, other_path) in ids.paths().iter().enumerate().skip(id + 1) {
            if is_any_the_same(&places(id), &places(other)) {
                refusals.push(format!(
                    "--verify: '{path}' of one rank and '{other_path}' of another are the same target, so \
                     each would report the other's writes as damage; name it once, and give each rank a part \
                     (--split)"
                ));
            }
        }
    }
    refusals
}

fn shared_target(profile: &Profile, path: &RawText, who: &str, split: bool, guessed: bool) -> Option<String> {
    let is = if guessed { "may be" } else { "is" };
    let why = format!("--verify: '{path}' {is} the same target for {who}");
    match split {
        false => Some(format!(
            "{why}, so each would report the others' writes as damage; give each its own part (--split), \
             or its own file (%r or %h in the path)"
        )),
        true if !is_divided_alike(profile, path) => Some(format!(
            "{why}, but its area or blocks (-B, -f, -c, -b) differ between time spans or entries of the \
             profile, so with --split one rank would overwrite another's part; make them equal"
        )),
        true => None,
    }
}

fn is_divided_alike(profile: &Profile, path: &RawText) -> bool {
    let targets = profile.time_spans.iter().flat_map(|span| &span.targets);
    let mut areas = targets
        .filter(|target| target.path == *path)
        .map(|target| (target.base_file_offset, target.max_file_size, target.file_size, target.block_size));
    let first = areas.next();
    areas.all(|area| Some(area) == first)
}

fn is_any_the_same(some: &[Option<TargetLocation>], others: &[Option<TargetLocation>]) -> bool {
    let pairs = some.iter().flatten().flat_map(|one| others.iter().flatten().map(move |other| (one, other)));
    pairs.into_iter().any(|(one, other)| same(one, other) == SameStorage::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Target, TimeSpan};

    fn place(inode: u64) -> TargetLocation {
        TargetLocation { machine: "a".into(), number: Some((8, inode)), ..TargetLocation::default() }
    }

    fn sample_profile(spans: &[&[(&str, u64)]]) -> Profile {
        let target = |&(path, end): &(&str, u64)| Target {
            path: path.into(),
            max_file_size: end,
            ..Target::default()
        };
        let span = |targets: &&[(&str, u64)]| TimeSpan {
            targets: targets.iter().map(target).collect(),
            ..TimeSpan::default()
        };
        Profile { time_spans: spans.iter().map(span).collect(), ..Profile::default() }
    }

    fn explain_case(mode: VerifyMode, profile: &Profile, inodes: [&[u64]; 2], split: bool) -> String {
        let rank = |inodes: &[u64]| {
            let places = inodes.iter().map(|inode| place(*inode)).collect();
            Some(CheckReply { places, ..CheckReply::default() })
        };
        let hosts = ["x".to_owned(), "y".to_owned()];
        refusals(Some(mode), profile, &inodes.map(rank), split, &hosts).join("\n")
    }

    #[test]
    fn ranks_that_overwrite_each_other_are_refused() {
        let one = sample_profile(&[&[("f", 0)]]);
        let (two, grown) =
            (sample_profile(&[&[("f", 0), ("g", 0)]]), sample_profile(&[&[("f", 100)], &[("f", 200)]]));
        let alike = sample_profile(&[&[("f", 100)], &[("f", 100)]]);
        let both = VerifyMode::Both;
        for (mode, profile, inodes, split, words) in [
            (both, &one, [&[1][..], &[2]], false, ""),
            (both, &one, [&[1], &[1]], false, "same target for ranks 0-1"),
            (both, &one, [&[1], &[1]], true, ""),
            (VerifyMode::Read, &one, [&[1], &[1]], false, ""),
            (both, &two, [&[1, 2], &[3, 4]], false, ""),
            (both, &two, [&[1, 2], &[2, 1]], true, "'g' of another are the same target"),
            (both, &grown, [&[1], &[1]], true, "between time spans"),
            (both, &grown, [&[1], &[2]], true, ""),
            (both, &alike, [&[1], &[1]], true, ""),
        ] {
            let told = explain_case(mode, profile, inodes, split);
            assert_eq!((told.is_empty(), told.contains(words)), (words.is_empty(), true), "{told}");
        }
    }
}
