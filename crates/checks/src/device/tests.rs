//! Simulated runs with device and process counters, and the findings for several targets. `relations`
//! covers single targets.

#[cfg(test)]
mod changes;
#[cfg(test)]
mod flushes;
#[cfg(test)]
mod programs;
#[cfg(test)]
mod relations;
#[cfg(test)]
mod remote;
#[cfg(test)]
mod space;
#[cfg(test)]
mod volumes;
#[cfg(test)]
mod work;
#[cfg(test)]
mod zeroes;

use super::*;
use crate::{Judgement, Severity, judge as judge_record};
use Severity::*;
use Verdict::*;
use diskspd_machine::System;
use diskspd_machine::arrays::{ArrayFacts, ArrayMaintenance};
use diskspd_machine::io_counters::{Activity, CacheGrowth, DeviceActivity, Flow, OwnIo, TargetDevices};
use diskspd_machine::memory_backed::InMemory;
use diskspd_machine::stack::{Layer, LayerKind, Stack, Traits};
use diskspd_profile::{CacheMode, Profile, Target, TargetId, TimeSpan};
use diskspd_results::{
    DirectionResults, Observations, Record, Results, SpanResults, TargetResults, ThreadResults,
};

const MIB: u64 = 1 << 20;
const BLOCK: u64 = 4096;

type Bytes = (u64, u64);

/// A run on one target; by default it reads 4 KiB blocks past the cache, one at a time, for a second, on a
/// disk that does exactly that.
#[derive(Clone)]
struct Case {
    file_system: bool,
    buffered: bool,
    counted: Bytes,
    devices: Vec<(Layer, Bytes, u64)>,
    own: Option<u64>,
    unwritten: (u64, u64),
    file_unwritten: Option<(u64, u64)>,
    came: Option<u64>,
    depth: u32,
    block: u64,
    durable: bool,
    /// Whether random data is written instead of the program's pattern.
    random: bool,
    /// Empty kernel writes and flushes of each device; `None` without a cache.
    flushes: Option<(u64, Option<u64>)>,
    /// Excess of the readings' duration over the window in ns.
    slack: u64,
    switched: bool,
    /// Total time in flight of each device's I/Os.
    queue_ms: u64,
    arrays: Vec<ArrayFacts>,
}

fn sample_layer(name: &str, on: &[&str]) -> Layer {
    let on = on.iter().map(|name| name.to_string()).collect();
    Layer { name: name.into(), lower_devices: on, one_to_one: true, statistics: true, ..Layer::default() }
}

/// Returns a run with these reads and writes on one disk, which performs the same.
fn run(counted: Bytes) -> Case {
    Case {
        file_system: false,
        buffered: false,
        counted,
        devices: vec![(sample_layer("sda", &[]), counted, BLOCK)],
        own: Some(counted.0),
        unwritten: (0, 0),
        file_unwritten: None,
        came: None,
        depth: 1,
        block: BLOCK,
        durable: false,
        random: false,
        flushes: None,
        slack: 0,
        switched: false,
        queue_ms: 0,
        arrays: Vec::new(),
    }
}

impl Case {
    fn with_device(mut self, did: Bytes) -> Case {
        self.devices[0].1 = did;
        self
    }

    fn of_size(mut self, bytes: u64) -> Case {
        self.devices[0].2 = bytes;
        self
    }

    fn with_lower_device(mut self, name: &str, did: Bytes) -> Case {
        let upper = &mut self.devices.last_mut().unwrap().0;
        upper.lower_devices = vec![name.into()];
        self.devices.push((sample_layer(name, &[]), did, BLOCK));
        self
    }

    fn change_first(mut self, change: impl FnOnce(&mut Layer)) -> Case {
        change(&mut self.devices[0].0);
        self
    }

    fn change_last(mut self, change: impl FnOnce(&mut Layer)) -> Case {
        change(&mut self.devices.last_mut().unwrap().0);
        self
    }

