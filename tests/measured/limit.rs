//! Tests of the limits of a run, and of the consistency of latencies and queue depth.

#![allow(clippy::unwrap_used, clippy::panic)]

mod staged;

use crate::common::samples::is_sample;
use crate::common::{Ended, alone, calm, calm_diskspd as diskspd, command_of, skip};
use diskspd::checks::{Finding, Judgement, Limiter, Severity, judge};
use diskspd::engines::EngineKind;
use diskspd::formats::json;
use diskspd::machine::environment::{Disk, Environment};
use diskspd::machine::io_counters::{Activity, DeviceActivity, DeviceFacts, Flow, TargetDevices};
use diskspd::machine::stack::{Layer, Stack};
use diskspd::machine::storage::BlockDevice;
use diskspd::machine::tasks::{OtherTasks, Task};
use diskspd::machine::threads::ThreadTimes;
use diskspd::machine::{CpuNode, io_limit, quota};
use diskspd::profile::{ReplayOptions, TargetId};
use diskspd::results::{
    AffinityChange, CpuInterrupts, CpuTimes, Delays, DeviceInterrupts, LimitChange, LostTimes, Observations,
    Record, ResourceUsage, Sample, TickCounts, WorkerUsage, summarize,
};
use diskspd::stats::PackedCounts;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static RECORDS: Mutex<BTreeMap<String, Record>> = Mutex::new(BTreeMap::new());

/// Returns a record of a simulated second of this line on two CPUs.
fn record(line: &str) -> Record {
    if let Some(known) = RECORDS.lock().unwrap().get(line) {
        return known.clone();
    }
    let record = simulated(line);
    RECORDS.lock().unwrap().insert(line.to_owned(), record.clone());
    record
}

fn simulated(line: &str) -> Record {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("r.json");
    let line = format!("-c1G -b4K -r -W0 -d1 --engine sim --out {} {line} x", file.display());
    diskspd(&line, Path::new("")).succeeds();
    let mut record = json::read(&fs::read(file).unwrap()).unwrap();
    let topology = &mut record.hosts[0].system.topology;
    topology.groups.truncate(1);
    (topology.groups[0].mask, topology.groups[0].active) = (3, 2);
    record.hosts[0].results.time_spans[0].cpus = vec![CpuTimes { idle: 1, ..CpuTimes::default() }; 2];
    record
}

const SECOND: u64 = 1_000_000_000;

fn share(percent: u64) -> u64 {
    percent * SECOND / 100
}

fn worker(engine: EngineKind, depth: u32, (busy, user, waiting): (u64, u64, u64)) -> WorkerUsage {
    let (busy, user) = (share(busy), share(user));
    WorkerUsage {
        engine,
        depth,
        cpu: None,
        affinity_change: None,
        times: Some(ThreadTimes { busy, run_delay: Some(share(waiting)), user, system: busy - user }),
    }
}

fn judged(mut record: Record, effort: ResourceUsage) -> Judgement {
    record.hosts[0].results.time_spans[0].observed =
        Some(Observations { resource_usage: Some(effort), ..Observations::default() });
    judge(&record, &summarize(&record))
}

fn effort(workers: Vec<WorkerUsage>) -> ResourceUsage {
    ResourceUsage { workers, ..ResourceUsage::default() }
}

#[test]
fn limiter_follows_from_used_resources() {
    use EngineKind::{Mmap, Null, Sync, Uring};
    use Limiter::*;
    let quota = |throttled_periods, throttled| quota::CpuQuota {
        group: "/sys/fs/cgroup/a".into(),
        cpus: 0.5,
        periods: 100,
        throttled_periods,
        throttled,
    };
    let with_quota =
        |q: quota::CpuQuota| ResourceUsage { quotas: vec![q], ..effort(vec![worker(Uring, 4, (20, 5, 0))]) };
    // 4 I/Os outstanding on the simulated drive: 48,000 reads of 4 KiB per second.
    let with_limit = |reads, read_bytes, writes| ResourceUsage {
        io_limits: vec![io_limit::IoLimit {
            device: "8:0".into(),
            reads,
            read_bytes,
            writes,
            ..io_limit::IoLimit::default()
        }],
        ..effort(vec![worker(Uring, 4, (20, 5, 0))])
    };
    for (line, effort, limiter, severity) in [
        ("-o4", effort(vec![worker(Uring, 4, (20, 5, 3))]), Storage, Severity::Note),
        ("-o1", effort(vec![worker(Sync, 1, (30, 10, 0))]), Depth, Severity::Note),
        ("-o1 -t2", effort(vec![worker(Sync, 1, (30, 10, 0)); 2]), Storage, Severity::Note),
        ("-o4", effort(vec![worker(Uring, 4, (98, 10, 1))]), Cpu, Severity::Note),
        (
            "-o4 -t2",
            effort(vec![worker(Uring, 4, (97, 9, 1)), worker(Uring, 4, (9, 3, 0))]),
            Cpu,
            Severity::Note,
        ),
        ("-o4", effort(vec![worker(Uring, 4, (98, 80, 1))]), Tool, Severity::Warning),
        ("-o4", effort(vec![worker(Mmap, 4, (98, 80, 1))]), Cpu, Severity::Note),
        ("-o4", effort(vec![worker(Null, 4, (98, 95, 1))]), Tool, Severity::Note),
        ("-o4", effort(vec![worker(Null, 4, (60, 55, 1))]), Tool, Severity::Note),
        ("-o4", effort(vec![worker(Uring, 4, (60, 10, 38))]), BusyCpus, Severity::Warning),
        // Nothing is done while a thread waits that has one I/O at a time.
        ("-o1", effort(vec![worker(Sync, 1, (20, 10, 25))]), BusyCpus, Severity::Warning),
        ("-o1", effort(vec![worker(Sync, 1, (20, 10, 8))]), Depth, Severity::Note),
        ("-o1 -t2", effort(vec![worker(Sync, 1, (20, 10, 25)); 2]), BusyCpus, Severity::Warning),
        ("-o1 -g1000i", effort(vec![worker(Sync, 1, (20, 10, 25))]), Profile, Severity::Note),
        // Much work waits for a CPU, but the thread has time left.
        ("-o4", effort(vec![worker(Uring, 4, (20, 10, 25))]), Storage, Severity::Note),
        ("-o4", with_quota(quota(30, share(10))), CpuQuota, Severity::Warning),
        ("-o4", with_quota(quota(12, SECOND / 1000)), CpuQuota, Severity::Warning),
        ("-o4", with_quota(quota(2, SECOND / 1000)), Storage, Severity::Note),
        ("-o4 -g1000i", with_quota(quota(30, share(10))), CpuQuota, Severity::Warning),
        ("-o4 -g1000i", effort(vec![worker(Uring, 4, (20, 5, 3))]), Profile, Severity::Note),
        ("-o4 -g1000", effort(vec![worker(Uring, 4, (20, 5, 3))]), Profile, Severity::Note),
        ("-o4 -g900000i", effort(vec![worker(Uring, 4, (20, 5, 3))]), Storage, Severity::Note),
        ("-o4 -i10 -j5", effort(vec![worker(Uring, 4, (20, 5, 3))]), Profile, Severity::Note),
        // The devices beneath the target are not known.
        ("-o4", with_limit(Some(48_000), None, None), Storage, Severity::Note),
    ] {
        let told = format!("{line}: {effort:?}");
        let judgement = judged(record(line), effort);
        assert_eq!(judgement.limits[0].as_ref().unwrap().limited_by, Some(limiter), "{told}");
        let finding = judgement.findings.iter().find(|finding| Limiter::is_name(finding.name)).unwrap();
        assert_eq!(finding.severity, severity, "{told}");
    }
}

