//! Division of targets for `--verify`: sectors, which carry stamps, and units, which have versions.

use super::target::{cut_area, planned_size};
use super::{PlanError, SectorGrid, WorkerPlan};
use diskspd_machine::target::TargetFacts;
use diskspd_profile::{DistributionKind, Profile, RawText, Target, TimeSpan};

/// Minimum sector size in bytes.
const MIN_SECTOR: u32 = 512;

/// Returns the sector size of a target in bytes: the atomic write unit of its device, where known.
pub(crate) fn sector(facts: &TargetFacts) -> u32 {
    facts.direct.map_or(MIN_SECTOR, |needs| needs.offset.max(MIN_SECTOR)).next_power_of_two()
}

/// The largest piece that no I/O of the profile on a path touches in part, bytes. 0 = there is no I/O.
pub(crate) fn unit(profile: &Profile, path: &RawText) -> u64 {
    let targets = profile.time_spans.iter().flat_map(|span| &span.targets);
    let of_path = targets.filter(|target| target.path == *path);
    of_path
        .flat_map(|target| grid_settings(target).into_iter())
        .fold(0, |unit, (_, bytes)| greatest_divisor(unit, bytes))
}

/// Returns the alignments of I/O positions in bytes, with the names of the settings; 0 = none.
fn grid_settings(target: &Target) -> Vec<(&'static str, u64)> {
    let mut settings =
        vec![("base offset (-B)", target.base_file_offset), ("thread stride (-T)", target.thread_stride)];
    for portion in target.portions() {
        settings.push(("block size (-b)", portion.target.block_size.into()));
        settings.push(("stride or alignment (-s, -r)", portion.target.stride()));
    }
    let ranges = target.distribution.iter().filter(|of| of.kind == DistributionKind::Absolute);
    settings.extend(
        ranges.flat_map(|of| &of.ranges).map(|range| ("range of the distribution (-rdabs)", range.span)),
    );
    settings
}

/// Returns the greatest common divisor; that of 0 and a number is the number.
fn greatest_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

/// Divides the verified targets of a worker into sectors; `facts` = all targets of the span.
pub(crate) fn divide(profile: &Profile, facts: &[TargetFacts], worker: &mut WorkerPlan) {
    for target in &mut worker.targets {
        let (sector, unit) = (sector(&facts[target.target]), unit(profile, &target.path));
        target.verified = SectorGrid { sector, unit };
    }
}

pub(crate) fn check(profile: &Profile, span: &TimeSpan, facts: &[TargetFacts]) -> Vec<PlanError> {
    let each = span.targets.iter().zip(facts);
    each.filter_map(|(target, facts)| {
        let sector = u64::from(sector(facts));
        let off = grid_settings(target).into_iter().find(|(_, bytes)| bytes % sector != 0);
        let unit = unit(profile, &target.path);
        let cut = cut_area(target, planned_size(target, facts));
        let area = cut.filter(|area| unit > 0 && area % unit != 0);
        let (name, bytes) = off.or(area.map(|area| ("area of the distribution (-rdabs)", area)))?;
        let grid = if off.is_some() { sector } else { unit };
        Some(PlanError::profile(format!(
            "--verify: '{}' is verified in sectors of {sector} bytes, but the {name} of {bytes} is not a \
             multiple of {grid}; give a multiple, or leave out --verify",
            target.path
        )))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_machine::target::DirectRequirements;

    fn facts_at_offset(offset: u32) -> TargetFacts {
        let direct = Some(DirectRequirements { offset, memory: 4 });
        TargetFacts { direct, size: 1 << 30, ..TargetFacts::default() }
    }

    fn sample_target(block_size: u32, block_alignment: u64) -> Target {
        Target { path: "t".into(), block_size, block_alignment, ..Target::default() }
    }

    fn sample_profile(spans: Vec<Vec<Target>>) -> Profile {
        let span = |targets| TimeSpan { targets, ..TimeSpan::default() };
        Profile { time_spans: spans.into_iter().map(span).collect(), ..Profile::default() }
    }

    #[test]
    fn verify_sector_is_at_least_512_bytes() {
        assert_eq!(
            [facts_at_offset(0), facts_at_offset(1), facts_at_offset(512), facts_at_offset(4096)]
                .map(|facts| sector(&facts)),
            [512, 512, 512, 4096]
        );
        assert_eq!(sector(&TargetFacts::default()), 512);
    }

    #[test]
    fn ios_never_touch_partial_units() {
        let shifted = Target { base_file_offset: 12288, ..sample_target(65536, 0) };
        let strided = Target { thread_stride: 512, ..sample_target(4096, 0) };
        for (spans, expected) in [
            (vec![vec![sample_target(65536, 0)]], 65536),
            (vec![vec![sample_target(65536, 4096)]], 4096),
            (vec![vec![sample_target(65536, 0)], vec![sample_target(24576, 0)]], 8192),
            (vec![vec![shifted]], 4096),
            (vec![vec![sample_target(65536, 0), strided]], 512),
            (vec![vec![Target { path: "other".into(), ..sample_target(512, 0) }]], 0),
        ] {
            assert_eq!(unit(&sample_profile(spans), &"t".into()), expected);
        }
    }

    #[test]
    fn unaligned_sizes_are_refused_and_named() {
        let refusal = |target: Target, facts| {
            let profile = sample_profile(vec![vec![target]]);
            check(&profile, &profile.time_spans[0], &[facts]).first().map(|error| error.to_string())
        };
        assert_eq!(refusal(sample_target(65536, 4096), facts_at_offset(4096)), None);
        let message = refusal(sample_target(65536, 512), facts_at_offset(4096)).unwrap();
        assert!(
            message.contains("the stride or alignment (-s, -r) of 512 is not a multiple of 4096"),
            "{message}"
        );
        assert!(
            refusal(sample_target(1000, 0), facts_at_offset(0)).unwrap().contains("block size (-b) of 1000")
        );
    }
}