    fn with_flushes(mut self, empty: u64, flushes: impl Into<Option<u64>>) -> Case {
        let traits = Traits { write_back: Some(true), ..Traits::default() };
        self.devices.iter_mut().for_each(|(layer, ..)| layer.queue_limits = Some(traits));
        Case { durable: true, flushes: Some((empty, flushes.into())), ..self }
    }

    fn of_block(self, block: u64) -> Case {
        Case { block, ..self }
    }

    fn on_file(self) -> Case {
        Case { file_system: true, ..self }
    }

    fn in_cache(self) -> Case {
        Case { file_system: true, buffered: true, ..self }
    }

    fn build_target(&self, path: &str) -> TargetDevices {
        let stack = Stack {
            file_system: self.file_system.then(|| "ext4".into()),
            top_devices: self.devices.first().map(|(layer, ..)| layer.name.clone()).into_iter().collect(),
            layers: self.devices.iter().map(|(layer, ..)| layer.clone()).collect(),
            no_device_reason: self.devices.is_empty().then(|| "it lies in memory".into()),
            ..Stack::default()
        };
        let (before, after) = self.file_unwritten.unzip();
        let cached =
            self.came.map(|after| CacheGrowth { before: MIB, after: after.saturating_add(MIB), evicted: 0 });
        let (unwritten_before, unwritten, flush) = (before, after, None);
        let target = id(path);
        TargetDevices {
            target,
            stack,
            unwritten_before,
            unwritten,
            cached,
            flush,
            ..TargetDevices::default()
        }
    }

    fn find_names(&self, change: impl FnOnce(&mut DeviceFacts)) -> Vec<(&'static str, Severity)> {
        let mut facts = self.device_facts(vec![self.build_target("a")]);
        change(&mut facts);
        let findings = judgement_of(vec![self.build_results("a")], facts).findings.into_iter();
        findings.map(|finding| (finding.name, finding.severity)).collect()
    }

    fn judge_case(&self) -> SpanVerdict {
        let (results, asked) = self.build_results("a");
        verdict_of(vec![(results, asked)], self.device_facts(vec![self.build_target("a")]))
    }

    fn device_facts(&self, targets: Vec<TargetDevices>) -> DeviceFacts {
        let flow = |bytes: u64, size: u64| Flow { ios: bytes / size, merges: 0, bytes };
        let (empty, flushes) = self.flushes.unwrap_or_default();
        let wrote = |bytes: u64, size: u64| Flow { ios: bytes / size + empty, merges: 0, bytes };
        let activity = |(layer, did, size): &(Layer, Bytes, u64)| DeviceActivity {
            name: layer.name.clone(),
            activity: Activity {
                read: flow(did.0, *size),
                write: wrote(did.1, *size),
                flushes,
                queue_ms: self.queue_ms,
                ..Activity::default()
            },
            has_statistics: *did != (0, 0),
            statistics_switched: self.switched && layer.name == "sda",
            ..DeviceActivity::default()
        };
        DeviceFacts {
            targets,
            devices: self.devices.iter().map(activity).collect(),
            arrays: self.arrays.clone(),
            process: self.own.map(|read_bytes| OwnIo { read_bytes, ..OwnIo::default() }),
            unwritten: Some(self.unwritten),
            elapsed: SECOND + self.slack,
            ..DeviceFacts::default()
        }
    }

    fn build_results(&self, path: &str) -> (TargetResults, Target) {
        let direction =
            |bytes| DirectionResults { bytes, ios: bytes / self.block, ..DirectionResults::default() };
        let (read, write) = (direction(self.counted.0), direction(self.counted.1));
        let results = TargetResults { target: id(path), read, write, ..TargetResults::default() };
        let cache_mode = if self.buffered { CacheMode::Cached } else { CacheMode::DisableOsCache };
        let (block_size, request_count) = (self.block as u32, self.depth);
        let path = path.into();
        let write_through = self.durable;
        let source = diskspd_profile::RandomDataSource { size: 1, path: None };
        let random_data_source = self.random.then_some(source);
        (
            results,
            Target {
                path,
                cache_mode,
                block_size,
                request_count,
                write_through,
                random_data_source,
                ..Target::default()
            },
        )
    }
}