/// A limit applies only to its device, and only to a kind of I/O that reached it.
#[test]
fn limits_of_unrelated_devices_are_ignored() {
    let limit = |device: &str, reads, read_bytes, writes| io_limit::IoLimit {
        device: device.into(),
        reads,
        read_bytes,
        writes,
        ..io_limit::IoLimit::default()
    };
    // 48,000 reads of 4 KiB per second. The device did this share of them.
    for (limit, share, limiter) in [
        (limit("8:0", Some(48_000), None, None), 1.0, Limiter::IoLimit),
        (limit("8:0", None, Some(48_000 * 4096), None), 1.0, Limiter::IoLimit),
        (limit("8:0", Some(90_000), None, Some(48_000)), 1.0, Limiter::Storage),
        (limit("8:16", Some(48_000), None, None), 1.0, Limiter::Storage),
        (limit("", Some(48_000), None, None), 1.0, Limiter::Storage),
        // Most of it came from memory.
        (limit("8:0", Some(48_000), None, None), 0.1, Limiter::Storage),
        (limit("8:0", Some(48_000), None, None), 0.0, Limiter::Storage),
    ] {
        let mut record = on_device("-o4", 3.9, 1, share);
        let observed = record.hosts[0].results.time_spans[0].observed.as_mut().unwrap();
        observed.devices.as_mut().unwrap().targets[0].stack.layers[0].number = Some("8:0".into());
        observed.resource_usage.as_mut().unwrap().io_limits = vec![limit.clone()];
        let limits = judge(&record, &summarize(&record)).limits.remove(0).unwrap();
        let is_limit = limits.limited_by == Some(Limiter::IoLimit);
        assert_eq!(is_limit, limiter == Limiter::IoLimit, "{limit:?} {share}: {limits:?}");
        // FUSE, network file systems, memory: nobody knows the devices.
        let devices =
            record.hosts[0].results.time_spans[0].observed.as_mut().unwrap().devices.as_mut().unwrap();
        let stack = &mut devices.targets[0].stack;
        (stack.no_device_reason, stack.layers, stack.top_devices) =
            (Some("FUSE".into()), Vec::new(), Vec::new());
        let limits = judge(&record, &summarize(&record)).limits.remove(0).unwrap();
        assert_ne!(limits.limited_by, Some(Limiter::IoLimit), "{limit:?} {share}: {limits:?}");
    }
}

#[test]
fn unused_depth_is_explained_by_single_ios() {
    for (line, depth, message, remedy) in [
        ("-o1", 1, "limited by the queue depth of 1: ", "raise -o or -t"),
        ("-o4", 4, "limited by one I/O at a time, though -o asks for more: ", "more threads (-t)"),
    ] {
        let judgement = judged(record(line), effort(vec![worker(EngineKind::Sync, depth, (30, 10, 0))]));
        let finding = judgement.findings.iter().find(|finding| finding.name == "limited-by-depth").unwrap();
        assert!(finding.message.starts_with(message), "{}", finding.message);
        let told = finding.remedy.as_deref().unwrap_or_default();
        assert!(told.contains(remedy), "{told}");
    }
}

#[test]
fn recorded_ios_are_limited_by_their_times() {
    let mut record = record("-o4 -g1000i");
    let replay =
        ReplayOptions { speed_thousandths: 1000, ios: 10_000, length_ns: 10 * SECOND, ..Default::default() };
    record.run_options.as_mut().unwrap().replay = Some(replay);
    let judgement = judged(record, effort(vec![worker(EngineKind::Uring, 4, (20, 5, 3))]));
    let finding = judgement.findings.iter().find(|finding| Limiter::is_name(finding.name)).unwrap();
    assert!(finding.name == "limited-by-profile" && finding.message.contains("--replay"), "{finding:?}");
}

#[test]
fn tool_cost_is_a_share_of_cpu() {
    let workers = vec![worker(EngineKind::Uring, 4, (30, 10, 2)), worker(EngineKind::Uring, 4, (10, 0, 4))];
    let record = record("-o4 -t2 -L");
    let ios = summarize(&record).time_spans[0].as_ref().unwrap().total.total.throughput.ios as f64;
    let judgement = judged(record, effort(workers));
    let limits = judgement.limits[0].as_ref().unwrap();
    let near = |value: Option<f64>, expected: f64| value.is_some_and(|v| (v / expected - 1.0).abs() < 1e-9);
    assert!(near(limits.busy, 0.2) && near(limits.busiest, 0.3), "{limits:?}");
    assert!(near(limits.user, 0.05) && near(limits.run_delay, 0.03), "{limits:?}");
    assert!(near(limits.cpu_per_io, 4e8 / ios), "{limits:?}");
    assert!(near(limits.ceiling_iops, ios / 0.2), "{limits:?}");
    assert_eq!(limits.depth, 8);
    assert!(limits.in_flight.is_some_and(|n| (7.9..8.01).contains(&n)), "{limits:?}");
}

#[test]
fn latency_and_depth_agree_or_a_finding_explains() {
    let idle = |engine, depth| effort(vec![worker(engine, depth, (10, 5, 0))]);
    // The simulated device keeps 4 I/Os in flight, whatever the record says of the thread.
    for (line, effort, name, accounted) in [
        ("-o4 -L", idle(EngineKind::Uring, 4), None, Some(1.0)),
        ("-o4", idle(EngineKind::Uring, 4), None, None),
        ("-o4 -L", idle(EngineKind::Uring, 5), Some(("depth-not-reached", Severity::Warning)), Some(0.8)),
        ("-o4 -L", idle(EngineKind::Uring, 3), Some(("latency-accounting", Severity::Warning)), Some(1.333)),
        ("-o19 -L", idle(EngineKind::Uring, 20), Some(("depth-not-reached", Severity::Note)), Some(0.95)),
        ("-o4 -L", idle(EngineKind::Uring, 16), Some(("depth-not-reached", Severity::Note)), Some(0.25)),
        // No closed loop, or one whose latencies mean nothing.
        ("-o4 -L -g100i", idle(EngineKind::Uring, 16), None, None),
        ("-o4 -L -i10 -j100", idle(EngineKind::Uring, 16), None, None),
        ("-o4 -L", idle(EngineKind::Null, 16), None, None),
        ("-o4 -L", idle(EngineKind::Mmap, 4), Some(("depth-not-reached", Severity::Note)), None),
    ] {
        let told = format!("{line}: {:?}", effort.workers);
        let judgement = judged(record(line), effort);
        let found = judgement.limits[0].as_ref().unwrap().in_flight_share;
        match accounted {
            None => assert_eq!(found, None, "{told}"),
            Some(share) => assert!(
                found.is_some_and(|found| (found / share - 1.0_f64).abs() < 0.01),
                "{told}: {found:?}"
            ),
        }
        let names = ["latency-accounting", "depth-not-reached"];
        let finding = judgement.findings.iter().find(|finding| names.contains(&finding.name));
        assert_eq!(finding.map(|finding| (finding.name, finding.severity)), name, "{told}");
    }
}

