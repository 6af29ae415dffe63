//! Ranks on one machine. The kernel counts by device, not by process. I/Os of ranks that share devices are
//! therefore added before the comparison with the devices, like I/Os of targets that share devices.

use super::merged_profile;
use super::summary::of_part;
use diskspd_checks::{JudgedRecord, Limiter, device_verdicts};
use diskspd_machine::System;
use diskspd_machine::io_counters::{DeviceFacts, SpaceChange, TargetDevices};
use diskspd_machine::storage::Storage;
use diskspd_profile::{Profile, RawText, TargetId, TargetIds};
use diskspd_results::{
    Accumulate, Host, HostDevices, HostTarget, Observations, Record, Results, SpanResults, TargetResults,
    ThreadResults,
};
use std::collections::HashMap;

#[derive(Debug)]
pub(crate) struct RankObserved {
    host: usize,
    label: String,
    boot: String,
    profile: Profile,
    targets: Vec<HostTarget>,
    spans: Vec<RankSpan>,
}

#[derive(Debug)]
struct RankSpan {
    measured: u64,
    /// Start time in ms since 1970.
    started_at: Option<i64>,
    rows: Vec<TargetResults>,
    devices: Option<DeviceFacts>,
    limiter: Option<Limiter>,
}

impl RankObserved {
    pub(crate) fn from_record(judged: &JudgedRecord, host: usize, label: &str) -> Option<RankObserved> {
        let (record, own) = (judged.record, judged.record.host());
        let boot = own.system.boot.clone()?;
        let limits = judged.judgement.limits.iter().map(|limits| limits.as_ref()?.limited_by);
        let span = |(results, limiter): (&SpanResults, _)| RankSpan {
            measured: results.measured,
            started_at: results.started_at,
            rows: by_target(results),
            devices: results.observed.as_ref().and_then(|observed| observed.devices.clone()),
            limiter,
        };
        let spans: Vec<RankSpan> = own.results.time_spans.iter().zip(limits).map(span).collect();
        spans.iter().any(|span| span.devices.is_some()).then(|| RankObserved {
            host,
            label: label.to_owned(),
            boot,
            profile: record.profile.clone(),
            targets: own.targets.clone(),
            spans,
        })
    }

    fn shares_with(&self, other: &RankObserved) -> bool {
        let names = |rank: &'_ RankObserved| -> Vec<String> {
            let facts = rank.spans.iter().filter_map(|span| span.devices.as_ref());
            let layers = facts.flat_map(|facts| &facts.targets).flat_map(|target| &target.stack.layers);
            layers.map(|layer| layer.name.clone()).collect()
        };
        let own = names(self);
        self.boot == other.boot && names(other).iter().any(|name| own.contains(name))
    }
}

/// Returns the sums of all threads by target.
fn by_target(results: &SpanResults) -> Vec<TargetResults> {
    let mut rows: Vec<TargetResults> = Vec::new();
    for row in results.threads.iter().flat_map(|thread| &thread.targets) {
        let at = rows.iter().position(|known| known.target == row.target).unwrap_or_else(|| {
            rows.push(TargetResults { target: row.target, ..TargetResults::default() });
            rows.len() - 1
        });
        let sum = &mut rows[at];
        for (sum, more) in [(&mut sum.read, &row.read), (&mut sum.write, &row.write)] {
            sum.bytes = sum.bytes.saturating_add(more.bytes);
            sum.ios = sum.ios.saturating_add(more.ios);
        }
        sum.others.add(&row.others);
    }
    rows
}

/// Returns the findings about devices shared by ranks, by host index.
pub(crate) fn judge(ranks: &[RankObserved]) -> Vec<(usize, HostDevices)> {
    let mut groups: Vec<Vec<&RankObserved>> = Vec::new();
    for rank in ranks {
        let (with, without) =
            groups.into_iter().partition::<Vec<_>, _>(|group| group.iter().any(|one| one.shares_with(rank)));
        groups = without;
        groups.push(with.into_iter().flatten().chain([rank]).collect());
    }
    groups.iter().filter(|group| group.len() > 1).flat_map(|group| judge_together(group)).collect()
}