/// Returns 0 for `a`, the first target, and 1 for the second.
fn id(path: &str) -> TargetId {
    TargetId(u32::from(path == "b"))
}

const SECOND: u64 = 1_000_000_000;

fn verdict_of(targets: Vec<(TargetResults, Target)>, facts: DeviceFacts) -> SpanVerdict {
    judgement_of(targets, facts).verdicts.remove(0)
}

fn judgement_of(targets: Vec<(TargetResults, Target)>, facts: DeviceFacts) -> Judgement {
    let record = record_of(targets, facts);
    judge_record(&record, &diskspd_results::summarize(&record))
}

fn record_of(targets: Vec<(TargetResults, Target)>, facts: DeviceFacts) -> Record {
    let (results, asked): (Vec<TargetResults>, Vec<Target>) = targets.into_iter().unzip();
    let threads =
        results.into_iter().map(|target| ThreadResults { targets: vec![target], ..ThreadResults::default() });
    let span = SpanResults {
        measured: SECOND,
        threads: threads.collect(),
        observed: Some(Observations { devices: Some(facts), ..Observations::default() }),
        ..SpanResults::default()
    };
    let profile = Profile {
        time_spans: vec![TimeSpan { targets: asked, ..TimeSpan::default() }],
        ..Profile::default()
    };
    Record::new(profile, System::default(), Results { time_spans: vec![span] })
}

#[test]
fn targets_on_one_device_are_judged_by_their_sum() {
    let each = run((50 * MIB, 0));
    let both = each.clone().with_device((100 * MIB, 0));
    let facts = Case { own: Some(100 * MIB), ..both.clone() }
        .device_facts(vec![both.build_target("a"), both.build_target("b")]);
    let found = verdict_of(vec![each.build_results("a"), each.build_results("b")], facts);
    assert_eq!((found.verdict, found.parts.len()), (Verified, 1), "{found:#?}");
    assert_eq!(found.parts[0].targets, ["a".into(), "b".into()]);
    assert_eq!(found.parts[0].read.unwrap().counted_bytes, 100 * MIB);
}

#[test]
fn one_cached_target_of_two_is_reported() {
    let honest = run((1000 * MIB, 0));
    let judged = |lying: Case| {
        let facts = Case { own: Some(1000 * MIB), ..honest.clone() };
        let facts = facts.device_facts(vec![honest.build_target("a"), lying.build_target("b")]);
        verdict_of(vec![honest.build_results("a"), lying.build_results("b")], facts)
    };
    let small = run((50 * MIB, 0)).in_cache();
    let told = judged(Case { came: Some(MIB), ..small.clone() });
    assert_eq!((told.verdict, told.severity), (Cached, Some(Wrong)), "{told:#?}");
    let said = &told.parts[0].message;
    assert!(
        said.starts_with("'b' was served from the page cache, not by the device: of the 50 MiB"),
        "{said}"
    );
    let fine = judged(Case { came: Some(51 * MIB), ..small.clone() });
    assert_eq!((fine.verdict, fine.severity), (Verified, None), "{fine:#?}");
    // Without separate counts only the sum is known, which is reported.
    let sum = judged(small);
    assert_eq!(sum.verdict, Verified, "{sum:#?}");
    assert!(sum.parts[0].message.ends_with("; 2 targets together"), "{sum:#?}");
    let left = run((0, 50 * MIB)).in_cache();
    let left = judged(Case { file_unwritten: Some((0, 49 * MIB)), ..left });
    assert_eq!((left.verdict, left.severity), (Deferred, Some(Wrong)), "{left:#?}");
}