#[test]
fn unfilled_queue_is_reported_with_submission_cost() {
    let of = |depth, share: (u64, u64, u64)| {
        let judgement = judged(record("-o19 -L"), effort(vec![worker(EngineKind::Uring, depth, share)]));
        let names = ["latency-accounting", "depth-not-reached"];
        judgement.findings.into_iter().find(|finding| names.contains(&finding.name)).unwrap()
    };
    let short = of(20, (50, 5, 3));
    let ios = summarize(&record("-o19 -L")).time_spans[0].as_ref().unwrap().total.total.throughput.ios;
    let cost = format!("submitting and reaping an I/O takes {:.2} us of CPU", 5e5 / ios as f64);
    assert!(short.message.starts_with("19.0 of 20 I/Os were in flight"), "{short:?}");
    assert!(short.evidence[0].starts_with(&cost), "{cost}: {short:?}");
    let crowded = of(20, (50, 5, 30));
    assert_eq!(crowded.evidence.len(), short.evidence.len() + 1, "threads without a CPU: {crowded:?}");
    let impossible = of(15, (50, 5, 3));
    assert!(impossible.name == "latency-accounting" && impossible.severity == Severity::Warning);
}

fn on_device(line: &str, in_flight: f64, merged: u64, bytes: f64) -> Record {
    let mut record = record(line);
    let span = &mut record.hosts[0].results.time_spans[0];
    let counted = &span.threads[0].targets[0].read;
    let done = Activity {
        read: Flow { ios: counted.ios / merged, merges: 0, bytes: (counted.bytes as f64 * bytes) as u64 },
        queue_ms: (in_flight * 1000.0) as u64,
        ..Activity::default()
    };
    let layer = Layer { name: "sda".into(), statistics: true, one_to_one: true, ..Layer::default() };
    let stack = Stack { top_devices: vec!["sda".into()], layers: vec![layer], ..Stack::default() };
    let device = DeviceActivity {
        name: "sda".into(),
        activity: done,
        has_statistics: true,
        ..DeviceActivity::default()
    };
    let facts = DeviceFacts {
        targets: vec![TargetDevices { target: TargetId(0), stack, ..TargetDevices::default() }],
        devices: vec![device],
        elapsed: SECOND,
        ..DeviceFacts::default()
    };
    let effort = Some(effort(vec![worker(EngineKind::Uring, 16, (20, 5, 3))]));
    span.observed =
        Some(Observations { resource_usage: effort, devices: Some(facts), ..Observations::default() });
    record
}

#[test]
fn device_depth_is_compared_with_requested_depth() {
    for (line, in_flight, merged, bytes, told) in [
        ("-o16 -L -Su", 15.5, 1, 1.0, None),
        ("-o16 -L -Su", 8.5, 1, 1.0, None),
        ("-o16 -L -Su", 4.0, 1, 1.0, Some("the device had 4.0 of 16 outstanding I/Os in flight")),
        ("-o16 -Su", 4.0, 1, 1.0, Some("the device had 4.0 of 16 outstanding I/Os in flight")),
        // Each of the device's is four of ours.
        ("-o16 -Su", 4.0, 4, 1.0, None),
        ("-o16 -Su", 1.0, 4, 1.0, Some("the device had 4.0 of 16 outstanding I/Os in flight")),
        // Served from the page cache, no closed loop, no clock.
        ("-o16", 4.0, 1, 1.0, None),
        ("-o16 -Su", 4.0, 1, 0.5, None),
        ("-o16 -Su -g100i", 0.1, 1, 1.0, None),
        ("-o16 -Su", 0.0, 1, 1.0, None),
    ] {
        let record = on_device(line, in_flight, merged, bytes);
        let finding = found(&record, "device-depth");
        let case = format!("{line}, {in_flight}, {merged}, {bytes}: {finding:?}");
        match told {
            None => assert_eq!(finding, None, "{case}"),
            Some(words) => assert!(finding.is_some_and(|finding| finding.message.contains(words)), "{case}"),
        }
        let limits = judge(&record, &summarize(&record)).limits.remove(0).unwrap();
        assert_eq!(limits.device_in_flight, (in_flight > 0.0).then_some(in_flight), "{case}");
    }
    let mut record = on_device("-o16 -L -Su", 4.0, 1, 1.0);
    let queue = [("nr_requests".to_owned(), "4".to_owned())].into();
    let device = BlockDevice { name: "/dev/sda".into(), queue, ..BlockDevice::default() };
    let disk = Disk { device, ..Disk::default() };
    record.hosts[0].system.environment = Some(Environment { disks: vec![disk], ..Environment::default() });
    let evidence = found(&record, "device-depth").unwrap().evidence;
    assert_eq!(
        evidence[..2],
        ["latencies include that wait", "the queue of /dev/sda was full: it holds 4 requests (nr_requests)"]
    );
    let limited = found(&on_device("-o16 -Su", 15.5, 1, 1.0), "limited-by-storage").unwrap().message;
    assert!(
        limited.ends_with("the storage at this depth, with 16 I/Os outstanding, 15.5 of them at the device"),
        "{limited}"
    );
    // One finding about a depth that isn't there, not two.
    let mut record = on_device("-o15 -L -Su", 4.0, 1, 1.0);
    record.profile.time_spans[0].targets[0].request_count = 16;
    assert_eq!(found(&record, "device-depth"), None);
    let evidence = found(&record, "depth-not-reached").unwrap().evidence;
    assert!(
        evidence.contains(&"the device had 4.0 I/Os in flight, by the kernel's counters".to_owned()),
        "{evidence:?}"
    );
}

type Cpus = [(u64, u64, u64); 2];

/// Returns a run of threads bound to these CPUs, with equal times.
fn on_cpus(line: &str, cpus: Cpus, bound: &[Option<u32>], times: (u64, u64, u64)) -> Record {
    let mut record = record(line);
    let workers = bound.iter().map(|cpu| WorkerUsage { cpu: *cpu, ..worker(EngineKind::Uring, 4, times) });
    let span = &mut record.hosts[0].results.time_spans[0];
    let spent = |(idle, ..): (u64, u64, u64)| CpuTimes { idle: idle * 10, kernel: 1000 - idle * 10, user: 0 };
    let lost = |(_, interrupts, stolen)| LostTimes { interrupts: interrupts * 10, steal: stolen * 10 };
    span.cpus = cpus.map(spent).to_vec();
    span.observed = Some(Observations {
        resource_usage: Some(effort(workers.collect())),
        lost_cpu_times: cpus.map(lost).to_vec(),
        ..Observations::default()
    });
    record
}

fn found(record: &Record, name: &str) -> Option<Finding> {
    judge(record, &summarize(record)).findings.into_iter().find(|finding| finding.name == name)
}