fn judge_together(ranks: &[&RankObserved]) -> Vec<(usize, HostDevices)> {
    let JoinedRanks { record, paths } = JoinedRanks::join(ranks);
    let limiter = |span: usize| {
        let mut all = ranks.iter().filter_map(|rank| rank.spans.get(span)?.limiter);
        let first = all.clone().next();
        all.find(|limiter| matches!(limiter, Limiter::Storage | Limiter::Depth)).or(first)
    };
    let limited: Vec<Option<Limiter>> = (0..record.profile.time_spans.len()).map(limiter).collect();
    let mut found = Vec::new();
    for verdict in device_verdicts(&record, &limited) {
        for (rank, own) in ranks.iter().zip(&paths) {
            let uses = |paths: &[RawText], part: &[RawText]| paths.iter().any(|path| part.contains(path));
            // They are in order, the worst first.
            if let Some(part) = verdict.parts.iter().find(|part| uses(own, &part.targets)) {
                let users = paths.iter().filter(|paths| uses(paths, &part.targets)).count();
                found.push((rank.host, of_part(verdict.time_span, part, users)));
            }
        }
    }
    found
}

/// First storage with each name.
type TargetStorage = HashMap<RawText, Storage>;

/// Ranks as targets of one host.
struct JoinedRanks {
    record: Record,
    paths: Vec<Vec<RawText>>,
}

impl JoinedRanks {
    fn join(ranks: &[&RankObserved]) -> JoinedRanks {
        let (mut targets, mut paths): (TargetStorage, Vec<Vec<RawText>>) = Default::default();
        for rank in ranks {
            paths.push(
                rank.targets.iter().map(|target| target_label(&mut targets, rank, &target.storage)).collect(),
            );
        }
        let first = ranks.first().map(|rank| &rank.profile).cloned().unwrap_or_default();
        let mut profile = merged_profile::without_targets(&first);
        for (index, span) in profile.time_spans.iter_mut().enumerate() {
            // A pool's depth counts once for each target: so it isn't the sum of all pools.
            span.thread_count = first.time_spans[index].thread_count;
            for (rank, names) in ranks.iter().zip(&paths) {
                let ids = TargetIds::from_profile(&rank.profile);
                let asked = rank.profile.time_spans.get(index).into_iter().flat_map(|span| &span.targets);
                span.targets.extend(asked.map(|target| {
                    let at = ids.get(&target.path).unwrap_or_default().index();
                    let path = names.get(at).unwrap_or(&target.path).clone();
                    diskspd_profile::Target { path, ..target.clone() }
                }));
            }
        }
        let ids = TargetIds::from_profile(&profile);
        let spans =
            (0..profile.time_spans.len()).map(|index| merge_ranks(ranks, &paths, &ids, index)).collect();
        let mut record = Record::new(profile, System::default(), Results { time_spans: spans });
        let host: &mut Host = record.host_mut();
        for target in &mut host.targets {
            if let Some(known) = targets.get(&target.storage.path) {
                target.storage = known.clone();
            }
        }
        JoinedRanks { record, paths }
    }
}

/// Returns the name of a rank's target: its path, unless the path means another target for another rank.
fn target_label(targets: &mut TargetStorage, rank: &RankObserved, own: &Storage) -> RawText {
    let lies_on = |storage: &Storage| {
        let mounted = storage.file_system.as_ref().map(|on| on.mounted_at.clone());
        (mounted, storage.device.as_ref().map(|device| device.name.clone()))
    };
    let path = match targets.get(&own.path) {
        Some(known) if lies_on(known) == lies_on(own) => return own.path.clone(),
        Some(_) => RawText::from([rank.label.as_bytes(), b":", own.path.as_bytes()].concat()),
        None => own.path.clone(),
    };
    targets.entry(path.clone()).or_insert_with(|| Storage { path: path.clone(), ..own.clone() });
    path
}

