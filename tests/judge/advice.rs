//! Tests of misunderstandings: command lines with misleading figures, and command lines without.

#![allow(clippy::unwrap_used, clippy::panic)]
#![allow(clippy::needless_update)] // what else was observed is of no interest here

use crate::common::in_process::requested;
use crate::common::samples::is_sample;
use diskspd::checks::{Finding, Severity, judge};
use diskspd::machine::System;
use diskspd::machine::environment::{Disk, Environment, IdleState};
use diskspd::machine::storage::{BlockDevice, FileSystem, Storage};
use diskspd::profile::{RawText, TargetId};
use diskspd::results::{
    CpuSleeps, DirectionResults, EngineUse, Observations, Record, Results, SpanResults, StateSleeps,
    TargetResults, ThreadResults, summarize,
};
use diskspd::stats::Histogram;

const FILE: u64 = 256 << 20;

/// Returns a machine with 16 GiB, deep idle states, and ext4 on an NVMe drive with a volatile write cache.
fn machine() -> System {
    let path = RawText::from("f");
    let queue = [("physical_block_size", "4096"), ("write_cache", "write back")];
    let device = BlockDevice {
        name: "/dev/nvme0n1".into(),
        queue: queue.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        ..BlockDevice::default()
    };
    let file_system = FileSystem { kind: "ext4".into(), block_size: Some(4096), ..FileSystem::default() };
    let state =
        |name: &str, latency, residency| IdleState { name: name.into(), latency, residency, enabled: true };
    let mut environment = Environment {
        disks: vec![Disk { device: device.clone(), targets: vec![TargetId(0)], ..Disk::default() }],
        ..Environment::default()
    };
    environment.cpu.idle_states = vec![state("POLL", 0, 0), state("C1E", 10, 20), state("C6", 170, 600)];
    System {
        memory_total: 16 << 30,
        memory_available: 12 << 30,
        targets: vec![Storage { path, file_system: Some(file_system), device: Some(device) }],
        environment: Some(environment),
        ..System::default()
    }
}

fn found_on(system: System, line: &str, ios: u64, latency: u64, engine: &str) -> Vec<Finding> {
    let observed = Observations { polled: engine.ends_with('!'), ..Observations::default() };
    found_beside(observed, system, line, (ios, latency), engine)
}

fn found_beside(
    observed: Observations,
    system: System,
    line: &str,
    (ios, latency): (u64, u64),
    engine: &str,
) -> Vec<Finding> {
    let profile = requested(line).profile;
    let span = &profile.time_spans[0];
    let target = &span.targets[0];
    let threads = if span.thread_count > 0 { span.thread_count } else { target.threads_per_file };
    let direction = |share: u32| {
        let count = ios * u64::from(share) / 100;
        let mut latencies = Histogram::new();
        (0..count).for_each(|_| latencies.record(latency * 1000));
        DirectionResults {
            bytes: count * u64::from(target.block_size),
            ios: count,
            latency: span.measure_latency.then(|| Box::new(latencies)),
            ..DirectionResults::default()
        }
    };
    let thread = ThreadResults {
        targets: vec![TargetResults {
            target: TargetId(0),
            size: FILE,
            read: direction(100 - target.write_ratio),
            write: direction(target.write_ratio),
            ..TargetResults::default()
        }],
        engine: Some(EngineUse { name: engine.trim_end_matches('!').into(), ..EngineUse::default() }),
        ..ThreadResults::default()
    };
    let results = SpanResults {
        measured: 1_000_000_000,
        threads: vec![thread; threads as usize],
        observed: Some(observed),
        ..SpanResults::default()
    };
    let record = Record::new(profile, system, Results { time_spans: vec![results] });
    assert_eq!(record.check(), Ok(()), "{line}");
    judge(&record, &summarize(&record)).findings
}

fn names(findings: &[Finding]) -> Vec<(&'static str, Severity, bool)> {
    // What a short run has anyway.
    let is_of_short = |finding: &Finding| ["single-run", "too-few-ios"].contains(&finding.name);
    let of_profile =
        findings.iter().filter(|finding| finding.place.time_span.is_some() && !is_of_short(finding));
    of_profile.map(|finding| (finding.name, finding.severity, finding.quiet)).collect()
}

use Severity::{Note, Warning};