#[test]
fn stolen_or_interrupted_cpus_are_named() {
    use Limiter::*;
    let (quiet, one) = ((60, 3, 1), [Some(0)]);
    let storming = (3, 70, 0);
    for (cpus, bound, times, limiter, stolen_is_told) in [
        ([quiet, quiet], &one, (20, 5, 3), Storage, false),
        // Somewhere interrupts left no time, wherever the threads were.
        ([quiet, storming], &one, (20, 5, 3), Interrupts, false),
        ([storming, quiet], &one, (25, 5, 3), Interrupts, false),
        // Much of a CPU, but it had time left; a full one, but not of interrupts.
        ([(30, 70, 0), quiet], &one, (25, 5, 3), Storage, false),
        ([(0, 40, 0), quiet], &one, (25, 5, 3), Storage, false),
        // Stolen from a thread with much to do, and with little.
        ([(5, 3, 25), quiet], &one, (60, 5, 3), Hypervisor, false),
        ([(50, 3, 25), quiet], &one, (20, 5, 3), Storage, true),
        ([(5, 3, 9), quiet], &one, (75, 5, 3), Storage, false),
        // Other threads took more than the hypervisor did.
        ([(0, 3, 12), quiet], &one, (50, 5, 35), BusyCpus, true),
        // From a CPU that is none of ours; and from one that may be.
        ([quiet, (5, 3, 40)], &one, (60, 5, 3), Storage, false),
        ([quiet, (5, 3, 40)], &[None], (60, 5, 3), Hypervisor, false),
    ] {
        let told = format!("{cpus:?} {bound:?} {times:?}");
        let record = on_cpus("-o4", cpus, bound, times);
        let judgement = judge(&record, &summarize(&record));
        assert_eq!(judgement.limits[0].as_ref().unwrap().limited_by, Some(limiter), "{told}");
        assert_eq!(found(&record, "cpu-stolen").is_some(), stolen_is_told, "{told}");
    }
    let record = on_cpus("-o4", [quiet, storming], &one, (20, 5, 3));
    let finding = found(&record, "limited-by-interrupts").unwrap();
    assert!(
        finding.message.ends_with("interrupts: CPU 1 was saturated, 70 % of its time went to them"),
        "{finding:?}"
    );
    let limits = judge(&record, &summarize(&record)).limits.remove(0).unwrap();
    assert_eq!((limits.steal, limits.interrupts), (Some(0.01), Some(0.7)));
}

fn others(kernel: u64, programs: u64) -> OtherTasks {
    let task =
        |name: &str, pid, kernel, percent| Task { name: name.into(), pid, kernel, busy: share(percent) };
    OtherTasks {
        elapsed: SECOND,
        kernel: Some(share(kernel)),
        kernel_run_delay: Some(0),
        programs: share(programs),
        started: None,
        busiest: vec![
            task("kworker/u4:1-btrfs-endio", 7, true, kernel / 2),
            task("kworker/u4:2+btrfs-endio", 8, true, kernel - kernel / 2),
            task("make", 99, false, programs),
        ],
    }
}

#[test]
fn programs_on_contended_cpus_are_named_with_cost() {
    let (idle, full) = ((60, 0, 0), (0, 0, 0));
    let (one, together, apart) = (&[Some(0)][..], &[Some(0), Some(0)][..], &[Some(0), Some(1)][..]);
    let (two_free, four_free) = (&[None; 2][..], &[None; 4][..]);
    for (line, bound, times, cpus, (kernel, programs), told) in [
        ("-o1", one, (20, 5, 40), [full, full], (5, 160), Some("CPU contention with other programs")),
        ("-o1 -t2", apart, (20, 5, 40), [full, full], (5, 150), Some("CPU contention with other programs")),
        (
            "-o1 -t2",
            together,
            (45, 5, 45),
            [(5, 0, 0), idle],
            (5, 5),
            Some("the program's own threads: threads 0 and 1 share CPU 0"),
        ),
        (
            "-o1 -t2",
            together,
            (10, 5, 80),
            [full, full],
            (5, 150),
            Some(
                "CPU contention with other \
             programs",
            ),
        ),
        ("-o1 -t2", two_free, (60, 5, 40), [full, full], (5, 60), Some("CPU contention with other programs")),
        ("-o1 -t4", four_free, (49, 5, 50), [full, full], (1, 1), Some("threads: 4 share 2 CPUs")),
        ("-o4", one, (50, 5, 40), [full, full], (120, 5), Some("CPU contention with kernel threads")),
        // One that waits for what threads of the kernel do isn't kept from anything by them.
        ("-o1", one, (20, 5, 20), [(30, 0, 0), idle], (60, 5), None),
        // Nobody else used the CPU: it was waking up.
        ("-o1", one, (20, 5, 20), [(75, 0, 0), idle], (1, 1), None),
    ] {
        let mut record = on_cpus(line, cpus, bound, times);
        let observed = record.hosts[0].results.time_spans[0].observed.as_mut().unwrap();
        let effort = observed.resource_usage.as_mut().unwrap();
        effort.other_processes = Some(others(kernel, programs));
        effort.workers.iter_mut().filter(|_| line.contains("-o1")).for_each(|worker| worker.depth = 1);
        let finding = found(&record, "limited-by-busy-cpus");
        let case = format!("{line} {bound:?} {times:?}: {finding:?}");
        assert_eq!(finding.is_some(), told.is_some(), "{case}");
        let (Some(finding), Some(words)) = (finding, told) else { continue };
        assert!(finding.message.contains(words), "{case}");
        let severity = if words.contains("kernel") { Severity::Note } else { Severity::Warning };
        assert_eq!(finding.severity, severity, "{case}");
        let evidence = finding.evidence.join("; ");
        // Four that have used 2 CPUs to the full do no more on them, however they take turns.
        let gain = if line.contains("-t4") { "hardly more IOPS" } else { "up to " };
        assert!(evidence.contains(&format!("without CPU contention {gain}")), "{case}");
        let uncontended = judge(&record, &summarize(&record)).limits[0].as_ref().unwrap().uncontended_iops;
        assert_eq!(uncontended.is_some(), gain == "up to ", "{case}");
        if programs >= 100 {
            assert!(evidence.contains(&format!("make (process 99) {programs} %")), "{case}");
        }
        if kernel >= 100 {
            assert!(evidence.contains("1.2 CPUs: btrfs-endio 120 %"), "{case}");
        }
    }
    // From 0.1 s on both were on CPU 0, whose CPU threads of the kernel used less than each other's thread.
    for (cpus, words) in
        [(vec![0], "the program's own threads: some shared CPUs"), (vec![2], "kernel threads")]
    {
        let mut record = on_cpus("-o4 -t2", [full, full], apart, (50, 5, 45));
        let effort =
            record.hosts[0].results.time_spans[0].observed.as_mut().unwrap().resource_usage.as_mut().unwrap();
        effort.other_processes = Some(others(90, 5));
        effort.workers[1].affinity_change = Some(AffinityChange { after_us: 0, observed_us: 100_000, cpus });
        let message = found(&record, "limited-by-busy-cpus").unwrap().message;
        assert!(message.contains(words), "{message}");
    }
    let record = on_cpus("-o1", [full, full], one, (20, 5, 60));
    let ios = summarize(&record).time_spans[0].as_ref().unwrap().total.total.throughput.iops;
    let limits = judge(&record, &summarize(&record)).limits.remove(0).unwrap();
    let possible = limits.uncontended_iops.unwrap();
    assert!((possible / ios - 2.5).abs() < 1e-6, "what is done in 40 % of the time: {possible} {ios}");
}