fn merge_ranks(
    ranks: &[&RankObserved],
    paths: &[Vec<RawText>],
    ids: &TargetIds,
    index: usize,
) -> SpanResults {
    let mut all = SpanResults::default();
    let mut devices: Option<DeviceFacts> = None;
    for (rank, names) in ranks.iter().zip(paths) {
        let id = |own: TargetId| names.get(own.index()).and_then(|path| ids.get(path)).unwrap_or_default();
        let Some(span) = rank.spans.get(index) else { continue };
        let Some(facts) = &span.devices else { continue };
        all.measured = all.measured.max(span.measured);
        let targets = span.rows.iter().map(|row| TargetResults { target: id(row.target), ..row.clone() });
        all.threads.push(ThreadResults { targets: targets.collect(), ..ThreadResults::default() });
        let own = facts.targets.iter().map(|on| TargetDevices { target: id(on.target), ..on.clone() });
        let space = facts.space.iter().map(|of| SpaceChange { target: of.target.map(id), ..of.clone() });
        let own = DeviceFacts { targets: own.collect(), space: space.collect(), ..facts.clone() };
        match &mut devices {
            Some(sum) => add(sum, own),
            None => devices = Some(own),
        }
    }
    let starts = || ranks.iter().filter_map(|rank| rank.spans.get(index)?.started_at);
    let apart = starts().max().zip(starts().min()).map_or(0, |(last, first)| last.abs_diff(first));
    if let Some(facts) = &mut devices {
        // So long the device worked for some of them only.
        facts.elapsed = facts.elapsed.saturating_add(apart.saturating_mul(1_000_000));
    }
    all.observed = devices.map(|facts| Observations { devices: Some(facts), ..Observations::default() });
    all
}

/// Adds one rank's observation of the same devices. Device counters are the same for all ranks, so they
/// count once.
fn add(all: &mut DeviceFacts, other: DeviceFacts) {
    let larger = |a: Option<u64>, b: Option<u64>| a.max(b);
    let places = all.targets.iter().enumerate().map(|(place, known)| (known.target, place));
    // The first of several with an id has its place.
    let mut places: HashMap<TargetId, usize> = places.rev().collect();
    for target in other.targets {
        match places.get(&target.target) {
            Some(place) => {
                let known = &mut all.targets[*place];
                known.unwritten_before = larger(known.unwritten_before, target.unwritten_before);
                known.unwritten = larger(known.unwritten, target.unwritten);
                known.flush = larger(known.flush, target.flush);
                known.write_error = known.write_error.or(target.write_error);
            }
            None => {
                places.insert(target.target, all.targets.len());
                all.targets.push(target);
            }
        }
    }
    for device in other.devices {
        if !all.devices.iter().any(|known| known.name == device.name) {
            all.devices.push(device);
        }
    }
    for change in other.space {
        if !all.space.iter().any(|known| (known.target, &known.device) == (change.target, &change.device)) {
            all.space.push(change);
        }
    }
    for mount in other.remote {
        if !all.remote.iter().any(|known| known.name == mount.name) {
            all.remote.push(mount);
        }
    }
    all.process = all.process.zip(other.process).map(|(mut sum, own)| {
        sum.read_bytes = sum.read_bytes.saturating_add(own.read_bytes);
        sum.write_bytes = sum.write_bytes.saturating_add(own.write_bytes);
        sum.cancelled_write_bytes = sum.cancelled_write_bytes.saturating_add(own.cancelled_write_bytes);
        sum.read_calls = sum.read_calls.saturating_add(own.read_calls);
        sum
    });
    all.elapsed = all.elapsed.max(other.elapsed);
}
