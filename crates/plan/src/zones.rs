//! Requirements of a zoned device for `--zoned`, and the assignment of zones to threads. A device with
//! sequential zones accepts no other writes.

use super::access::is_cached;
use super::target::planned_size;
use super::zone_share::ZoneShare;
use super::{PlanError, WorkerPlan};
use diskspd_figures::units::Size;
use diskspd_machine::io_features::IoFeature;
use diskspd_machine::target::TargetFacts;
use diskspd_machine::zones::{Zone, ZoneFacts};
use diskspd_profile::{Target, TimeSpan};
use std::collections::BTreeMap;
use std::path::Path;

/// Reports the conflicts of a target.
pub(crate) fn check(target: &Target, facts: &TargetFacts, errors: &mut Vec<PlanError>) {
    let option = IoFeature::Zoned.row().option;
    let namespace = facts.nvme.as_ref().is_some_and(|namespace| namespace.zoned);
    let why = match &facts.zones {
        None if namespace && (target.zoned || target.is_changed()) => Some(
            "it is zoned, and this kernel does not support its zones (CONFIG_BLK_DEV_ZONED): only reads \
             (-w0) without --zoned work here"
                .to_owned(),
        ),
        None if !target.zoned => return,
        None => Some(no_zones(facts)),
        Some(_) if !target.zoned && target.is_changed() => Some(format!(
            "its zones are written in order only, each at its write pointer: add {option}, or only read \
             (-w0)"
        )),
        Some(_) if !target.zoned => return,
        Some(zones) => unfit_reason(target, facts, zones),
    };
    errors.extend(why.map(|why| zone_error(target, &why)));
}

fn zone_error(target: &Target, why: &str) -> PlanError {
    PlanError::target(format!("{}: '{}': {why}", IoFeature::Zoned.row().option, target.path))
}

fn no_zones(facts: &TargetFacts) -> String {
    let what = match facts.kind.is_device() {
        true => "the kernel reports no zones that must be written in order (queue/zoned in /sys)",
        false => "it is not a block device, and only block devices have zones",
    };
    format!("{what}: leave the option out, or name {}", IoFeature::Zoned.row().needs)
}

fn unfit_reason(target: &Target, facts: &TargetFacts, zones: &ZoneFacts) -> Option<String> {
    if let Some(why) = &zones.unknown {
        return Some(why.clone());
    }
    if is_cached(target, facts) {
        return Some("the page cache writes back in any order: leave out -Sb".to_owned());
    }
    if u32::try_from(zones.zone_size).is_err() {
        return Some(format!("its zones of {} are 4 GiB or larger", Size(zones.zone_size)));
    }
    let block = u64::from(target.block_size);
    let mut area = in_area(target, facts, zones).peekable();
    if area.peek().is_none() {
        return Some(format!(
            "no zone that is written in order is wholly between -B and -f: each zone has {} and begins at \
             a multiple of that",
            Size(zones.zone_size)
        ));
    }
    let off = area.find(|zone| zone.capacity % block.max(1) != 0)?;
    Some(format!(
        "the zone at {} holds {} bytes, which the block size (-b) of {block} does not divide: choose one \
         that does",
        off.start, off.capacity
    ))
}

fn in_area<'a>(
    target: &Target,
    facts: &TargetFacts,
    zones: &'a ZoneFacts,
) -> impl Iterator<Item = &'a Zone> + use<'a> {
    let (size, zone_size) = (planned_size(target, facts), zones.zone_size);
    let end = if target.max_file_size > 0 { target.max_file_size.min(size) } else { size };
    let begin = target.base_file_offset;
    // What can't be written of a zone takes addresses, too.
    let last = move |zone: &Zone| zone.start.saturating_add(zone_size.min(size - zone.start.min(size)));
    zones.zones.iter().filter(move |zone| begin <= zone.start && last(zone) <= end)
}

/// Entry of a thread for a zoned device.
#[derive(Debug, Clone, Copy)]
struct ZoneUser {
    worker: usize,
    target: usize,
}

/// Assigns zones to each thread: all zones for readers only, else the same number to each. Shortages are
/// added to `errors`.
pub(crate) fn assign_zones(
    span: &TimeSpan,
    facts: &[TargetFacts],
    workers: &mut [WorkerPlan],
    errors: &mut Vec<PlanError>,
) {
    let mut devices: BTreeMap<Box<Path>, Vec<ZoneUser>> = BTreeMap::new();
    for (worker, plan) in workers.iter().enumerate() {
        for (target, entry) in plan.targets.iter().enumerate() {
            if span.targets[entry.target].zoned {
                let entries = devices.entry(entry.location.clone().into()).or_default();
                entries.push(ZoneUser { worker, target });
            }
        }
    }
    for entries in devices.values() {
        errors.extend(deal_one(span, facts, workers, entries).err());
    }
}