#[test]
fn memory_limit_hits_are_not_counted_as_pauses() {
    let change = quota::MemoryLimitChange { after_us: 200_000, observed_us: 300_000, bytes: Some(48 << 20) };
    let limit = |reached, stalled_us, changes: &[quota::MemoryLimitChange]| quota::MemoryLimit {
        group: "/sys/fs/cgroup/a".into(),
        bytes: Some(64 << 20),
        changes: changes.to_vec(),
        reached,
        stalled_us,
    };
    let held_up = |stalled: &str| format!("the program {stalled}, and could not run");
    let (starved, waited) = ("was starved or frozen, or its machine was paused", "waited for memory");
    for (limit, severity, values, was) in [
        (limit(0, Some(0), &[]), None, "", starved),
        (limit(1, Some(19_000), &[]), Some(Severity::Note), "(64MiB) was reached once", starved),
        (limit(2, None, &[]), Some(Severity::Note), "(64MiB) was reached 2 times", starved),
        (limit(2, Some(20_000), &[]), Some(Severity::Warning), "(64MiB) was reached 2 times", starved),
        (limit(9, Some(200_000), &[change]), Some(Severity::Warning), "(64MiB, then 48MiB) was", waited),
    ] {
        let mut record = on_device("-o16", 15.5, 1, 1.0);
        let observed = record.hosts[0].results.time_spans[0].observed.as_mut().unwrap();
        let is_changed = !limit.changes.is_empty();
        observed.resource_usage.as_mut().unwrap().memory = vec![limit];
        observed.delays = Some(Delays { late_us: Some(400_000), ..Delays::default() });
        let finding = found(&record, "memory-limit-reached");
        assert_eq!(finding.as_ref().map(|finding| finding.severity), severity, "{finding:?}");
        assert!(finding.is_none_or(|finding| finding.message.contains(values)));
        let message = found(&record, "process-stalled").unwrap().message;
        assert!(message.starts_with(held_up(was).trim_end_matches(", and could not run")), "{message}");
        let changed = found(&record, "limits-changed").map(|finding| finding.evidence.join("; "));
        let told = "between second 0.2 and 0.3: 48MiB of memory for the control group /sys/fs/cgroup/a";
        assert_eq!(changed.as_deref(), is_changed.then_some(told));
    }
}

#[test]
fn harmless_waiting_is_evidence_next_to_limit() {
    for (line, in_flight, waiting, severity) in [
        ("-o16 -Su", 15.5, 3, None),
        // The device had its queue full, half of it, nothing.
        ("-o16 -Su", 15.5, 30, Some(Severity::Note)),
        ("-o16 -Su", 9.0, 30, Some(Severity::Warning)),
        ("-o16", 9.0, 30, Some(Severity::Warning)),
        ("-o16 -Su -g1000i", 0.1, 30, Some(Severity::Warning)),
    ] {
        let mut record = on_device(line, in_flight, 1, 1.0);
        let observed = record.hosts[0].results.time_spans[0].observed.as_mut().unwrap();
        observed.resource_usage.as_mut().unwrap().workers =
            vec![worker(EngineKind::Uring, 16, (20, 5, waiting))];
        let finding = found(&record, "run-queue-delay");
        assert_eq!(
            finding.as_ref().map(|finding| finding.severity),
            severity,
            "{line} {in_flight}: {finding:?}"
        );
    }
    // A queue that ran dry meanwhile is the limit.
    let mut record = on_device("-o16 -Su", 3.0, 1, 1.0);
    let observed = record.hosts[0].results.time_spans[0].observed.as_mut().unwrap();
    observed.resource_usage.as_mut().unwrap().workers = vec![worker(EngineKind::Uring, 16, (20, 5, 30))];
    assert!(found(&record, "limited-by-busy-cpus").is_some() && found(&record, "run-queue-delay").is_none());
}

#[test]
fn limit_agrees_with_device_depth() {
    let (idle, full) =
        (CpuTimes { idle: 1, ..CpuTimes::default() }, CpuTimes { kernel: 1, ..CpuTimes::default() });
    for (in_flight, times, (kernel, programs), cpus, limiter) in [
        (15.0, (20, 5, 3), (5, 5), idle, Limiter::Storage),
        (13.0, (20, 5, 3), (5, 5), idle, Limiter::Storage),
        (11.0, (20, 5, 3), (5, 5), idle, Limiter::Unclear),
        (8.5, (20, 5, 3), (5, 5), idle, Limiter::Unclear),
        // Threads sleep, the device has little: the rest is in between, whoever works there.
        (0.1, (20, 5, 3), (150, 4), full, Limiter::Kernel),
        (0.1, (20, 5, 3), (5, 5), idle, Limiter::Kernel),
        (4.0, (20, 5, 3), (90, 5), idle, Limiter::Kernel),
        // Threads of the kernel keep those of the run from working, and the device has nothing to do.
        (0.1, (40, 5, 50), (120, 5), full, Limiter::Kernel),
        // What was not at the device may have waited for a thread that was busy.
        (4.0, (70, 5, 1), (5, 5), idle, Limiter::Unclear),
        (0.1, (97, 5, 1), (5, 5), idle, Limiter::Cpu),
        // Programs had the CPUs: the kernel's threads may have waited for them, or those of the run.
        (0.1, (10, 5, 3), (5, 150), full, Limiter::Unclear),
        (1.0, (10, 5, 15), (5, 150), full, Limiter::Unclear),
        (1.0, (10, 5, 75), (5, 150), full, Limiter::BusyCpus),
    ] {
        let mut record = on_device("-o16 -Su", in_flight, 1, 1.0);
        let span = &mut record.hosts[0].results.time_spans[0];
        span.cpus = vec![cpus; 2];
        let observed = span.observed.as_mut().unwrap();
        observed.lost_cpu_times = vec![LostTimes::default(); 2];
        let effort = observed.resource_usage.as_mut().unwrap();
        effort.workers = vec![worker(EngineKind::Uring, 16, times)];
        effort.other_processes = Some(others(kernel, programs));
        let limits = judge(&record, &summarize(&record)).limits.remove(0).unwrap();
        let case = format!("{in_flight} {times:?} {kernel}: {limits:?}");
        assert_eq!(limits.limited_by, Some(limiter), "{case}");
        assert!(limits.leaf_in_flight.is_some_and(|n| (n / in_flight - 1.0).abs() < 0.01), "{case}");
        if limiter == Limiter::Kernel && kernel == 150 {
            let finding = found(&record, "limited-by-kernel").unwrap();
            assert!(
                finding.message.ends_with("the device had 0.1 of 16 outstanding I/Os in flight"),
                "{finding:?}"
            );
            assert_eq!(
                finding.evidence[..2],
                ["CPUs 0, 1 had no idle time", "kernel threads used 1.5 CPUs: btrfs-endio 150 %"]
            );
        }
    }
    // A limit of a control group that the rate is not at, from the start or later, may have held them back.
    let limit = io_limit::IoLimit { device: "8:0".into(), reads: Some(90_000), ..Default::default() };
    let later = LimitChange { io_limits: vec![limit.clone()], ..LimitChange::default() };
    let held_back = "or the I/O limits of this process's control groups: the";
    let changed = "I/O limits of this process's control groups changed during the run";
    for (limits, changes, told) in [(vec![limit], vec![], held_back), (vec![], vec![later], changed)] {
        let mut record = on_device("-o16 -Su", 0.1, 1, 1.0);
        let observed = record.hosts[0].results.time_spans[0].observed.as_mut().unwrap();
        observed.devices.as_mut().unwrap().targets[0].stack.layers[0].number = Some("8:0".into());
        let effort = observed.resource_usage.as_mut().unwrap();
        (effort.io_limits, effort.limit_changes) = (limits, changes);
        let message = found(&record, "limit-unclear").unwrap().message;
        assert!(message.contains(told), "{message}");
    }
    // It was stopped for a part of the time.
    for (lost_us, limiter) in [(400_000, Limiter::Unclear), (40_000, Limiter::Storage)] {
        let mut record = on_device("-o16 -Su", 15.5, 1, 1.0);
        let observed = record.hosts[0].results.time_spans[0].observed.as_mut().unwrap();
        observed.delays = Some(Delays {
            was_stopped: true,
            late_us: Some(lost_us),
            total_us: lost_us,
            ..Delays::default()
        });
        let limits = judge(&record, &summarize(&record)).limits.remove(0).unwrap();
        assert_eq!(limits.limited_by, Some(limiter), "{lost_us}");
    }
    // Through the page cache: devices that had nothing to do for half of the time limit nothing.
    for (in_flight, limiter) in [(0.4, Limiter::Unclear), (0.6, Limiter::Storage)] {
        let record = on_device("-o16", in_flight, 1, 1.0);
        let limits = judge(&record, &summarize(&record)).limits.remove(0).unwrap();
        assert_eq!(limits.limited_by, Some(limiter), "{in_flight}");
    }
    // What the device has no place for waits for it.
    let mut record = on_device("-o16 -Su", 4.0, 1, 1.0);
    let queue = [("nr_requests".to_owned(), "4".to_owned())].into();
    let device = BlockDevice { name: "/dev/sda".into(), queue, ..BlockDevice::default() };
    let disk = Disk { device, ..Disk::default() };
    record.hosts[0].system.environment = Some(Environment { disks: vec![disk], ..Environment::default() });
    let limits = judge(&record, &summarize(&record)).limits.remove(0).unwrap();
    assert_eq!(limits.limited_by, Some(Limiter::Storage));
    let message = found(&record, "limited-by-storage").unwrap().message;
    assert!(message.contains("/dev/sda") && message.contains("(nr_requests is 4)"), "{message}");
}

