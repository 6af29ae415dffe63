//! Tests of devices' self-reported state, and the conclusions: limits of volumes, heat, errors.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::recorded;
use diskspd::checks::{Finding, Judgement, judge};
use diskspd::engines::EngineKind;
use diskspd::finding::Severity;
use diskspd::machine::device_log::{
    DeviceLogDelta, Health, LogPage, LogSource, MediaCounters, VolumeCounters,
};
use diskspd::machine::threads::ThreadTimes;
use diskspd::profile::PlacementList;
use diskspd::results::{Limiter, Observations, Record, ResourceUsage, WorkerUsage, summarize};
use std::sync::OnceLock;

const SECOND: u64 = 1_000_000_000;

/// A simulated run of two seconds at depth 8.
fn simulated() -> &'static Record {
    static RUN: OnceLock<Record> = OnceLock::new();
    RUN.get_or_init(|| recorded("-c1G -r -W0 -d2 -o8 --engine sim x"))
}

fn judged(statements: Vec<DeviceLogDelta>) -> Judgement {
    judged_of(simulated().clone(), statements)
}

fn judged_of(mut record: Record, statements: Vec<DeviceLogDelta>) -> Judgement {
    let times = ThreadTimes { busy: SECOND / 10, user: SECOND / 100, ..ThreadTimes::default() };
    let worker = WorkerUsage {
        engine: EngineKind::Uring,
        depth: 8,
        cpu: None,
        affinity_change: None,
        times: Some(times),
    };
    let effort = Some(ResourceUsage { workers: vec![worker], ..ResourceUsage::default() });
    record.hosts[0].results.time_spans[0].observed =
        Some(Observations { device_logs: statements, resource_usage: effort, ..Observations::default() });
    judge(&record, &summarize(&record))
}

fn statement(source: LogSource, before: Option<LogPage>, after: Option<LogPage>) -> DeviceLogDelta {
    let refused = before.is_none().then(|| "only root may read them".to_owned());
    DeviceLogDelta {
        device: "nvme1n1".into(),
        source,
        before,
        after,
        interval_ns: 2 * SECOND,
        error: refused,
    }
}

/// Returns an EBS volume with these counts between both readings.
fn volume(counted: VolumeCounters) -> DeviceLogDelta {
    let before = VolumeCounters { reads: 1000, over_volume_iops_us: 77, ..VolumeCounters::default() };
    let after = VolumeCounters {
        reads: before.reads + counted.reads,
        over_volume_iops_us: before.over_volume_iops_us + counted.over_volume_iops_us,
        ..counted
    };
    statement(LogSource::Ebs, Some(LogPage::Volume(before)), Some(LogPage::Volume(after)))
}

fn health(before: Health, after: Health) -> DeviceLogDelta {
    statement(LogSource::NvmeHealth, Some(LogPage::Health(before)), Some(LogPage::Health(after)))
}

fn limiter(judgement: &Judgement) -> Option<Limiter> {
    judgement.limits[0].as_ref().unwrap().limited_by
}

/// Returns name and message of the findings about device logs.
fn log_messages(judgement: &Judgement) -> Vec<(&str, &str)> {
    let names = ["limited-by-volume-limit", "volume-limit-exceeded", "thermal-throttling", "media-errors"];
    let names = [&names[..], &["device-critical", "device-worn"]].concat();
    let of = |finding: &&Finding| names.contains(&finding.name);
    judgement.findings.iter().filter(of).map(|found| (found.name, found.message.as_str())).collect()
}

#[test]
fn volume_at_its_limit_is_the_limit() {
    for (us, expected) in
        [(1_000_000, Limiter::VolumeLimit), (999_999, Limiter::Storage), (0, Limiter::Storage)]
    {
        let found = judged(vec![volume(VolumeCounters { over_volume_iops_us: us, ..Default::default() })]);
        assert_eq!(limiter(&found), Some(expected), "{us}");
    }
    let found = judged(vec![volume(VolumeCounters { over_volume_iops_us: 1_680_000, ..Default::default() })]);
    let message = "limited by the volume's IOPS limit: it held I/Os back for 1.7 of 2.0 s, as nvme1n1 reports (Amazon \
        EBS)";
    assert_eq!(log_messages(&found), [("limited-by-volume-limit", message)]);
    assert_eq!(found.findings.iter().filter(|finding| Limiter::is_name(finding.name)).count(), 1);
}

#[test]
fn each_volume_limit_has_its_name() {
    let whole = 2_000_000;
    let one = VolumeCounters::default;
    for (counted, expected) in [
        (VolumeCounters { over_volume_iops_us: whole, ..one() }, "the volume's IOPS limit"),
        (VolumeCounters { over_volume_throughput_us: whole, ..one() }, "the volume's throughput limit"),
        (VolumeCounters { over_instance_iops_us: whole, ..one() }, "the instance's IOPS limit"),
        (VolumeCounters { over_instance_throughput_us: whole, ..one() }, "the instance's throughput limit"),
    ] {
        let found = judged(vec![volume(counted)]);
        assert!(log_messages(&found)[0].1.contains(expected), "{:?}", log_messages(&found));
    }
    // Two at a time: the longer one limits, the other is told beside it.
    let both =
        VolumeCounters { over_volume_iops_us: 1_200_000, over_instance_throughput_us: 1_800_000, ..one() };
    let found = judged(vec![volume(both)]);
    let names: Vec<_> = log_messages(&found).iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["limited-by-volume-limit", "volume-limit-exceeded"]);
    assert!(
        log_messages(&found)[0].1.contains("the instance's throughput limit"),
        "{:?}",
        log_messages(&found)
    );
}