fn deal_one(
    span: &TimeSpan,
    facts: &[TargetFacts],
    workers: &mut [WorkerPlan],
    entries: &[ZoneUser],
) -> Result<(), PlanError> {
    let of = |entry: &ZoneUser| workers[entry.worker].targets[entry.target].target;
    let Some(first) = entries.first().map(of) else { return Ok(()) };
    let (target, known) = (&span.targets[first], &facts[first]);
    let told = |why: String| zone_error(target, &why);
    let Some(zones) = known.zones.as_ref() else { return Ok(()) };
    let Ok(zone_size) = u32::try_from(zones.zone_size) else { return Ok(()) };
    let alike = |entry: &ZoneUser| {
        let other = &span.targets[of(entry)];
        (other.base_file_offset, other.max_file_size) == (target.base_file_offset, target.max_file_size)
    };
    if !entries.iter().all(alike) {
        return Err(told(
            "several targets with different areas (-B, -f) are the same device: give them one area, whose \
             zones the threads share"
                .to_owned(),
        ));
    }
    let area: Vec<Zone> = in_area(target, known, zones).copied().collect();
    let writes = entries.iter().any(|entry| span.targets[of(entry)].write_ratio > 0);
    let block = u64::from(target.block_size);
    let shares: Vec<Vec<Zone>> = match writes {
        true => split_zones(&area, block, entries.len()),
        false => vec![area; entries.len()],
    };
    let mut writers = Vec::new();
    for (entry, share) in entries.iter().zip(&shares) {
        let requests = workers[entry.worker].targets[entry.target].requests;
        if let Some(why) = too_few(&span.targets[of(entry)], share, requests) {
            return Err(told(why));
        }
        if span.targets[of(entry)].write_ratio > 0 {
            writers.push((share.as_slice(), u64::from(requests)));
        }
    }
    if let Some(why) = beyond_limits(zones, block, &writers) {
        return Err(told(why));
    }
    for (entry, zones) in entries.iter().zip(shares) {
        let worker = &mut workers[entry.worker].targets[entry.target];
        worker.zones = Some(ZoneShare { zones, zone_size });
    }
    Ok(())
}

/// Distributes zones evenly over `parts` in order: writable partial zones first, then zones with data,
/// then empty zones.
fn split_zones(area: &[Zone], block: u64, parts: usize) -> Vec<Vec<Zone>> {
    let class = |zone: &&Zone| match zone {
        zone if zone.active && zone.room() >= block => 0,
        zone if zone.written > 0 => 1,
        _ => 2,
    };
    let mut sorted: Vec<&Zone> = area.iter().collect();
    sorted.sort_by_key(class);
    let mut shares = vec![Vec::with_capacity(area.len() / parts.max(1) + 1); parts];
    for (turn, zone) in sorted.into_iter().enumerate() {
        shares[turn % parts].push(*zone);
    }
    shares.iter_mut().for_each(|share| share.sort_by_key(|zone| zone.start));
    shares
}

/// Returns the error for a thread with too few zones for its depth; `None` if they suffice.
fn too_few(target: &Target, share: &[Zone], requests: u32) -> Option<String> {
    let (zones, requests) = (share.len() as u64, u64::from(requests));
    let (reads, writes) = (target.write_ratio < 100, target.write_ratio > 0);
    if writes && zones < requests {
        return Some(format!(
            "each outstanding write has its own zone, and a thread has {requests} (-o) for its {zones} \
             zones: lower -o or -t, or widen the area (-B, -f)"
        ));
    }
    // Then one without reads in flight is always left to be reset, and one with data to be read.
    if reads && writes && zones < requests.saturating_mul(2) {
        return Some(format!(
            "reads and writes of one thread (-w{}) need two zones for each of its {requests} outstanding \
             I/Os (-o), and it has {zones}: lower -o or -t, or widen the area (-B, -f)",
            target.write_ratio
        ));
    }
    let block = u64::from(target.block_size);
    if reads && share.iter().all(|zone| zone.written < block) {
        return Some(
            "reads are impossible: no zone of a thread has a block below its write pointer. Write first \
                    (-w100)"
                .to_owned(),
        );
    }
    None
}