#[test]
fn full_queue_over_idle_device_is_not_storage_bound() {
    // 16 in a loop device with 16 places, hardly any on the disk beneath it.
    for (beneath, limiter) in [(1.0, Limiter::Kernel), (15.5, Limiter::Storage)] {
        let mut record = on_device("-o16 -Su", 15.5, 1, 1.0);
        let queue = [("nr_requests".to_owned(), "16".to_owned())].into();
        let device = BlockDevice { name: "/dev/sda".into(), queue, ..BlockDevice::default() };
        let disk = Disk { device, ..Disk::default() };
        record.hosts[0].system.environment =
            Some(Environment { disks: vec![disk], ..Environment::default() });
        let observed = record.hosts[0].results.time_spans[0].observed.as_mut().unwrap();
        let facts = observed.devices.as_mut().unwrap();
        facts.targets[0].stack.layers[0].lower_devices = vec!["sdb".into()];
        let lower = Layer { name: "sdb".into(), statistics: true, one_to_one: true, ..Layer::default() };
        facts.targets[0].stack.layers.push(lower);
        let mut done = facts.devices[0].activity;
        done.queue_ms = (beneath * 1000.0) as u64;
        facts.devices.push(DeviceActivity {
            name: "sdb".into(),
            activity: done,
            has_statistics: true,
            ..Default::default()
        });
        let limits = judge(&record, &summarize(&record)).limits.remove(0).unwrap();
        assert_eq!(limits.limited_by, Some(limiter), "{beneath}: {limits:?}");
    }
}

fn interrupted((first, second): (u64, u64), cpu: Option<u32>, in_flight: f64) -> Record {
    let mut record = on_device("-o16 -Su", in_flight, 1, 1.0);
    let observed = record.hosts[0].results.time_spans[0].observed.as_mut().unwrap();
    observed.resource_usage.as_mut().unwrap().workers[0].cpu = cpu;
    let cpus = [(0, first), (1, second)].into_iter().filter(|(_, count)| *count > 0);
    let cpus = cpus.map(|(cpu, count)| CpuInterrupts { cpu, count }).collect();
    observed.interrupts = vec![DeviceInterrupts { device: "sda".into(), cpus }];
    record
}

#[test]
fn remote_interrupts_are_reported_before_storage() {
    use Limiter::{Storage, Unclear};
    for (counts, cpu, in_flight, limiter, told) in [
        ((0, 50_000), Some(0), 15.5, Unclear, true),
        ((5_000, 45_000), Some(0), 15.5, Unclear, true),
        // Most, but not nearly all; the thread's own CPU; a thread that the kernel moves; too few.
        ((5_001, 45_000), Some(0), 15.5, Storage, false),
        ((0, 50_000), Some(1), 15.5, Storage, false),
        ((0, 50_000), None, 15.5, Storage, false),
        ((0, 99), Some(0), 15.5, Storage, false),
        ((0, 0), Some(0), 15.5, Storage, false),
        // On the way, wherever the interrupts are.
        ((0, 50_000), Some(0), 9.0, Unclear, true),
        ((0, 50_000), Some(1), 9.0, Unclear, false),
    ] {
        let record = interrupted(counts, cpu, in_flight);
        let case = format!("{counts:?} {cpu:?} {in_flight}");
        let limits = judge(&record, &summarize(&record)).limits.remove(0).unwrap();
        assert_eq!(limits.limited_by, Some(limiter), "{case}");
        assert_eq!(found(&record, "remote-interrupts").is_some(), told, "{case}");
    }
    let unclear = found(&interrupted((0, 50_000), Some(0), 9.0), "limit-unclear").unwrap();
    assert_eq!(
        unclear.message,
        "the limit is unclear, the storage or the path of its interrupts (the interrupts of sda arrive on \
         CPU 1, and the threads are bound to CPU 0): the device had 9.0 of 16 outstanding I/Os in flight"
    );
    let unclear = found(&interrupted((0, 50_000), Some(0), 0.5), "limit-unclear").unwrap();
    is_sample("cases", "limit-unclear: interrupts", &unclear.to_string());
    // Of I/Os that take long, waking a CPU is next to nothing.
    let mut record = interrupted((0, 50_000), Some(0), 15.5);
    let reads = &mut record.hosts[0].results.time_spans[0].threads[0].targets[0].read;
    let bytes = reads.bytes / reads.ios * 10_000;
    (reads.ios, reads.bytes) = (10_000, bytes);
    let observed = record.hosts[0].results.time_spans[0].observed.as_mut().unwrap();
    let done = &mut observed.devices.as_mut().unwrap().devices[0].activity.read;
    (done.ios, done.bytes) = (10_000, bytes);
    let limits = judge(&record, &summarize(&record)).limits.remove(0).unwrap();
    assert_eq!(limits.limited_by, Some(Storage));
    // A thread that was moved meanwhile was there for a part of the time only.
    let mut record = interrupted((0, 50_000), Some(0), 15.5);
    let observed = record.hosts[0].results.time_spans[0].observed.as_mut().unwrap();
    observed.resource_usage.as_mut().unwrap().workers[0].affinity_change =
        Some(AffinityChange { after_us: 2_000_000, observed_us: 3_000_000, cpus: vec![1] });
    assert_eq!(found(&record, "remote-interrupts"), None);
    let rebound = found(&record, "affinity-changed").unwrap();
    assert_eq!(rebound.severity, Severity::Warning);
    assert_eq!(rebound.evidence, ["thread 0 went from CPU 0 to CPU 1 between second 2.0 and 3.0"]);
    assert_eq!(found(&interrupted((0, 50_000), Some(0), 15.5), "affinity-changed"), None);
    // Another disk's are nobody's business here; a partition is of its disk.
    for (name, told) in [("sd", false), ("sdb", false), ("sda1", false), ("sda", true)] {
        let mut record = interrupted((0, 50_000), Some(0), 15.5);
        let observed = record.hosts[0].results.time_spans[0].observed.as_mut().unwrap();
        observed.interrupts[0].device = name.into();
        assert_eq!(found(&record, "remote-interrupts").is_some(), told, "{name}");
    }
}