#[test]
fn targets_on_different_devices_have_separate_verdicts() {
    let fine = run((100 * MIB, 0));
    let mut cached = run((100 * MIB, 0)).in_cache().with_device((0, 0));
    cached.devices[0].0.name = "sdb".into();
    let mut facts = fine.device_facts(vec![fine.build_target("a"), cached.build_target("b")]);
    facts.devices.extend(cached.device_facts(vec![]).devices);
    let found = verdict_of(vec![fine.build_results("a"), cached.build_results("b")], facts);
    assert_eq!((found.verdict, found.severity), (Cached, Some(Wrong)));
    let said: Vec<_> = found.parts.iter().map(|part| (part.targets[0].to_string(), part.verdict)).collect();
    assert_eq!(said, [("b".to_string(), Cached), ("a".to_string(), Verified)]);
}

#[test]
fn foreign_reads_are_found_from_excess_device_reads() {
    let fine = run((100 * MIB, 0));
    let mut busy = run((100 * MIB, 0)).with_device((200 * MIB, 0));
    busy.devices[0].0.name = "sdb".into();
    let mut facts = fine.device_facts(vec![fine.build_target("a"), busy.build_target("b")]);
    facts.devices.extend(busy.device_facts(vec![]).devices);
    facts.process = Some(OwnIo { read_bytes: 200 * MIB, ..OwnIo::default() });
    let found = verdict_of(vec![fine.build_results("a"), busy.build_results("b")], facts);
    let said: Vec<_> = found.parts.iter().map(|part| (part.targets[0].to_string(), part.verdict)).collect();
    assert_eq!(said, [("b".to_string(), Shared), ("a".to_string(), Verified)]);
}

#[test]
fn file_and_its_disk_are_counted_once() {
    let disk = run((100 * MIB, 0)).with_device((150 * MIB, 0));
    let file = run((50 * MIB, 0)).on_file().change_first(|layer| layer.name = "sda1".into());
    let mut on_disk = file.build_target("b");
    on_disk.stack.layers[0].lower_devices = vec!["sda".into()];
    on_disk.stack.layers.push(sample_layer("sda", &[]));
    let mut facts = disk.device_facts(vec![disk.build_target("a"), on_disk]);
    facts.devices.extend(file.device_facts(vec![]).devices);
    facts.process = Some(OwnIo { read_bytes: 150 * MIB, ..OwnIo::default() });
    let found = verdict_of(vec![disk.build_results("a"), file.build_results("b")], facts);
    assert_eq!((found.verdict, found.parts.len()), (Verified, 1), "{found:#?}");
    assert_eq!(found.parts[0].devices, ["sda"]);
}

#[test]
fn secondary_deviations_are_listed_as_evidence() {
    let case = Case { own: Some(0), ..run((100 * MIB, 0)).in_cache().with_device((100 * MIB, 0)) };
    let found = case.judge_case();
    let is_of_others = |fact: &String| fact.starts_with("also SHARED: others used sda");
    assert!(found.parts[0].evidence.iter().any(is_of_others), "{found:#?}");
}

#[test]
fn edited_records_are_judged_without_panic() {
    let all = (u64::MAX, u64::MAX);
    let claims = |case: Case| Case {
        unwritten: (u64::MAX, 0),
        file_unwritten: Some(all),
        slack: u64::MAX / 2,
        depth: u32::MAX,
        own: Some(u64::MAX),
        ..case
    };
    for case in [
        run(all),
        run((1, 1)).with_device(all),
        run(all).in_cache().with_lower_device("disk", all),
        run(all).with_lower_device("disk", (0, 0)),
    ] {
        let claimed = claims(case.clone());
        claimed.judge_case();
        let twice = vec![claimed.build_target("a"), claimed.build_target("b")];
        verdict_of(vec![claimed.build_results("a"), claimed.build_results("b")], claimed.device_facts(twice));
        Case { own: None, ..claimed }.judge_case();
    }
}