/// Returns the error if the device's limit of open or active zones is below the number of concurrently
/// written zones; `None` if not. `writers`: zones and concurrency of each writing thread.
fn beyond_limits(zones: &ZoneFacts, block: u64, writers: &[(&[Zone], u64)]) -> Option<String> {
    let at_a_time = writers.iter().fold(0u64, |sum, (_, requests)| sum.saturating_add(*requests));
    let limit = |most: u32| (most > 0).then_some(u64::from(most));
    if let Some(most) = limit(zones.max_open).filter(|most| at_a_time > *most) {
        return Some(format!(
            "{at_a_time} outstanding writes (-o times -t) need as many open zones, but the device keeps at \
             most {most} open (queue/max_open_zones in /sys): lower -o or -t"
        ));
    }
    let most = limit(zones.max_active)?;
    let active = |zones: &[Zone]| zones.iter().filter(|zone| zone.active).count() as u64;
    // Those that are written on need no further ones.
    let taken = |(share, requests): &(&[Zone], u64)| {
        let usable = share.iter().filter(|zone| zone.active && zone.room() >= block).count() as u64;
        requests.saturating_sub(usable)
    };
    let before = active(&zones.zones);
    let needed = writers.iter().map(taken).fold(before, u64::saturating_add);
    if needed > most && at_a_time > 0 {
        return Some(format!(
            "{at_a_time} outstanding writes (-o times -t) need {needed} active zones, counting {before} that \
             are active already, but the device allows {most} (queue/max_active_zones in /sys): lower -o or \
             -t, or finish or reset zones first (blkzone)"
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlanContext, plan};
    use diskspd_machine::System;
    use diskspd_machine::nvme::NvmeFacts;
    use diskspd_machine::target::TargetKind;
    use diskspd_profile::{Profile, RunOptions};

    const MIB: u64 = 1 << 20;

    /// Returns a device of `count` zones of 16 MiB with a capacity of 12, the first `written` with 4 MiB
    /// of data. 3 may be open and 4 active.
    fn sample_device(count: u64, written: u64) -> TargetFacts {
        let zone = |index: u64| Zone {
            start: index * 16 * MIB,
            capacity: 12 * MIB,
            written: if index < written { 4 * MIB } else { 0 },
            active: index < written,
        };
        let zones = ZoneFacts {
            zone_size: 16 * MIB,
            zones: (0..count).map(zone).collect(),
            max_open: 3,
            max_active: 4,
            unknown: None,
        };
        let (kind, location) = (TargetKind::BlockDevice, "/dev/z".into());
        TargetFacts { kind, location, size: count * 16 * MIB, zones: Some(zones), ..TargetFacts::default() }
    }

    fn sample_target(write_ratio: u32, request_count: u32, threads_per_file: u32) -> Target {
        Target {
            path: "/dev/z".into(),
            zoned: true,
            write_ratio,
            request_count,
            threads_per_file,
            ..Target::default()
        }
    }

    fn plan_zones(targets: Vec<Target>, facts: &TargetFacts) -> Result<Vec<Vec<u64>>, String> {
        let span = TimeSpan { targets, ..TimeSpan::default() };
        let facts = vec![facts.clone(); span.targets.len()];
        let profile = Profile { time_spans: vec![span.clone()], ..Profile::default() };
        let (system, run_options) = (System::default(), RunOptions::default());
        let around = PlanContext {
            system: &system,
            facts: &facts,
            run_options: &run_options,
            rank: Default::default(),
        };
        let share = |worker: WorkerPlan| {
            let zones = worker.targets[0].zones.iter().flat_map(|share| &share.zones);
            zones.map(|zone| zone.start / (16 * MIB)).collect()
        };
        let told =
            |errors: Vec<PlanError>| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        plan(&profile, &span, around).map_err(told).map(|plan| plan.workers.into_iter().map(share).collect())
    }

    #[test]
    fn writing_threads_divide_zones_and_readers_use_all() {
        let of = |target| plan_zones(vec![target], &sample_device(7, 0)).unwrap();
        assert_eq!(of(sample_target(100, 1, 3)), [vec![0, 3, 6], vec![1, 4], vec![2, 5]]);
        let read = plan_zones(vec![sample_target(0, 4, 2)], &sample_device(3, 1)).unwrap();
        assert_eq!(read, [vec![0, 1, 2], vec![0, 1, 2]]);
        let within =
            Target { base_file_offset: 8 * MIB, max_file_size: 64 * MIB, ..sample_target(100, 1, 1) };
        assert_eq!(of(within), [vec![1, 2, 3]], "the one that it begins in is none of them");
        let both =
            plan_zones(vec![sample_target(100, 1, 1), sample_target(0, 1, 1)], &sample_device(4, 3)).unwrap();
        assert_eq!(both, [vec![0, 2], vec![1, 3]], "who reads beside a writer has zones of its own");
        let plain = Target { zoned: false, ..sample_target(0, 1, 1) };
        assert_eq!(of(plain), [Vec::<u64>::new()]);
    }

    #[test]
    fn work_against_zone_rules_is_refused_and_named() {
        let zones = |change: fn(&mut ZoneFacts)| {
            let mut facts = sample_device(7, 1);
            facts.zones.iter_mut().for_each(change);
            facts
        };
        let (none, file) = (TargetFacts { zones: None, ..sample_device(7, 0) }, TargetKind::File);
        let unknown = NvmeFacts { zoned: true, block_size: 512, ..NvmeFacts::default() };
        let kind = TargetKind::NvmeNamespace;
        let unknown = TargetFacts { kind, nvme: Some(unknown), ..none.clone() };
        let mut used_up = sample_device(7, 0);
        let full = used_up.zones.iter_mut().flat_map(|zones| &mut zones.zones).take(3);
        full.for_each(|zone| (zone.active, zone.written) = (true, zone.capacity));
        let block = |block_size| Target { block_size, ..sample_target(100, 1, 1) };
        for (target, facts, expected) in [
            (sample_target(100, 1, 1), none.clone(), "the kernel reports no zones"),
            (sample_target(100, 1, 1), TargetFacts { kind: file, ..none }, "it is not a block device"),
            (sample_target(100, 1, 1), unknown, "CONFIG_BLK_DEV_ZONED"),
            (Target { zoned: false, ..sample_target(1, 1, 1) }, sample_device(7, 0), "add --zoned"),
            (
                sample_target(0, 1, 1),
                zones(|zones| zones.unknown = Some("it is a partition".into())),
                "a partition",
            ),
            (
                Target { uncached_devices: false, ..sample_target(100, 1, 1) },
                sample_device(7, 0),
                "leave out -Sb",
            ),
            (sample_target(0, 1, 1), zones(|zones| zones.zone_size = 4 << 30), "4 GiB or larger"),
            (Target { max_file_size: MIB, ..sample_target(100, 1, 1) }, sample_device(7, 0), "no zone"),
            (block(5 * 65536), sample_device(7, 0), "does not divide"),
            (block(24 << 20), sample_device(7, 0), "does not divide"),
            (sample_target(100, 2, 4), sample_device(7, 0), "for its 1 zones"),
            (sample_target(50, 2, 2), sample_device(7, 7), "need two zones for each"),
            (sample_target(0, 1, 1), sample_device(7, 0), "reads are impossible"),
            (sample_target(50, 1, 2), sample_device(7, 1), "reads are impossible"),
            (sample_target(50, 1, 2), sample_device(7, 2), ""),
            (sample_target(100, 2, 2), sample_device(7, 0), "at most 3 open"),
            (sample_target(100, 3, 1), zones(|zones| zones.zones[6].active = true), ""),
            (
                sample_target(100, 1, 3),
                sample_device(7, 5),
                "need 5 active zones, counting 5 that are active already",
            ),
            (sample_target(100, 1, 3), sample_device(7, 2), ""),
            (sample_target(100, 3, 1), used_up, "need 6 active zones, counting 3 that are active already"),
            (
                sample_target(100, 3, 3),
                zones(|zones| (zones.max_open, zones.max_active) = (0, 0)),
                "for its 2 zones",
            ),
            (sample_target(100, 2, 3), zones(|zones| (zones.max_open, zones.max_active) = (0, 0)), ""),
        ] {
            let told = plan_zones(vec![target.clone()], &facts).err().unwrap_or_default();
            assert!(told.contains(expected), "{expected}: {told}");
            assert_eq!(told.is_empty(), expected.is_empty(), "{told}");
        }
        let part = Target { max_file_size: 64 * MIB, ..sample_target(100, 1, 1) };
        let told = plan_zones(vec![part, sample_target(100, 1, 1)], &sample_device(7, 0)).unwrap_err();
        assert!(told.contains("the same device"), "{told}");
    }
}