fn random(bytes: usize) -> Vec<u8> {
    let mut data = vec![0; bytes];
    std::io::Read::read_exact(&mut fs::File::open("/dev/urandom").unwrap(), &mut data).unwrap();
    data
}

/// Programs that use all time of CPUs, ended on drop.
struct Loops(Vec<std::process::Child>);

impl Loops {
    fn new(count: usize) -> Loops {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "while :; do :; done"]);
        Loops((0..count).map(|_| crate::common::while_nothing_starts(|| shell.spawn()).unwrap()).collect())
    }
}

impl Drop for Loops {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn thread_cpu_time_is_bounded_by_cpu_time() {
    let four_free: &[Option<u32>] = &[None; 4];
    let record = on_cpus("-o1 -t4", [(60, 35, 0), (60, 35, 0)], four_free, (90, 45, 9));
    let limits = judge(&record, &summarize(&record)).limits[0].clone().unwrap();
    let summary = summarize(&record);
    let iops = summary.time_spans[0].as_ref().unwrap().total.total.throughput.iops;
    let ceiling = limits.ceiling_iops.unwrap();
    assert!((ceiling / iops - 1.0).abs() < 1e-9, "{ceiling} of {iops}");
}

#[test]
fn busy_processes_and_shared_cpus_are_named() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let file = directory.path().join("a");
    // What it does to the CPUs is no matter of other tests.
    let _alone = alone();
    // Whatever else runs: if others have most of that CPU, it is told beside them.
    let ended = crate::common::diskspd("-c1M -b4K -r -o1 -t8 -a0 -W0 -d1 --engine null {}", &file);
    for words in
        ["WARNING: limited by ", "program's own threads", "8 share CPU 0", "ready to run but had no CPU"]
    {
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    }
    let cpus = std::thread::available_parallelism().unwrap().get();
    let _loops = Loops::new(3 * cpus);
    let ended = crate::common::diskspd("-c16M -b4K -r -o1 -Su -W0 -d1 --engine sync {}", &file);
    ended.report();
    for words in [
        "WARNING: limited by CPU contention with other programs",
        "without CPU contention up to ",
        "other programs used ",
    ] {
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    }
}

#[test]
fn threads_on_a_remote_node_are_reported() {
    let with = |line: &str, bound: &[Option<u32>], node: Option<u32>, nodes: usize| {
        let mut record = on_cpus(line, [(60, 3, 1); 2], bound, (20, 5, 3));
        let node_of = |number: u32| CpuNode { number, masks: vec![(0, 1 << number)] };
        record.hosts[0].system.topology.nodes = [node_of(0), node_of(1)][..nodes].to_vec();
        let device = BlockDevice { name: "/dev/nvme0n1".into(), ..BlockDevice::default() };
        let disk = Disk { device, numa_node: node, targets: vec![TargetId(0)], ..Disk::default() };
        record.hosts[0].system.environment =
            Some(Environment { disks: vec![disk], ..Environment::default() });
        found(&record, "numa-remote")
    };
    let far = with("-o4", &[Some(1)], Some(0), 2).unwrap();
    assert_eq!((far.severity, far.place.target), (Severity::Warning, Some("x".into())));
    assert_eq!(far.evidence, ["/dev/nvme0n1 is on NUMA node 0, their CPUs on 1"]);
    let half = with("-o4 -t2", &[Some(0), Some(1)], Some(0), 2).unwrap();
    assert!(half.severity == Severity::Note && half.message.starts_with("1 of 2 threads"), "{half:?}");
    for (bound, node, nodes) in
        [(Some(0), Some(0), 2), (None, Some(0), 2), (Some(1), None, 2), (Some(1), Some(0), 1)]
    {
        assert_eq!(with("-o4", &[bound], node, nodes), None, "{bound:?} {node:?} {nodes}");
    }
}

#[test]
fn real_run_reports_limit_and_resources() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("r.json");
    let line = format!("-c1M -o4 -r -g1000i -W0 -d1 --engine null --out {} x", file.display());
    diskspd(&line, Path::new("")).succeeds();
    let record = json::read(&fs::read(&file).unwrap()).unwrap();
    let limits = judge(&record, &summarize(&record)).limits.remove(0).unwrap();
    assert_eq!(limits.limited_by, Some(Limiter::Profile));
    let effort =
        record.hosts[0].results.time_spans[0].observed.as_ref().unwrap().resource_usage.as_ref().unwrap();
    assert_eq!(effort.workers.len(), 1);
    assert!(effort.process > 0);
    let cost = effort.tool.unwrap();
    assert!(cost.clock > 0.0 && cost.histogram > 0.0, "{cost:?}");
    let observed = record.hosts[0].results.time_spans[0].observed.as_ref().unwrap();
    assert_eq!(observed.lost_cpu_times.len(), record.hosts[0].system.topology.active_cpus().count());
    assert!(effort.workers[0].cpu.is_some(), "threads are bound, if nobody says otherwise");
    let times = effort.workers[0].times.unwrap();
    assert!(times.busy > 0 && times.busy < 2 * SECOND, "{times:?}");
}

/// Control group with a CPU quota (version 1), removed on drop.
struct Group(PathBuf);

impl Group {
    fn new(quota_us: u32) -> Option<Group> {
        let directory = PathBuf::from(format!("/sys/fs/cgroup/cpu/diskspd-test-{}", std::process::id()));
        if !Path::new("/sys/fs/cgroup/cpu/cpu.cfs_quota_us").exists() || fs::create_dir(&directory).is_err() {
            skip(
                "no control group with a CPU quota can be made (needs root and the cpu controller of version 1)",
            );
            return None;
        }
        let group = Group(directory);
        fs::write(group.0.join("cpu.cfs_quota_us"), quota_us.to_string()).unwrap();
        Some(group)
    }

