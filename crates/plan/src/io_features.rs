//! Requirements of a target for atomic writes (`--atomic`), uncached buffered I/O (`--dontcache`), and I/O
//! without waiting (`--nowait`).

use super::PlanError;
use super::access::is_cached;
use diskspd_figures::units;
use diskspd_machine::io_features::{AtomicWrites, IoFeature, IoWayRow};
use diskspd_machine::target::{TargetFacts, TargetKind};
use diskspd_profile::{DistributionKind, Target};

pub(crate) fn guaranteed(target: &Target, facts: &TargetFacts) -> Option<AtomicWrites> {
    facts.ways.as_ref().filter(|_| target.atomic)?.atomic
}

pub(crate) fn check(target: &Target, facts: &TargetFacts, errors: &mut Vec<PlanError>) {
    let path = &target.path;
    if target.atomic && target.write_ratio > 0 {
        let refused = without_cache(target, facts).or_else(|| no_atomic_writes(target, facts));
        let option = IoFeature::Atomic.row().option;
        errors.extend(refused.map(|why| PlanError::target(format!("{option}: '{path}': {why}"))));
    }
    let answer = facts.ways.as_ref().and_then(|found| found.no_dont_cache.as_ref());
    if let Some(answer) = answer.filter(|_| target.dont_cache) {
        let on = place_text(facts);
        let IoWayRow { option, since, needs, .. } = IoFeature::DontCache.row();
        errors.push(PlanError::target(format!(
            "{option}: '{path}': this kernel has no RWF_DONTCACHE for {on} ({answer}): it needs Linux \
             {since} and {needs}; use -Su to bypass the page cache"
        )));
    }
    if target.no_wait {
        let refused = no_nowait(facts).or_else(|| no_nowait_writes(target, facts));
        let option = IoFeature::NoWait.row().option;
        errors.extend(refused.map(|why| PlanError::target(format!("{option}: '{path}': {why}"))));
    }
}

fn place_text(facts: &TargetFacts) -> String {
    match facts.kind {
        TargetKind::BlockDevice => "block devices".to_owned(),
        TargetKind::NvmeNamespace => "NVMe commands".to_owned(),
        _ => format!("file system {}", facts.file_system),
    }
}

/// Returns the reason why `--nowait` is unavailable.
fn no_nowait(facts: &TargetFacts) -> Option<String> {
    let answer = facts.ways.as_ref()?.no_nowait.as_ref()?;
    let IoWayRow { since, .. } = IoFeature::NoWait.row();
    Some(format!(
        "the kernel has no RWF_NOWAIT for {} here ({answer}): it needs Linux {since} and a file on ext4, XFS \
         or btrfs, or a device whose driver has it; leave the option out",
        place_text(facts)
    ))
}

fn no_nowait_writes(target: &Target, facts: &TargetFacts) -> Option<String> {
    if target.write_ratio == 0 || !is_cached(target, facts) {
        return None;
    }
    let answer = facts.ways.as_ref()?.no_nowait_writes.as_ref()?;
    Some(format!(
        "the kernel has no RWF_NOWAIT for writes through the page cache of {} ({answer}): XFS and btrfs \
         have it; use -Su to bypass the page cache, or -w0",
        place_text(facts)
    ))
}

/// Refuses atomic writes through the page cache, as the kernel does (`generic_atomic_write_valid` of
/// fs/read_write.c).
fn without_cache(target: &Target, facts: &TargetFacts) -> Option<String> {
    is_cached(target, facts)
        .then(|| "atomic writes bypass the page cache: add -Su, or -Sh to make each durable, too".to_owned())
}

fn no_atomic_writes(target: &Target, facts: &TargetFacts) -> Option<String> {
    let found = facts.ways.as_ref().filter(|_| facts.kind != TargetKind::Missing)?;
    let Some(offered) = found.atomic else {
        return Some(format!(
            "the kernel has no atomic writes (RWF_ATOMIC): they need Linux {} or later",
            IoFeature::Atomic.row().since
        ));
    };
    if offered.unit_max == 0 {
        return Some(format!("{}; use {}", nothing_offered(facts, offered), IoFeature::Atomic.row().needs));
    }
    off_units(target, offered)
}

fn nothing_offered(facts: &TargetFacts, offered: AtomicWrites) -> String {
    let device = offered.device_words();
    match facts.kind {
        TargetKind::BlockDevice => device.to_owned(),
        _ => format!("file system {} guarantees none here (statx), and {device}", facts.file_system),
    }
}

/// Returns the settings that prevent valid units: a supported power of two, aligned to its size.
fn off_units(target: &Target, offered: AtomicWrites) -> Option<String> {
    let AtomicWrites { unit_min, unit_max, .. } = offered;
    let size = target.block_size;
    if !size.is_power_of_two() || !(unit_min..=unit_max).contains(&size) {
        let [min, max] = [unit_min, unit_max].map(|bytes| units::Size(bytes.into()));
        return Some(format!(
            "an atomic write is a power of two from {min} to {max} here, and the block size (-b) is {size} \
             bytes; choose such a size"
        ));
    }
    let ranges = target.distribution.iter().filter(|found| found.kind == DistributionKind::Absolute);
    let settings = [
        ("stride or alignment (-s, -r)", target.stride()),
        ("base offset (-B)", target.base_file_offset),
        ("thread stride (-T)", target.thread_stride),
    ]
    .into_iter()
    .chain(ranges.flat_map(|found| &found.ranges).map(|range| ("range of -rdabs", range.span)));
    let off: Vec<String> = settings
        .filter(|(_, value)| value % u64::from(size) != 0)
        .map(|(name, value)| format!("the {name} of {value}"))
        .collect();
    (!off.is_empty()).then(|| {
        format!(
            "an atomic write begins at a multiple of its size of {size} bytes; {} {} not a multiple of it",
            off.join(" and "),
            if off.len() == 1 { "is" } else { "are" }
        )
    })
}