#[test]
fn brief_limit_is_reported_and_shorter_is_not() {
    let names = |us| {
        let found = judged(vec![volume(VolumeCounters { over_volume_iops_us: us, ..Default::default() })]);
        assert_eq!(limiter(&found), Some(Limiter::Storage));
        log_messages(&found).iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(20_000), ["volume-limit-exceeded"]);
    assert!(names(19_999).is_empty());
}

#[test]
fn unknown_health_is_reported_without_conclusion() {
    let storage = |found: &Judgement| {
        let limit = found.findings.iter().find(|finding| finding.name == "limited-by-storage").unwrap();
        limit.evidence.join("; ")
    };
    let refused = judged(vec![statement(LogSource::NvmeHealth, None, None)]);
    assert!(
        storage(&refused).contains("(NVMe health) are unavailable: only root may read them"),
        "{}",
        storage(&refused)
    );
    // Attached anew meanwhile: its counters are those of another volume.
    let (before, after) = (VolumeCounters { reads: 5, ..Default::default() }, VolumeCounters::default());
    let after = VolumeCounters { over_volume_iops_us: u64::MAX, ..after };
    let anew = statement(LogSource::Ebs, Some(LogPage::Volume(before)), Some(LogPage::Volume(after)));
    let anew = judged(vec![anew]);
    assert!(storage(&anew).contains("its counters were reset during the run"), "{}", storage(&anew));
    assert!(log_messages(&anew).is_empty());
    // No device that says anything: as ever.
    assert!(!storage(&judged(Vec::new())).contains("says of itself"));
}

#[test]
fn media_wear_errors_and_states_are_reported_by_change() {
    let new = Health { kelvin: 310, spare: 100, ..Health::default() };
    assert!(log_messages(&judged(vec![health(new.clone(), new.clone())])).is_empty());
    let hot = Health { light_throttles: 2, light_throttled_s: 5, kelvin: 353, ..new.clone() };
    let found = judged(vec![health(new.clone(), hot.clone())]);
    let message = "nvme1n1 throttled itself 2 times because of heat: 5 s lightly and 0 s heavily";
    assert_eq!(log_messages(&found), [("thermal-throttling", message)]);
    // Slow already, and still.
    let still = Health { light_throttled_s: 7, ..hot.clone() };
    assert_eq!(log_messages(&judged(vec![health(hot.clone(), still)]))[0].0, "thermal-throttling");
    assert!(log_messages(&judged(vec![health(hot.clone(), hot)])).is_empty());

    let errors = Health { media_errors: 3, ..new.clone() };
    assert_eq!(log_messages(&judged(vec![health(new.clone(), errors.clone())]))[0].0, "media-errors");
    assert!(log_messages(&judged(vec![health(errors.clone(), errors.clone())])).is_empty(), "old ones");
    assert!(log_messages(&judged(vec![health(errors, new.clone())])).is_empty(), "another device");

    let critical = Health { critical: 0b100, ..new.clone() };
    let since = log_messages(&judged(vec![health(new.clone(), critical.clone())]))[0].1.to_owned();
    assert!(
        since.ends_with("no longer reliable, because of media errors or an internal error, since this run")
    );
    let before = log_messages(&judged(vec![health(critical.clone(), critical)]))[0].1.to_owned();
    assert!(before.ends_with("internal error"), "{before}");
    let unknown = Health { critical: 0x80, ..new.clone() };
    assert!(
        log_messages(&judged(vec![health(new.clone(), unknown)]))[0].1.contains("unknown to this program")
    );

    for (used, expected) in [(99, 0), (100, 1), (255, 1)] {
        let found = judged(vec![health(new.clone(), Health { used, ..new.clone() })]);
        let worn: Vec<_> = found.findings.iter().filter(|finding| finding.name == "device-worn").collect();
        assert_eq!(worn.len(), expected, "{used}");
        assert!(worn.iter().all(|finding| finding.severity == Severity::Note));
    }
}

#[test]
fn media_writes_are_related_to_host_writes() {
    let counted = |host_bytes, media_bytes, erased_bytes| {
        Some(LogPage::Media(MediaCounters { host_bytes, media_bytes, erased_bytes }))
    };
    let written = |record: &Record, before, after| {
        let found = judged_of(record.clone(), vec![statement(LogSource::Placement, before, after)]);
        found.findings.into_iter().find(|finding| finding.name == "write-amplification")
    };
    let plain = simulated();
    let mut placed = plain.clone();
    placed.profile.time_spans[0].targets[0].fdp = PlacementList(vec![1]);
    for (record, answers) in [(plain, false), (&placed, true)] {
        let found = written(record, counted(7 << 30, 9 << 30, 0), counted(11 << 30, 15 << 30, 2 << 30));
        let found = found.unwrap();
        let message = "write amplification 1.50, as nvme1n1 reports: it wrote 6GiB to its media for 4GiB of \
            hosts (FDP statistics)";
        assert_eq!((found.message.as_str(), found.severity), (message, Severity::Note));
        assert_eq!(found.answers, answers);
        assert!(found.evidence[0].starts_with("2GiB of the media were erased in 2.0 s"), "{found:?}");
    }
    assert_eq!(written(plain, counted(7, 9, 0), counted(7, 12, 0)), None, "no data was written");
    assert_eq!(written(plain, counted(7, 9, 0), counted(6, 9, 0)), None, "they began anew");
    assert_eq!(written(plain, None, None), None);
    let unknown = judged(vec![statement(LogSource::Placement, None, None)]);
    let storage = unknown.findings.iter().find(|finding| finding.name == "limited-by-storage").unwrap();
    assert!(storage.evidence.join("; ").contains("(FDP statistics) are unavailable"), "{storage:?}");
}