    /// Runs the program within the group.
    fn run(&self, line: &str) -> Ended {
        let mut program = command_of(&[]);
        program.args(line.split_whitespace());
        let mut command = std::process::Command::new("sh");
        command.arg("-c").arg("echo $$ > \"$0\" && exec \"$@\"").arg(self.0.join("cgroup.procs"));
        command.arg(program.get_program()).args(program.get_args());
        calm(|| crate::common::output(&mut command).unwrap().into())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// Control group that is frozen repeatedly; thawed and removed on drop.
struct Frozen {
    group: PathBuf,
    state: (PathBuf, &'static str, &'static str),
}

impl Frozen {
    fn new(version: u32) -> Option<Frozen> {
        let (mounts, file, freeze, thaw): (&[&str], _, _, _) = match version {
            2 => (&["/sys/fs/cgroup", "/sys/fs/cgroup/unified"], "cgroup.freeze", "1", "0"),
            _ => (&["/sys/fs/cgroup/freezer"], "freezer.state", "FROZEN", "THAWED"),
        };
        for mount in mounts {
            let group = Path::new(mount).join(format!("diskspd-test-frozen-{}", std::process::id()));
            if fs::create_dir(&group).is_err() {
                continue;
            }
            let state = (group.join(file), freeze, thaw);
            if state.0.exists() {
                return Some(Frozen { group, state });
            }
            let _ = fs::remove_dir(&group);
        }
        skip(&format!("no control group of version {version} can be made that freezes (needs root)"));
        None
    }

    fn run(&self, line: &str) -> (Ended, f64) {
        let mut command = std::process::Command::new("sh");
        command.arg("-c").arg("echo $$ > \"$0\" && exec \"$@\"").arg(self.group.join("cgroup.procs"));
        command.arg(env!("CARGO_BIN_EXE_diskspd")).args(line.split_whitespace());
        let (over, wait) = (AtomicBool::new(false), |ms| std::thread::sleep(Duration::from_millis(ms)));
        std::thread::scope(|scope| {
            let freezer = scope.spawn(|| {
                let mut frozen = Duration::ZERO;
                while !over.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    fs::write(&self.state.0, self.state.1).unwrap();
                    wait(40);
                    fs::write(&self.state.0, self.state.2).unwrap();
                    frozen += began.elapsed();
                    wait(10);
                }
                frozen.as_secs_f64()
            });
            let ended = crate::common::output(&mut command).unwrap().into();
            over.store(true, Ordering::Relaxed);
            (ended, freezer.join().unwrap())
        })
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        let _ = fs::write(&self.state.0, self.state.2);
        let _ = fs::remove_dir(&self.group);
    }
}

#[test]
fn mostly_frozen_program_is_always_reported() {
    for (version, what) in
        [(2, "was frozen (its control group: cgroup.freeze)"), (1, "was starved or frozen")]
    {
        let Some(group) = Frozen::new(version) else { continue };
        for round in 0..5 {
            let (ended, frozen) = group.run("--engine null -c1M -b4K -o4 -r -W0 -d1 --strict x");
            assert_eq!(ended.code, 2, "{round}: {}", ended.stderr);
            let told = ended.stderr.split_once("WRONG: the program ").map(|(_, rest)| rest);
            let Some(told) = told.filter(|told| told.starts_with(what)) else {
                panic!("version {version}, round {round}: {}", ended.stderr);
            };
            let seconds: f64 =
                told.split_once("could not run for ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
            // The freezer began before the measured time, and ended after it. On busy CPUs it comes to freeze
            // for less of the time.
            assert!(seconds > 0.2 && seconds <= frozen + 0.01, "{seconds} of {frozen}: {told}");
        }
    }
}

#[test]
fn memory_above_the_group_limit_is_refused() {
    let mounts = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")];
    let made = mounts.into_iter().find_map(|(mount, file)| {
        let above = Path::new(mount).join(format!("diskspd-test-memory-{}", std::process::id()));
        fs::create_dir(&above).ok()?;
        let group = Group(above.join("below"));
        let limited = fs::write(above.join(file), (64 << 20).to_string()).is_ok();
        let above = Group(above);
        fs::create_dir(&group.0).ok()?;
        limited.then_some((above, group))
    });
    // The one below is removed first.
    let Some((above, group)) = made else {
        return skip("no control group with a limit of memory can be made (needs root)");
    };
    let ended = group.run("--engine null -c1G -b1M -o96 -W0 -d1 x");
    let name = above.0.display().to_string();
    ended.fails(
        1,
        &["the I/O buffers need 96MiB", &name, "of its 64MiB", "would kill the run", "lower -b, -o"],
    );
    assert_eq!(group.run("--engine null -c1G -b1M -o8 -W0 -d1 x").code, 0);
}

#[test]
fn a_cpu_quota_that_stops_the_program_is_named() {
    let Some(group) = Group::new(10_000) else { return };
    let ended = group.run("-c1M -o4 -r -W0 -d2 --engine null x");
    let name = group.0.display().to_string();
    for words in ["WARNING: limited by a CPU quota", &name, "0.10 CPUs", "the quota throttled the program in"]
    {
        assert!(ended.stderr.contains(words), "{words:?} is not in: {}", ended.stderr);
    }
    // Hardly any work: the quota is there, and stops nothing once what starting takes is over.
    let ended = group.run("-c1M -o1 -r -g20i -W1 -d2 --engine null x");
    assert!(ended.stderr.contains("NOTE: limited by the requested limit"), "{}", ended.stderr);
}

/// Reads for 40 of every 100 ms, due to a limit or a thread without a CPU.
#[test]
fn throttled_bursts_are_not_storage_stalls() {
    let turns: Vec<u64> = (0..500).map(|beat| if beat % 5 < 2 { 200 } else { 0 }).collect();
    let second = |(number, beats): (usize, &[u64])| Sample {
        end_us: (number as u64 + 1) * 1_000_000,
        ios: beats.iter().sum(),
        bytes: 0,
    };
    let samples: Vec<Sample> = turns.chunks(50).enumerate().map(second).collect();
    let judged = |effort| {
        let mut record = record("-o4");
        let beats = Some(TickCounts { width_us: 20_000, ios: PackedCounts(turns.clone()) });
        record.hosts[0].results.time_spans[0].observed = Some(Observations {
            resource_usage: Some(effort),
            samples: samples.clone(),
            ticks: beats,
            ..Observations::default()
        });
        judge(&record, &summarize(&record))
    };
    let found = |judgement: &Judgement, name: &str| {
        let found = judgement.findings.iter().find(|finding| finding.name == name);
        found.map(|finding| finding.evidence.join("; "))
    };
    let quota = quota::CpuQuota {
        group: "/sys/fs/cgroup/a".into(),
        cpus: 0.4,
        periods: 10,
        throttled_periods: 10,
        throttled: share(60),
    };
    let idle = || vec![worker(EngineKind::Uring, 4, (20, 5, 0))];
    let judgement = judged(ResourceUsage { quotas: vec![quota], ..effort(idle()) });
    is_sample("cases", "steady with stalls of a CPU quota", &found(&judgement, "steady").unwrap());
    assert_eq!(found(&judgement, "stalling"), None);
    // Nobody's limit.
    let judgement = judged(effort(idle()));
    is_sample("cases", "stalling of the storage", &found(&judgement, "stalling").unwrap());
    let judgement = judged(effort(vec![worker(EngineKind::Uring, 4, (20, 5, 50))]));
    is_sample("cases", "stalling of threads without a CPU", &found(&judgement, "stalling").unwrap());
}