type Case = (&'static str, u64, u64, &'static [(&'static str, Severity, bool)]);

#[test]
fn volatile_caches_under_writes_are_named() {
    let mut system = machine();
    let disks = &mut system.environment.as_mut().unwrap().disks;
    let with_cache = |name: &str, cache: &str| {
        let mut disk = disks[0].clone();
        disk.device.name = name.into();
        disk.device.queue.insert("write_cache".into(), cache.into());
        disk
    };
    let more = [with_cache("/dev/sdb", "write through"), with_cache("/dev/sdc", "write back")];
    disks.extend(more);
    let found = found_on(system, "-b4K -r -w100 -Su f", 1000, 100, "uring");
    let told = found.iter().find(|finding| finding.name == "not-durable").unwrap();
    is_sample("cases", "not-durable: two volatile caches", &told.to_string());
}

#[test]
fn ambiguous_command_lines_are_parsed() {
    let cases: &[Case] = &[
        // Reads of a file that fits into memory.
        ("-b4K -r f", 1000, 100, &[("cached-reads", Warning, true)]),
        ("-b4K -r -Sm f", 1000, 100, &[("cached-reads", Warning, true), ("one-at-a-time", Warning, true)]),
        ("-b4K -r -Su f", 1000, 100, &[]),
        ("-b4K -r -Sh f", 1000, 100, &[]),
        ("-b4K -r -w100 -Sbw f", 1000, 100, &[]),
        ("-b4K -r f", 0, 0, &[]),
        // Durable or not: for programs only.
        ("-b4K -r -w100 -Su f", 1000, 100, &[("not-durable", Note, true)]),
        ("-b4K -r -w100 f", 1000, 100, &[("not-durable", Note, true)]),
        ("-b4K -r -w100 -Sh f", 1000, 100, &[]),
        ("-b4K -r -w100 -Suw f", 1000, 100, &[]),
        // Streams on top of each other.
        ("-b64K -s -t4 -Su f", 1000, 100, &[("overlapping-streams", Warning, true)]),
        ("-b64K -t4 -Sh f", 1000, 100, &[("overlapping-streams", Warning, true)]),
        ("-b64K -F4 -Sh f", 1000, 100, &[("overlapping-streams", Warning, true)]),
        ("-b64K -si -t4 -Su f", 1000, 100, &[]),
        ("-b64K -T64M -t4 -Su f", 1000, 100, &[]),
        ("-b64K -r -t4 -Su f", 1000, 100, &[]),
        ("-b64K -rs50 -t4 -Su f", 1000, 100, &[]),
        ("-b64K -t1 -Su f", 1000, 100, &[]),
        // Parts of blocks.
        ("-b512 -r -w100 -Sh f", 1000, 100, &[("misaligned", Warning, false)]),
        ("-b4K -B512 -r4K -w100 -Sh f", 1000, 100, &[("misaligned", Warning, false)]),
        ("-b4K -r512 -w100 -Sh f", 1000, 100, &[("misaligned", Warning, false)]),
        ("-b4K -s6K -w100 -Sh f", 1000, 100, &[("misaligned", Warning, false)]),
        ("-b512 -r -Sh f", 1000, 100, &[("misaligned", Note, true)]),
        ("-b8K -r4K -B1M -w100 -Sh f", 1000, 100, &[]),
        ("-b512 -r -w100 -Sbw f", 1000, 100, &[]),
        // Limits.
        ("-b4K -r -g100i -t2 -Sh f", 100, 100, &[("throughput-limit-per-thread", Note, false)]),
        ("-b4K -r -g100i -t1 -Sh f", 100, 100, &[]),
        // Waking up.
        ("-b4K -r -o1 -L -Sh f", 10_000, 90, &[("idle-exit-latency", Note, false)]),
        ("-b4K -r -o1 -L -Sh f", 100, 200, &[("idle-exit-latency", Note, false)]),
        ("-b4K -r -o1 -L -Sh f", 100, 8_000, &[]),
        ("-b4K -r -o1 -Sh f", 100, 200, &[]),
        ("-b4K -r -o32 -L -Sh f", 100_000, 300, &[]),
    ];
    for (line, ios, latency, expected) in cases {
        let found = found_on(machine(), line, *ios, *latency, "uring");
        assert_eq!(names(&found), *expected, "{line}: {found:#?}");
    }
}

#[test]
fn machine_dependent_advice_follows_the_machine() {
    let cached = |system: System| names(&found_on(system, "-b4K -r f", 1000, 100, "uring")).len();
    assert_eq!(cached(machine()), 1);
    let small = System { memory_available: FILE - 1, ..machine() };
    assert_eq!(cached(small), 0, "the file does not fit");
    let mut limited = machine();
    limited.environment.as_mut().unwrap().limits.memory = Some(FILE / 2);
    assert_eq!(cached(limited), 0, "the control group has no room for it");
    let mut in_memory = machine();
    in_memory.targets[0].file_system.as_mut().unwrap().kind = "tmpfs".into();
    assert_eq!(cached(in_memory), 0);
    assert_eq!(cached(System::default()), 0, "nobody looked");

    let mut protected = machine();
    let queue = &mut protected.environment.as_mut().unwrap().disks[0].device.queue;
    queue.insert("write_cache".into(), "write through".into());
    assert_eq!(names(&found_on(protected, "-b4K -r -w100 -Su f", 1000, 100, "uring")), []);

    let mut hinting = machine();
    hinting.targets[0].device.as_mut().unwrap().queue.insert("physical_block_size".into(), "65536".into());
    let found = found_on(hinting, "-b4K -r -w100 -Sh f", 1000, 100, "uring");
    assert_eq!(names(&found), [("misaligned", Note, true)], "large physical blocks are hints");

    let mut awake = machine();
    awake.environment.as_mut().unwrap().cpu.idle_states.iter_mut().for_each(|state| state.enabled = false);
    assert_eq!(names(&found_on(awake, "-b4K -r -o1 -L -Sh f", 100, 200, "uring")), []);
    assert_eq!(
        names(&found_on(machine(), "-b4K -r -o1 -L -Sh f", 100, 200, "uring!")),
        [],
        "who polls is awake"
    );
}

/// Returns the machine as a guest of a hypervisor that ends its halts.
fn guest() -> System {
    let mut system = machine();
    let environment = system.environment.as_mut().unwrap();
    environment.platform.virtual_machine = true;
    environment.cpu.idle_driver = Some("haltpoll".into());
    environment.cpu.idle_states = vec![
        IdleState { name: "POLL".into(), enabled: true, ..IdleState::default() },
        IdleState { name: "haltpoll idle".into(), latency: 1, residency: 1, enabled: true },
    ];
    system
}

/// (machine, entries of the thread's CPU into each idle state [name, exit latency in µs], I/Os per second,
/// their latency in µs, part of the evidence; `None` = no finding)
type Sleeping<'a> = (fn() -> System, &'a [(&'a str, u64, u64)], u64, u64, Option<&'a str>);

#[test]
fn idle_exits_decide_idle_latency_advice() {
    let cases: &[Sleeping] = &[
        (machine, &[("C1E", 10, 0), ("C6", 170, 100)], 100, 200, Some("CPU 3 slept 1.00 times per I/O")),
        (machine, &[("C1E", 10, 0), ("C6", 170, 100)], 100, 200, Some("idle state C6 takes 170")),
        // The pauses are long, but the processor didn't go there: somebody else keeps it awake.
        (machine, &[("C1E", 10, 0), ("C6", 170, 0)], 100, 200, None),
        (machine, &[("C1E", 10, 100), ("C6", 170, 2)], 100, 200, None),
        (machine, &[("C1E", 10, 9990), ("C6", 170, 10)], 10_000, 90, Some("idle state C1E takes 10")),
        (machine, &[("C1E", 10, 1000), ("C6", 170, 0)], 10_000, 90, None),
        // Something else wakes it all the time: of a thousand sleeps a hundred delayed an I/O.
        (machine, &[("C1E", 10, 1000), ("C6", 170, 0)], 100, 120, None),
        (guest, &[("haltpoll idle", 1, 10_000)], 10_000, 54, Some("CPU 3 slept 1.00 times per I/O")),
        (guest, &[("haltpoll idle", 1, 10_000)], 10_000, 54, Some("driver haltpoll")),
        (guest, &[("haltpoll idle", 1, 10_000)], 10_000, 400, None),
        (guest, &[("haltpoll idle", 1, 1_000)], 10_000, 54, None),
        (guest, &[("haltpoll idle", 1, 0)], 10_000, 54, None),
        (guest, &[], 10_000, 54, None),
    ];
    for (system, states, ios, latency, expected) in cases {
        let state = |(name, latency, entered): &(&str, u64, u64)| StateSleeps {
            name: (*name).into(),
            latency: *latency,
            entered: *entered,
        };
        let sleeps = match states {
            [] => Vec::new(),
            states => vec![CpuSleeps { cpu: 3, states: states.iter().map(state).collect() }],
        };
        let found = |cpu_latency| {
            let observed =
                Observations { idle_entries: sleeps.clone(), cpu_latency, ..Observations::default() };
            found_beside(observed, system(), "-b4K -r -o1 -L -Sh f", (*ios, *latency), "sync")
        };
        let of =
            |findings: Vec<Finding>| findings.into_iter().find(|finding| finding.name == "idle-exit-latency");
        let told = of(found(None)).map(|finding| (finding.severity, finding.evidence.join("\n")));
        match expected {
            Some(part) => assert!(
                matches!(&told, Some((Note, evidence)) if evidence.contains(part)),
                "{states:?}, {ios} I/Os of {latency}: {told:?}"
            ),
            None => assert_eq!(told, None, "{states:?}, {ios} I/Os of {latency}"),
        }
        assert_eq!(of(found(Some(0))), None, "--cpu-latency is given");
    }
}

#[test]
fn ineffective_limit_is_reported() {
    let found = |system: System, cpu_latency| {
        let observed = Observations { cpu_latency, ..Observations::default() };
        let found = found_beside(observed, system, "-b4K -r -o1 -L -Sh f", (100, 200), "sync");
        let names = names(&found);
        names.contains(&("cpu-latency-ignored", Warning, false))
    };
    let without_driver = || {
        let mut system = machine();
        system.environment.as_mut().unwrap().cpu.idle_states.clear();
        system
    };
    assert!(found(without_driver(), Some(0)));
    assert!(!found(without_driver(), None), "nobody asked for it");
    assert!(!found(machine(), Some(0)) && !found(guest(), Some(0)));
    let mut polling = without_driver();
    polling.environment.as_mut().unwrap().kernel_command_line = Some("quiet idle=poll".into());
    assert!(!found(polling, Some(0)), "it never sleeps");
    assert!(!found(System::default(), Some(0)), "nobody looked");
}

#[test]
fn ineffective_depth_is_reported() {
    let found = |line, engine| {
        let found = found_on(machine(), line, 1000, 100, engine);
        names(&found).iter().any(|(name, _, quiet)| *name == "one-at-a-time" && !quiet)
    };
    assert!(found("-b4K -r -o8 f", "aio"));
    assert!(found("-b4K -r -o8 -Sm f", "mmap"));
    assert!(!found("-b4K -r -o8 f", "sync"), "what limited the run says that aloud");
    assert!(!found("-b4K -r f", "sync"), "nobody asked for the default depth");
    assert!(!found("-b4K -r -o8 f", "uring"));
    assert!(!found("-b4K -r -o8 -Su f", "aio"));
    assert!(!found("-b4K -r -o1 f", "aio"));
}

#[test]
fn honest_run_has_no_advice() {
    let line = "-c256M -b4K -r -w25 -t2 -o32 -Su -L -W1 -d5 f";
    let found = found_on(machine(), line, 100_000, 600, "uring");
    let loud: Vec<_> = found.iter().filter(|finding| !finding.quiet).collect();
    assert!(loud.is_empty(), "{loud:#?}");
    assert!(found.iter().any(|finding| finding.name == "single-run"), "programs are told");
}

#[test]
fn distortions_are_printed_and_other_facts_recorded() {
    let mut slow = machine();
    let environment = slow.environment.as_mut().unwrap();
    environment.clock_source = Some("hpet".into());
    environment.platform.virtual_machine = true;
    environment.load.cpu_pressure = Some(9000);
    let found = found_on(slow, "-b4K -r -Sh f", 1000, 100, "uring");
    let of = |name: &str| found.iter().find(|finding| finding.name == name).unwrap();
    assert_eq!((of("clock-source").severity, of("clock-source").quiet), (Warning, false));
    assert!(of("virtual-machine").quiet);
    assert_eq!((of("cpu-load").severity, of("cpu-load").quiet), (Note, true), "a moment before the run");
    assert_eq!(found[0].name, "clock-source", "the worst comes first");
}
