//! Tests that the schemas in docs/ match the program's output. They are generated here from values with
//! every field: `UPDATE_EXPECT=1 cargo test --test library schemas` updates them.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::kept::{is_kept, is_kept_between};
use crate::common::schema::{self, Shape};
use crate::report::golden_reports::synth;
use crate::report::record_fields::{self, FieldTable};
use diskspd::engines::EngineKind;
use diskspd::finding::{Finding, Severity};
use diskspd::formats::json;
use diskspd::host::devices::{self, Details, Partition};
use diskspd::host::refusal::{DiskUse, Use};
use diskspd::machine::arrays::{ArrayFacts, ArrayMaintenance};
use diskspd::machine::completion::OneByOne;
use diskspd::machine::content;
use diskspd::machine::content::{ContentFacts, ContentShares, Reducer};
use diskspd::machine::device_log::{
    DeviceLogDelta, Health, LatencyBin, LogPage, LogSource, MediaCounters, VolumeCounters,
};
use diskspd::machine::environment::{
    Cpu, Disk, Environment, Frequency, IdleState, Limits, Link, Load, Platform,
};
use diskspd::machine::fingerprint::Fingerprint;
use diskspd::machine::interrupts::{CpuInterrupts, DeviceInterrupts};
use diskspd::machine::io_counters::{
    Activity, CacheGrowth, DeviceActivity, DeviceFacts, FileState, Flow, OwnIo, SettingChange, SpaceChange,
    TargetDevices,
};
use diskspd::machine::io_features::AtomicWrites;
use diskspd::machine::io_limit::{IoControl, IoCost, IoLimit};
use diskspd::machine::memory_backed::InMemory;
use diskspd::machine::quota::{CpuQuota, MemoryAllowance, MemoryLimit, MemoryLimitChange};
use diskspd::machine::remote::{
    CallTimes, RemoteActivity, RemoteCalls, RemoteFacts, RemoteMount, TcpSegments,
};
use diskspd::machine::stack::{Layer, LayerKind, Stack, StackMount, Traits};
use diskspd::machine::storage::{BlockDevice, FileSystem, Storage};
use diskspd::machine::tasks::{OtherTasks, Task};
use diskspd::machine::thermal::{Temperature, Thermal};
use diskspd::machine::threads::ThreadTimes;
use diskspd::machine::tracer::Tracer;
use diskspd::machine::tracing::{EVENTS, TraceEvent};
use diskspd::machine::unread_facts::UnreadFacts;
use diskspd::merge::merge_all;
use diskspd::operation::Operation;
use diskspd::profile::WriteLifetime;
use diskspd::profile::*;
use diskspd::results::*;
use diskspd::stats::{Histogram, IntervalLog, Intervals, LatencySeries, LatencySums, PackedCounts, Series};
use diskspd::units::Millis;
use serde_json::Value;
use std::path::Path;

/// Returns every kind of damage, with and without a stamp.
fn integrity() -> IntegrityResults {
    use SectorState::*;
    let found = FoundStamp { of_this_run: true, target: 1, offset: 1, generation: 1, writer: 1, write: 1 };
    let mut all = IntegrityResults { stamped_as: Some(1), ..IntegrityResults::default() };
    for fault in [Torn, NotAtomic, Lost, Stale, Unwritten, Misplaced, Foreign, Corrupt, Unreadable] {
        let found = (fault != Unwritten).then_some(found);
        all.fail(FailedSector { fault, offset: 512, expected: 1, found, at_us: 1 });
    }
    all
}

/// Returns records with all fields at least once, and each optional one also missing or null.
fn examples() -> Vec<Record> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/synth");
    let files = std::fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path());
    let inputs = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let mut records: Vec<Record> = inputs.map(|path| synth::record(&std::fs::read(path).unwrap())).collect();
    let mut full = synth::record(include_bytes!("../data/synth/43_rand3.json"));
    fill_profile(&mut full.profile);
    full.run_options = Some(RunOptions {
        engine: Some(EngineKind::Uring),
        prefill: Some(Prefill::Auto),
        until_steady_s: Some(1),
        cpu_latency_us: Some(1),
        fsync_every: Some(1),
        stuck_ms: Some(1),
        explain: Some(1),
        fail_on_outage_ms: Some(1000),
        verify: Some(VerifyMode::Both),
        verify_as: vec![1],
        until_written: Some(Volume::Bytes(1)),
        until_read: Some(Volume::Times(1)),
        replay: Some(ReplayOptions {
            writes: Some(ReplayWrites::Skip),
            stream: Some("8,0".into()),
            ios: 1,
            ..ReplayOptions::default()
        }),
        preset: Some("a".into()),
        ..RunOptions::default()
    });
    full.preconditioning = Some(preconditioning());
    full.hosts[0].system.start_time = Some(1);
    full.hosts[0].system.topology.cores[0].continued = true;
    full.hosts[0].system.topology.disallowed = vec![(0, 1)];
    let device = BlockDevice {
        direct: Some(true),
        disk: Some("/dev/sda".into()),
        model: Some("Disk".into()),
        firmware: Some("1".into()),
        identity: Some("naa.1".into()),
        size: Some(1),
        queue: [("scheduler".to_string(), "none".to_string())].into(),
        ..BlockDevice::default()
    };
    let measured =
        FileSystem { block_size: Some(1), size: Some(1), available: Some(1), ..FileSystem::default() };
    let mut environment = full_environment();
    environment.disks[0].device = device.clone();
    // One that doesn't say which it is.
    environment.disks.push(Disk::default());
    full.hosts[0].system.environment = Some(environment);
    let storages = [
        Storage { path: "a.dat".into(), file_system: Some(measured), device: Some(device) },
        Storage { path: "b.dat".into(), file_system: Some(FileSystem::default()), device: None },
        Storage { path: b"\xff".to_vec().into(), file_system: None, device: Some(BlockDevice::default()) },
    ];
    let targets = (0..).map(TargetId).zip(storages);
    full.hosts[0].targets = targets.map(|(id, storage)| HostTarget { id, storage }).collect();
    full.hosts[0].system.fingerprint = Some(Fingerprint::from_system(&full.hosts[0].system));
    full.hosts[0].notices = vec![
        Finding::note("something to know"),
        Finding::warning("something to mind").in_time_span(Some(1)),
        Finding::error("something that failed").in_time_span(Some(1)),
    ];
    fill_results(&mut full.hosts[0].results.time_spans[0]);
    full.hosts[0].system.memory_allowance = Some(MemoryAllowance::default());
    full.hosts[0].results.time_spans[0].threads[0].targets[0].integrity = Some(Box::new(integrity()));
    // Two time spans have totals; the second one was never measured.
    full.profile.time_spans.push(full.profile.time_spans[0].clone());
    full.hosts[0].results.time_spans.push(SpanResults {
        observed: Some(Observations::default()),
        ended: Some(RunOutcome { cause: EndedBy::Time, after: None }),
        ..SpanResults::default()
    });
    assert_eq!(full.check(), Ok(()));
    let mut unknown = synth::record(include_bytes!("../data/synth/13_noio_nolat.json"));
    unknown.hosts[0].system.power_scheme = Default::default();
    let not_filled = Preconditioning { purged_bytes: None, fill: None, window: None, ..preconditioning() };
    unknown.preconditioning = Some(not_filled);
    // Nothing but what lies in memory: nobody can say, and that's not bad.
    let stack = Stack::without("it lies in memory");
    let in_memory = TargetDevices { stack, stack_at_end: vec!["sdb".into()], ..Default::default() };
    unknown.hosts[0].results.time_spans[0].observed = Some(Observations {
        resource_usage: Some(effort(true)),
        // What nobody counted.
        delays: Some(Delays::default()),
        devices: Some(DeviceFacts { targets: vec![in_memory], ..DeviceFacts::default() }),
        ..Observations::default()
    });
    // A closed loop, whose latencies have to account for its depth: discards would take places in the queue.
    let mut closed = full.clone();
    closed.hosts[0].results.time_spans[0].threads[0].targets[0].others = AuxResults::default();
    let (until_written, until_read) = (Some(Volume::Times(1)), Some(Volume::Bytes(1)));
    closed.run_options =
        full.run_options.clone().map(|run_options| RunOptions { until_written, until_read, ..run_options });
    records.extend(COURSES.map(|course| with_course(closed.clone(), course)));
    // By target, all of them together, and nothing to tell.
    let together = OutageObservations { targets: Vec::new(), ..quiet() };
    let looked = [Some(quiet()), Some(together), Some(OutageObservations::default())];
    records.extend(looked.map(|quiet| with_outage(with_course(closed.clone(), COURSES[0]), quiet)));
    let cpu = Cpu { frequency: Some(Frequency::default()), ..Cpu::default() };
    unknown.hosts[0].system.environment =
        Some(Environment { cpu, disks: vec![Disk::default()], ..Environment::default() });
    // Without -L.
    let target = &mut unknown.hosts[0].results.time_spans[0].threads[0].targets[0];
    (target.read.paced, target.write.paced) = (Some(Box::default()), Some(Box::default()));
    target.parts = vec![target.as_part(0, 512)];
    let mut unseen = unknown.clone();
    unseen.hosts[0].system.environment = Some(Environment::default());
    unseen.hosts[0].results.time_spans[0].observed = Some(Observations::default());
    let mut idle = synth::record(include_bytes!("../data/synth/43_rand3.json"));
    forget(&mut idle, |target| &mut target.read);
    let mut reads = synth::record(include_bytes!("../data/synth/43_rand3.json"));
    forget(&mut reads, |target| &mut target.write);
    let mut writes = idle.clone();
    let rate_total = Some(RateTotal { ios_per_s: 1, arrivals: Arrivals::Poisson });
    let replay = Some(ReplayOptions::default());
    writes.run_options = Some(RunOptions { rate_total, replay, ..RunOptions::default() });
    let others = &mut writes.hosts[0].results.time_spans[0].threads[0].targets[0].others;
    others.set(Operation::Flush, of_times(Histogram::new()));
    let target = &mut writes.hosts[0].results.time_spans[0].threads[0].targets[0];
    (target.read.nowait_misses, target.write.nowait_misses) = (Some(0), Some(1));
    forget(&mut idle, |target| &mut target.write);
    for (record, moves_every_s) in [(&mut reads, None), (&mut writes, Some(1))] {
        let hot = AddressSpread::Hot { area_percent: 1, io_percent: 1, moves_every_s };
        record.profile.time_spans[0].targets[0].spread = Some(hot);
    }
    reads.run_options = Some(RunOptions::default());
    let mut flushes = Histogram::new();
    flushes.record(1);
    let target = &mut reads.hosts[0].results.time_spans[0].threads[0].targets[0];
    target.others.set(Operation::Flush, of_times(flushes));
    (target.read.nowait_misses, target.write.nowait_misses) = (Some(1), Some(0));
    target.parts = vec![target.as_part(0, 512)];
    full.hosts[0].system.machine = Some("0123456789abcdef".into());
    let target = &mut full.hosts[0].results.time_spans[0].threads[0].targets[0];
    target.parts = vec![target.as_part(0, 512)];
    // A time span that was never measured, of which nothing special was asked.
    let mut unmeasured = reads.clone();
    for targets in [vec![Target::default()], Vec::new()] {
        unmeasured.profile.time_spans.push(TimeSpan { targets, ..TimeSpan::default() });
        unmeasured.hosts[0].results.time_spans.push(SpanResults::default());
    }
    // Nothing was run, and nothing found.
    let empty = Record::new(Profile::default(), Default::default(), Results::default());
    records.extend(several_hosts());
    records.extend(judged_programs(&full));
    records.extend([full, unknown, unseen, unmeasured, reads, writes, idle, empty]);
    records
}

/// Returns records of other programs: with all facts, without claims, and without a command (`--for`).
fn judged_programs(full: &Record) -> [Record; 3] {
    let calls = SortedCalls::default();
    let engine = |ios| EngineFacts { ios, uncounted_reason: Some("a".into()), ..EngineFacts::default() };
    let ios = EngineIos { mean_bytes: Some(1.0), error_share: 1.0, ..EngineIos::default() };
    let side = ClaimedSide { ios: Some(1), bytes: Some(1), iops: Some(1.0) };
    let claimed = ClaimedFigures { source: "a".into(), read: side, write: side, seconds: Some(1.0) };
    let known = JudgedProgram {
        words: vec!["a".into()],
        exit_code: Some(1),
        still_running: 1,
        unreadable: 1,
        read: calls,
        files: vec!["a".into()],
        bypasses_cache: true,
        engines: vec![
            engine(Some(ios)),
            engine(Some(EngineIos::default())),
            engine(None),
            EngineFacts::default(),
        ],
        zeros_share: 1.0,
        clients: vec!["a".into()],
        stopped_us: 1,
        claimed: Some(claimed),
        dropped: 1,
        users: vec![
            TargetUser { read_bytes: Some(1), write_bytes: Some(1), ..TargetUser::default() },
            TargetUser::default(),
        ],
        device_view: Some(device_view()),
        ..JudgedProgram::default()
    };
    let claimed = Some(ClaimedFigures::default());
    let view = DeviceView { untraced_reason: Some("a".into()), ..DeviceView::default() };
    let requests = Some(TracedRequests::default());
    let silent = JudgedProgram {
        words: vec!["a".into()],
        claimed,
        device_view: Some(DeviceView { requests, ..view }),
        ..JudgedProgram::default()
    };
    let mut records = [known, silent, JudgedProgram::default()]
        .map(|program| Record { program: Some(Box::new(program)), ..full.clone() });
    // Of its processes fewer facts are known than of this program's threads.
    let observed = Observations {
        resource_usage: Some(ResourceUsage::default()),
        devices: Some(DeviceFacts::default()),
        outage_observations: Some(OutageObservations::default()),
        ..Observations::default()
    };
    records[1].hosts[0].results.time_spans[0].observed = Some(observed);
    records
}

fn device_view() -> DeviceView {
    let class = SizeClass { from: 1, count: 1 };
    let shape = RequestShape { requests: 1, sequential: 1, sizes: vec![class] };
    let requests =
        TracedRequests { device: "a".into(), read: shape.clone(), write: shape, traced_share: 0.5, lost: 1 };
    DeviceView { in_flight: vec![class], requests: Some(requests), untraced_reason: None }
}

/// Returns merged records of hosts with many and with few facts.
fn several_hosts() -> [Record; 2] {
    let host = |number: u32, known: bool| {
        let mut record = synth::record(include_bytes!("../data/synth/43_rand3.json"));
        fill_results(&mut record.hosts[0].results.time_spans[0]);
        let host = &mut record.hosts[0];
        host.rank = number;
        host.results.time_spans[0].threads[2].targets[0].target = TargetId(0);
        host.results.time_spans[0].errors.iter_mut().for_each(|error| error.target = TargetId(0));
        host.results.time_spans[0].started_at = known.then_some(1 + i64::from(number) * 300);
        if known {
            let begin_ns = 1 + i64::from(number) * 300_000_000;
            let end_ns = begin_ns + host.results.time_spans[0].measured as i64;
            let windows = vec![Some(CommonWindow { start_ns: begin_ns, end_ns })];
            host.clock = Some(HostClock { windows, ..HostClock::default() });
            host.system.fingerprint = Some(Fingerprint::from_system(&host.system));
            host.system.boot = Some("b".into());
            host.system.unreadable = vec![UnreadFacts {
                path: "/proc/meminfo".into(),
                facts: "memory".into(),
                reason: "none".into(),
                remedy: "mount it".into(),
                processors: true,
            }];
            host.system.machine = Some("0123456789abcdef".into());
        } else {
            host.results.time_spans[0].measured = 0;
        }
        record
    };
    let missing = Host { rank: 3, ranks: Some(4), missing: Some("it was killed".into()), ..Host::default() };
    let asked = Profile::default();
    let known = merge_all(&asked, vec![host(0, true), host(1, true)], vec![missing]).unwrap();
    let mut unmeasured = vec![host(0, false), host(1, false)];
    unmeasured[0].hosts[0].results.time_spans[0].measured = 1_000_000_000;
    [known, merge_all(&asked, unmeasured, vec![]).unwrap()]
}

/// Returns an environment with all facts.
fn full_environment() -> Environment {
    let one = || Some(1);
    let word = || Some("a".to_string());
    let frequency = Frequency {
        driver: word(),
        preference: word(),
        hardware_min: one(),
        hardware_max: one(),
        min: one(),
        max: one(),
        current: one(),
    };
    Environment {
        kernel_command_line: word(),
        cpu: Cpu {
            frequency: Some(frequency),
            boost: Some(true),
            idle_driver: word(),
            idle_states: vec![IdleState::default()],
            smt: word(),
            throttled: one(),
        },
        clock_source: Some("hpet".into()),
        vulnerabilities: [("meltdown".to_string(), "Not affected".to_string())].into(),
        platform: Platform {
            vendor: word(),
            product: word(),
            virtual_machine: true,
            hypervisor: word(),
            cloud: word(),
            container: true,
        },
        limits: Limits {
            cpu: one(),
            cpus: word(),
            memory: one(),
            io: [("8:0".to_string(), "rbps=1".to_string())].into(),
        },
        load: Load {
            running: one(),
            average: one(),
            cpu_pressure: one(),
            io_pressure: one(),
            swap_used: one(),
        },
        disks: vec![Disk {
            transport: word(),
            link: Some(Link::default()),
            numa_node: Some(0),
            misaligned: vec![String::new()],
            targets: vec![TargetId(0), TargetId(2)],
            ..Disk::default()
        }],
    }
}

fn forget(record: &mut Record, direction: fn(&mut TargetResults) -> &mut DirectionResults) {
    let asked = &record.profile.time_spans[0];
    let series = || Series::new(asked.io_bucket_duration, asked.duration);
    let targets =
        record.hosts[0].results.time_spans[0].threads.iter_mut().flat_map(|thread| &mut thread.targets);
    for results in targets.map(direction) {
        *results = DirectionResults {
            latency: Some(Box::default()),
            series: Some(Box::new(series())),
            paced: Some(Box::new(PacedIos { response: Some(Histogram::new()), ..PacedIos::default() })),
            ..DirectionResults::default()
        };
    }
}

fn fill_profile(profile: &mut Profile) {
    profile.command_line = b"diskspd \xff".to_vec().into();
    profile.etw = Some(Etw::default());
    profile.precreate_files = Some(PrecreateFiles::UseMaxSize);
    profile.verbose_stats = true;
    let span = &mut profile.time_spans[0];
    span.affinity = vec![GroupCpu { group: 0, cpu: Some(0) }];
    let target = &mut span.targets[0];
    target.thread_targets = vec![ThreadTarget { thread: 0, weight: 1 }];
    target.random_data_source = Some(RandomDataSource { size: 1, path: Some(b"\xff".to_vec().into()) });
    target.flush_type = Some(FlushType::ViewOfFile);
    (target.atomic, target.dont_cache, target.write_hint) = (true, true, Some(WriteLifetime::Short));
    (target.no_wait, target.zoned, target.each_once) = (true, true, true);
    (target.fdp, target.write_streams) = (PlacementList(vec![0]), PlacementList(vec![1]));
    target.spread = Some(AddressSpread::Zipf { theta_thousandths: 1 });
    target.content = Some(ContentShape { compress: 1, dedupe: 1 });
    Operation::shared().for_each(|(op, ..)| target.shares.set(op, 1));
    (target.burst_size, target.think_time) = (Some(1), Some(1));
    target.throughput = Some(diskspd::profile::Throughput::Iops(1));
    let part = MixPart::new(Target::default(), 1, None, None);
    let sizes = vec![SizeShare { block_size: 1, share: 1 }];
    let (distribution, spread) = (target.distribution.clone(), target.spread);
    let (base_file_offset, max_file_size) = (Some(1), Some(1));
    let full = MixPart {
        base_file_offset,
        max_file_size,
        sizes: sizes.clone(),
        distribution,
        spread,
        ..part.clone()
    };
    (target.mix, target.sizes) = (vec![part, full], sizes);
    let other = &mut span.targets[1];
    other.random_data_source = Some(RandomDataSource { size: 1, path: None });
    other.throughput = Some(diskspd::profile::Throughput::BytesPerMillisecond(1));
    other.path = b"\xff".to_vec().into();
    other.uncached_devices = false;
    other.spread = Some(AddressSpread::Normal { deviation_percent: 1 });
}

fn fill_results(span: &mut SpanResults) {
    span.start = Some(SpanBegin::default());
    span.observed = Some(Observations {
        devices: Some(devices()),
        content: contents(),
        device_logs: statements(),
        polled: true,
        cpu_latency: Some(1),
        until_written: Some(1),
        until_read: Some(1),
        serialized: vec![None, Some(OneByOne::Memory)],
        trace: Some(trace()),
        delays: Some(Delays {
            sigcont_count: Some(0),
            late_us: Some(0),
            late_workers_active_us: Some(0),
            workers_active_us: Some(0),
            frozen_us: Some(0),
            ..Delays::default()
        }),
        offline: vec![1],
        ..Observations::default()
    });
    span.threads[0].wait = Some(WaitStatistics::default());
    span.threads[0].engine = Some(EngineUse::default());
    let other = TargetId(2);
    span.threads[2].targets[0].target = other;
    span.threads[2].targets[0].distribution =
        vec![EffectiveRange { io_base: 0, io_span: 100, start: 0, length: 1 }];
    for (target, at_us) in [(other, vec![1]), (TargetId(0), vec![])] {
        let direction = diskspd::engines::Direction::Read;
        span.errors.push(IoErrors { target, direction, errno: 5, count: 1, first_offset: 0, at_us });
    }
    let width = span.threads[0].targets[0].read.series.as_ref().map_or(0, |series| series.width());
    assert!(width > 0);
    // The last interval isn't a whole one.
    span.measured -= width / 2;
    span.ended = Some(RunOutcome { cause: EndedBy::Interrupt, after: Some(1) });
    span.threads[0].targets[0].unfinished = vec![1];
    span.started_at = Some(1);
    span.intervals = Some(intervals());
    span.responses = Some(intervals());
    let target = &mut span.threads[0].targets[0];
    target.not_submitted = Some(Box::new(Overdue { ios: 1, longest: 2_000_000 }));
    Operation::shared().for_each(|(op, ..)| target.others.set(op, target.write.clone()));
    for direction in [&mut target.read, &mut target.write].into_iter().chain(target.others.accounts_mut()) {
        let mut delay = Histogram::new();
        (0..direction.ios).for_each(|_| delay.record(5_000_000));
        direction.paced = Some(Box::new(PacedIos { response: Some(delay.clone()), delay }));
    }
}

/// I/Os by second of a steady, a changed, a repeatedly interrupted and a once interrupted run.
const COURSES: [fn(u64) -> u64; 4] = [
    |_| 1000,
    |second| if second < 12 { 3000 } else { 1000 },
    |second| second / 4 % 2 * 1000,
    |second| if (20..24).contains(&second) { 0 } else { 2000 - second },
];

fn preconditioning() -> Preconditioning {
    let round = |ms| RoundFigures { iops: 1.0, mib_per_s: 1.0, mean_ms: ms, p99_ms: ms };
    Preconditioning {
        standard: "custom".into(),
        purged_bytes: Some(1),
        fill: Some(FillStep { command: "a".into(), bytes: 1, seconds: 1.0 }),
        command: "a".into(),
        rounds: vec![round(None), round(Some(Millis::new(1.0)))],
        window: Some(RoundWindow { average_iops: 1.0, excursion: 1.0, slope: 1.0 }),
        steady: true,
    }
}

/// Returns ticks of a run with pauses of 0.4 s every 1.7 s until second `until`.
fn paused(until: usize) -> TickCounts {
    let beat = |beat: usize| if beat / 50 < until && beat % 85 >= 65 { 0 } else { 20 };
    TickCounts { width_us: 20_000, ios: PackedCounts((0..1500).map(beat).collect()) }
}

/// Returns latencies that change with the rate, longest at the lowest rate.
fn latencies(ios: fn(u64) -> u64) -> LatencySeries {
    let of = |second| match ios(second) {
        0 => LatencySums { ios: 2000, sum_ns: 6_000_000_000, squares_us2: 2000 * 9_000_000 },
        ios => LatencySums { ios, sum_ns: 1_000_000_000, squares_us2: 1_000_000_000_000 / ios },
    };
    LatencySeries { width_us: 1_000_000, intervals: (0..30).map(of).collect() }
}

fn with_course(mut record: Record, ios: fn(u64) -> u64) -> Record {
    let sample = |second| Sample { end_us: (second + 1) * 1_000_000, ios: ios(second), bytes: 0 };
    let samples = (0..30).map(sample).collect();
    let warm_up = Some(WarmUp { seconds: 10, limit: 3600, steady: true });
    // The first one is a closed loop of which all is known.
    let known = ios(0) == ios(12) && ios(0) > 0;
    let span = &mut record.profile.time_spans[0];
    // Requested pauses have no steadiness.
    record.run_options.iter_mut().for_each(|options| options.replay = None);
    span.targets.iter_mut().for_each(|t| (t.throughput, t.think_time, t.burst_size) = (None, None, None));
    if known {
        span.targets.iter_mut().for_each(|t| t.cache_mode = CacheMode::DisableOsCache);
        span.completion_routines = false;
    }
    let mut device = devices();
    device.targets.truncate(1);
    // What is counted all the time tells how deep the queue was.
    device.devices.iter_mut().for_each(|device| device.statistics_switched = false);
    let observed = Observations {
        devices: known.then_some(device),
        samples,
        p99_ns: if known { vec![2_000_000; 30] } else { Vec::new() },
        ticks: Some(if known { paused(1) } else { paused(30) }),
        latencies: Some(latencies(ios)),
        tracer: known.then(Tracer::default),
        warm_up,
        resource_usage: Some(effort(known)),
        thermal: Some(thermal(known)),
        idle_entries: sleeps(known),
        interrupts: interrupts(known),
        lost_cpu_times: if known {
            vec![LostTimes::default(); record.hosts[0].results.time_spans[0].cpus.len()]
        } else {
            Vec::new()
        },
        trace: Some(Trace::default()),
        slow: Some(slowest(known)),
        outage_observations: known.then(quiet),
        ..Observations::default()
    };
    let span = &mut record.hosts[0].results.time_spans[0];
    span.observed = Some(observed);
    // With them no warm-up is proposed.
    span.errors.clear();
    record
}

/// Returns I/Os of `--explain`, with all or almost no facts.
fn slowest(known: bool) -> SlowIos {
    let io = |culprit| SlowIo {
        thread: 0,
        target: TargetId(0),
        operation: "read".into(),
        offset: 1,
        length: 1,
        submitted_ns: -1,
        latency_ns: 1,
        stages: StageTimes::default(),
        cause: culprit,
    };
    let culprit = |name: &str| Some(Culprit { kind: CulpritKind::Task, name: name.into(), duration_ns: 1 });
    SlowIos {
        requested: 1,
        ios: vec![io(None), io(culprit("")), io(culprit("a"))],
        seconds: vec![SlowSecond::default()],
        cost_percent: 0.5,
        error: known.then(|| "a".into()),
        ..SlowIos::default()
    }
}

/// Adds an outage of four seconds of one target, or of all together.
fn with_outage(mut record: Record, quiet: Option<OutageObservations>) -> Record {
    let beat = |beat: u64| if (400..600).contains(&beat) { 0 } else { 100_000 };
    let beats = TickCounts { width_us: 20_000, ios: PackedCounts((0..1500).map(beat).collect()) };
    let facts = quiet.map(|mut facts| {
        facts.targets.iter_mut().for_each(|target| target.ticks = beats.clone());
        facts
    });
    let span = &mut record.hosts[0].results.time_spans[0];
    let observed = span.observed.as_mut().unwrap();
    (observed.ticks, observed.outage_observations) = (Some(beats), facts);
    span.started_at = span.started_at.or(Some(1));
    span.start = span.start.or(Some(SpanBegin { start_signal_utc_ns: 1, measuring_utc_ns: 1 }));
    record
}

fn quiet() -> OutageObservations {
    let change = PathChange {
        observed_us: 1,
        attribute: "sdb state".into(),
        from: "running".into(),
        to: "offline".into(),
    };
    let (begin_us, end_us) = (8_000_000, 12_000_000);
    let silence = CompletionGap {
        target: TargetId(0),
        start_us: begin_us,
        end_us,
        in_flight: Some(1),
        changes: vec![change],
    };
    let stuck = HangingIo {
        target: TargetId(0),
        operation: "read".into(),
        offset: 0,
        length: 4096,
        submitted_us: -1,
        observed_us: 1,
    };
    OutageObservations {
        targets: vec![TargetTicks { target: TargetId(0), ticks: TickCounts::default() }],
        watcher_gaps: vec![WatcherGap { start_us: 1, end_us: 2 }],
        gaps: vec![silence, CompletionGap { start_us: 1, end_us: 2, ..CompletionGap::default() }],
        stuck: vec![stuck],
    }
}

fn memory_limit(known: Option<u64>) -> MemoryLimit {
    MemoryLimit {
        bytes: known,
        changes: known.map(|_| [Some(1), None].map(memory_change).to_vec()).unwrap_or_default(),
        reached: 1,
        stalled_us: known,
        ..MemoryLimit::default()
    }
}

fn memory_change(bytes: Option<u64>) -> MemoryLimitChange {
    MemoryLimitChange { bytes, ..MemoryLimitChange::default() }
}

fn effort(known: bool) -> ResourceUsage {
    let worker = |times: Option<ThreadTimes>| WorkerUsage {
        engine: EngineKind::Sync,
        depth: 1,
        cpu: times.and(Some(1)),
        affinity_change: times.map(|_| AffinityChange { after_us: 1, observed_us: 2, cpus: vec![1] }),
        times,
    };
    let times = |waiting| Some(ThreadTimes { busy: 1, run_delay: waiting, ..ThreadTimes::default() });
    let cost = |io| ToolCost { clock: 0.5, histogram: 0.5, io, ring_noop: io };
    let limit = |value| IoLimit {
        read_bytes: value,
        write_bytes: value,
        reads: value,
        writes: value,
        ..IoLimit::default()
    };
    let quota = CpuQuota { group: "a".into(), cpus: 0.5, periods: 1, throttled_periods: 1, throttled: 1 };
    ResourceUsage {
        workers: match known {
            // So long that the figures would be others without.
            true => vec![worker(times(Some(1 << 50)))],
            false => vec![worker(None), worker(times(None))],
        },
        process: 1,
        tool: Some(cost(known.then_some(0.5))),
        quotas: vec![quota],
        memory: match known {
            true => vec![memory_limit(Some(1)), memory_limit(None)],
            false => Vec::new(),
        },
        io_limits: vec![limit(Some(1)), limit(None)],
        limit_changes: match known {
            true => vec![
                LimitChange::default(),
                LimitChange {
                    group_changed: true,
                    io_limits: vec![limit(Some(1))],
                    cpus: vec![CpuLimit { group: "a".into(), cpus: 0.5 }],
                    ..LimitChange::default()
                },
            ],
            false => Vec::new(),
        },
        io_costs: match known {
            true => vec![
                IoCost { wait_us: Some(1), indebt_us: Some(1), indelay_us: Some(1), ..IoCost::default() },
                IoCost::default(),
            ],
            false => Vec::new(),
        },
        io_controls: if known { vec![IoControl::default()] } else { Vec::new() },
        other_processes: Some(others(known)),
    }
}

fn others(seen: bool) -> OtherTasks {
    let task = Task { name: "kworker/0:1".into(), pid: 1, kernel: seen, busy: 1 };
    OtherTasks {
        kernel: seen.then_some(1),
        kernel_run_delay: seen.then_some(1),
        started: seen.then_some(1),
        busiest: vec![task],
        ..OtherTasks::default()
    }
}

fn sleeps(known: bool) -> Vec<CpuSleeps> {
    let state = StateSleeps { name: "C6".into(), latency: 170, entered: 1 };
    if known { vec![CpuSleeps { cpu: 1, states: vec![state] }] } else { Vec::new() }
}

fn interrupts(known: bool) -> Vec<DeviceInterrupts> {
    let cpus = vec![CpuInterrupts { cpu: 1, count: 1 }];
    if known { vec![DeviceInterrupts { device: "vda".into(), cpus }] } else { Vec::new() }
}

fn thermal(before_only: bool) -> ThermalChange {
    let disk = |limit| Temperature { disk: "nvme0n1".into(), celsius: 40.5, limit };
    let hot = Thermal { disks: vec![disk(None), disk(Some(80.5))], cpu_throttles: Some(1) };
    match before_only {
        true => ThermalChange { before: hot, after: Thermal::default() },
        false => ThermalChange { before: Thermal::default(), after: hot },
    }
}

/// Returns three targets: on devices with excess I/O, on one without statistics, and on none.
fn devices() -> DeviceFacts {
    let layer = |name: &str, on: &[&str]| Layer {
        name: name.into(),
        number: (name == "sda").then(|| "8:0".into()),
        lower_devices: on.iter().map(|name| name.to_string()).collect(),
        statistics: true,
        queue_limits: match name {
            "sda" => Some(Traits::default()),
            "sdb" => None,
            _ => Some(Traits {
                write_back: Some(true),
                fua: Some(true),
                largest_io: Some(1),
                hardware_max_io: Some(1),
            }),
        },
        memory: on.is_empty().then_some(InMemory::Zram),
        lower_unknown: on.is_empty().then(|| "no name".into()),
        direct: (name == "sda").then_some(true),
        ..Layer::default()
    };
    let mounted = StackMount { mount_point: "/".into(), kind: "ext4".into(), options: "rw".into() };
    let stack = Stack {
        mounts: vec![mounted.clone()],
        file_system: Some("ext4".into()),
        top_devices: vec!["dm-0".into()],
        layers: vec![layer("dm-0", &["sda"]), layer("sda", &[])],
        ..Stack::default()
    };
    let flow = Flow { ios: 1 << 30, merges: 0, bytes: 1 << 40 };
    let done = Activity { read: flow, write: flow, queue_ms: 2, ..Activity::default() };
    let flushed = Activity { flushes: Some(1), flush_ms: Some(1), ..done };
    let activity = |name: &str| DeviceActivity {
        name: name.into(),
        activity: if name == "sda" { done } else { flushed },
        in_flight_before: 0,
        has_statistics: true,
        statistics_switched: name == "sda",
        changes: if name == "sda" { vec![SettingChange::default()] } else { Vec::new() },
        counts_flushes: name == "sda",
    };
    let space = ContentShares { shared: 1, repeated: 1, fragments: 1, ..ContentShares::default() };
    let (target, device) = (Some(TargetId(0)), Some("sda".to_owned()));
    let none = ContentShares::default();
    let spaces = vec![
        SpaceChange { target, before: space, after: none, device: None },
        SpaceChange { device, before: none, after: space, target: None },
    ];
    let remote = Some(RemoteMount::default());
    let mount = Layer { name: "a:/b".into(), kind: LayerKind::Mount, remote, ..Layer::default() };
    let other =
        Stack { top_devices: vec!["sdb".into()], layers: vec![layer("sdb", &[]), mount], ..Stack::default() };
    let target = |id, stack| TargetDevices { target: TargetId(id), stack, ..TargetDevices::default() };
    DeviceFacts {
        targets: vec![
            TargetDevices {
                unwritten_before: Some(1),
                unwritten: Some(1),
                cached: Some(CacheGrowth::default()),
                flush: Some(1),
                write_error: Some(5),
                synchronous: true,
                remounted: vec![mounted],
                states: vec![FileState::default(), FileState { synchronous: true, ..FileState::default() }],
                cached_bytes: Some(1),
                atomic: Some(AtomicWrites { device_max: Some(0), ..AtomicWrites::default() }),
                ..target(0, stack)
            },
            TargetDevices { atomic: Some(AtomicWrites::default()), ..target(2, other) },
            target(
                1,
                Stack { in_memory: Some("it is hidden".into()), ..Stack::without("it lies in memory") },
            ),
        ],
        devices: vec![activity("dm-0"), activity("sda")],
        remote: vec![remote_facts(), RemoteFacts { name: "a:/b".into(), ..RemoteFacts::default() }],
        arrays: vec![
            ArrayFacts {
                members: Some(3),
                missing: (0, 1),
                maintenance: Some(ArrayMaintenance { action: "recover".into(), done: (0.0, 0.5) }),
                ..ArrayFacts::default()
            },
            ArrayFacts {
                maintenance: Some(ArrayMaintenance::default()),
                state_unknown: true,
                ..ArrayFacts::default()
            },
            ArrayFacts::default(),
        ],
        space: spaces,
        process: Some(OwnIo::default()),
        unwritten: Some((1, 1)),
        elapsed: 1,
    }
}

fn remote_facts() -> RemoteFacts {
    let (transmissions, times) = (Some(1), Some(CallTimes::default()));
    let read = RemoteCalls { transmissions, times, ..RemoteCalls::default() };
    let done = RemoteActivity { read, write: read, commit: read, reconnects: Some(0), ..Default::default() };
    RemoteFacts { name: "a:/b".into(), activity: done, tcp: Some(TcpSegments::default()) }
}

fn trace() -> Trace {
    let count =
        |event, count| EventCount { event, count, reason: count.is_none().then(|| "not here".into()) };
    let mut times = CompletionTimes { requests: 2, ..CompletionTimes::default() };
    times.times.record(1);
    let device = DeviceTimes {
        flushes: 1,
        device: "sda".into(),
        targets: vec![TargetId(2), TargetId(0)],
        read: times.clone(),
        write: times,
        reason: None,
    };
    let untold = DeviceTimes { device: "zram0".into(), reason: Some("why".into()), ..DeviceTimes::default() };
    Trace {
        counts: EVENTS
            .iter()
            .map(|row| count(row.event, Some(1)))
            .chain([count(TraceEvent::ProcessEnd, None)])
            .collect(),
        devices: Some(vec![device, untold]),
        session: TraceSession { clock: "CLOCK_MONOTONIC".into(), ..TraceSession::default() },
    }
}

fn contents() -> Vec<ContentFacts> {
    let full = ContentFacts {
        target: TargetId(2),
        space: Some(ContentShares { examined: 1, holes: 1, ..ContentShares::default() }),
        sample: Some(content::Sample::default()),
        data_reduction: vec![Reducer::default()],
        discards: Some(true),
        rotational: Some(true),
        ..ContentFacts::default()
    };
    let space = ContentShares { shared: 1, repeated: 1, fragments: 1, ..ContentShares::default() };
    let cloned = ContentFacts { space: Some(space), ..full.clone() };
    vec![full, cloned, ContentFacts::default()]
}

fn statements() -> Vec<DeviceLogDelta> {
    let bin = vec![LatencyBin::default()];
    let volume = VolumeCounters { read_bins: bin.clone(), write_bins: bin, ..VolumeCounters::default() };
    let statement = |source, page: Option<LogPage>| DeviceLogDelta {
        device: "nvme0n1".into(),
        source,
        before: page.clone(),
        error: page.is_none().then(String::new),
        after: page,
        interval_ns: 1,
    };
    vec![
        statement(LogSource::NvmeHealth, Some(LogPage::Health(Health::default()))),
        statement(LogSource::Ebs, Some(LogPage::Volume(volume))),
        statement(LogSource::Placement, Some(LogPage::Media(MediaCounters::default()))),
        statement(LogSource::InstanceStore, Some(LogPage::Volume(VolumeCounters::default()))),
        statement(LogSource::NvmeHealth, None),
    ]
}

fn intervals() -> Intervals {
    let mut log = IntervalLog::new(333, 3, true, 1);
    log.record(0, 1_000_000, 4096, false);
    let mut full = Intervals::default();
    full.add(log);
    let mut stored = serde_json::to_value(&full).unwrap();
    let mut without = stored["intervals"][0].clone();
    without["latencies"] = Value::Null;
    stored["intervals"].as_array_mut().unwrap().push(without);
    serde_json::from_value(stored).unwrap()
}

fn record_schema() -> String {
    let mut shape = Shape::default();
    examples().iter().for_each(|record| shape.see(&value(record)));
    record_fields::described(&shape.document(&format!("{} {}", RecordFormat::NAME, RecordFormat::VERSION)))
}

fn value(record: &Record) -> Value {
    serde_json::from_slice(&json::bytes(record)).unwrap()
}

fn stream_schema() -> String {
    let latency = IntervalLatency::default();
    let direction =
        |latency| IntervalDirection { mib_per_s: Some(0.0), latency, ..IntervalDirection::default() };
    let mut shape = Shape::default();
    for latency in [Some(latency), None] {
        let figures = IntervalFigures {
            end_ms: 0,
            started_at: Some(0),
            read: direction(latency),
            write: direction(latency),
            total: direction(latency),
            percentiles: latency.map(|_| IntervalPercentiles::default()),
            response: latency.map(|_| IntervalResponse::default()),
            partial_s: latency.map(|_| 0.5),
            failed: None,
        };
        let mut line = serde_json::to_value(figures).unwrap();
        line["time_span"] = 1.into();
        line["missed"] = 0.into();
        shape.see(&line);
    }
    record_fields::described(&shape.document("diskspd-stream 1"))
}

const DEVICE_FIELDS: [(&str, &str); 22] = [
    ("number", "n of #<n>, by which a target names the device; counts from 0, and is its place in the list"),
    ("name", "the kernel's name, as nvme0n1"),
    ("path", "where to open it, as /dev/nvme0n1"),
    ("size", "capacity, bytes; 0 = no medium, or not told"),
    ("model", "what the hardware calls itself; null = not told"),
    ("mapper_name", "the name that a device-mapper device was given; null for others"),
    ("backing_file", "the file or device that a loop device is made of; null for others"),
    ("rotational", "whether it has turning parts, as far as the kernel was told; null = not told"),
    ("logical_block_size", "the smallest unit that can be read or written, bytes; null = not told"),
    (
        "physical_block_size",
        "the smallest unit that the device writes without reading around it, bytes; null = not told",
    ),
    (
        "write_cache",
        "its volatile cache as the kernel treats it: write back, or write through where there is none; null = not told",
    ),
    ("scheduler", "the I/O scheduler in use, none is one of their names; null = not told"),
    (
        "queue_depth",
        "how many requests the kernel queues for it (nr_requests), for each hardware queue; null = not told",
    ),
    ("partitions", "its partitions, by name"),
    ("unchecked", "why some of its uses may be missing; missing = all were checked"),
    (
        "uses",
        "who uses it, a partition of it, or what is made of it: it is not written to then; empty = nobody that is known",
    ),
    (
        "device",
        "the device or file in use: the disk, a partition of it, what is made of it, or what it is made of",
    ),
    (
        "how",
        "mounted, member (of a mounted file system of several devices), swap, held_by another device, or served (given to \
         others by a storage server or driver of this machine)",
    ),
    ("file_system", "type of the file system; with mounted and member"),
    ("at", "where it is mounted; with mounted"),
    ("holder", "the device that is made of it; with held_by"),
    ("by", "the server or driver, and what it calls it; with served"),
];

fn devices_schema() -> String {
    let details = Details {
        model: Some("Disk".into()),
        mapper_name: Some("vg-root".into()),
        backing_file: Some("/image".into()),
        rotational: Some(true),
        logical_block_size: Some(512),
        physical_block_size: Some(4096),
        write_cache: Some("write back".into()),
        scheduler: Some("none".into()),
        queue_depth: Some(1),
    };
    let file_system = "ext4";
    let uses = [
        DiskUse::Mounted { at: "/".into(), file_system: file_system.into() },
        DiskUse::Member { file_system },
        DiskUse::Swap,
        DiskUse::HeldBy { holder: "dm-0".into() },
        DiskUse::Served { by: "a server".into() },
    ];
    let uses = uses.map(|how| Use { device: "/dev/sda".into(), how }).into();
    let partitions = vec![Partition { name: "sda1".into(), path: "/dev/sda1".into(), size: 1 }];
    let disk = |number, details| devices::Disk {
        number,
        name: "sda".into(),
        path: "/dev/sda".into(),
        size: 1,
        details,
        partitions: Vec::new(),
        uses: Vec::new(),
        unchecked: Some("no /sys".into()),
    };
    let full = devices::Disk { partitions, uses, unchecked: None, ..disk(0, details) };
    let mut shape = Shape::default();
    shape.see(&serde_json::to_value([full, disk(1, Details::default())]).unwrap());
    shape.document_with("diskspd devices", &DEVICE_FIELDS)
}

const COMPARISON_FIELDS: [(&str, &str); 62] = [
    ("format", "tells a comparison from other JSON"),
    (
        "name",
        "of the form: diskspd-comparison; of a side: what it is called; of a workload: what tells it from the others, empty = there is one",
    ),
    ("version", "rises when a reader of the last version could misunderstand"),
    ("equivalence_percent", "differences up to this count as the same (--same)"),
    ("looks", "how often the answer is computed at most, to decide about more runs"),
    ("same_percent", "differences of this workload up to this count as the same, percent"),
    ("more_of_b", "runs of B alone that would probably decide; null = decided, or no number would"),
    ("fewest_runs", "smallest numbers of runs of A and B that can show a change; null = these runs can"),
    ("seen", "known steps between sessions, whether or not they are enough"),
    ("known_by", "source of the allowance: of, and apart_ms"),
    ("of", "sessions, nearer_sessions, boots or position"),
    ("apart_ms", "distance of the sides if all known sessions are nearer, ms"),
    ("order_seed", "seed of the random order of the runs; null if the command did not make them"),
    ("until_sure", "course of --until-sure; null without this option"),
    ("pairs", "pairs of runs that were compared"),
    ("max_pairs", "pairs after which it would have ended in any case"),
    ("look", "number of the last interim analysis, from 1; null if the user ended it between two"),
    ("ended", "why: difference, equivalence, bisected (each certain), max_pairs, stopped, no_figure"),
    ("sides", "A and B: their names; of a figure: their values, null = not compared"),
    ("runs", "the names of the runs; of a workload: those of A and of B"),
    ("wrong_runs", "of how many of them the figures are WRONG: a change need not be one of the device"),
    ("workloads", "what both sides did, one by one"),
    (
        "workload",
        "of the comparison: the work of all runs in words; of a time span: which of the workloads, from 1",
    ),
    ("targets", "the targets of all runs"),
    ("machine", "the computer, or the number of computers; null = unknown"),
    (
        "order",
        "order of its runs: in_turn, alternating, periodic (fixed pattern), apart (one side first), unknown",
    ),
    ("boot_order", "side of each boot in the order of time (ABBA); null unless the boot is the unit"),
    ("period", "length of the fixed pattern of the sides, in runs or boots; null without such a pattern"),
    (
        "boots",
        "how many boots measured A, and B, where none measured both: the unit is then the boot; null = one \
         did, or it is not known",
    ),
    ("unmatched", "workloads that only A has, and only B: not compared"),
    ("time_spans", "the time spans of all workloads, in order"),
    ("time_span", "its number, from 1"),
    ("metrics", "the figures; the first one decides"),
    (
        "parts",
        "latencies of each part of a mix, which decide nothing; missing = there are no parts, or not every run has them",
    ),
    ("decisive_reason", "why that one does under a rate; null = it is IOPS, or was asked for (--metric)"),
    ("metric", "as --metric names it"),
    ("title", "for people, with the unit"),
    ("more_is_better", "false for latencies"),
    ("median", "of the values"),
    ("values", "of each run, in the order of the names"),
    ("verdict", "better, worse, same, cant_tell, two_runs (one run a side) or not_compared"),
    ("reason", "why it is not compared; null = it is"),
    (
        "change_percent",
        "of B against A (Hodges-Lehmann, of the logarithms); null = not compared, or A did nothing and B something",
    ),
    ("low_percent", "lower end of the interval of the change; null = too few runs for one"),
    ("high_percent", "upper end; null where there is a confidence = no bound"),
    (
        "confidence_percent",
        "how sure the interval is, at least 95, before it is widened; null = too few runs for one",
    ),
    ("p_value", "that two sides without a difference look so different or more, 0 to 1"),
    ("corrected_p_value", "the same, times the number of figures that share an error rate (Bonferroni)"),
    ("noise_percent", "how runs of a side scatter, or those of a pair (standard deviation)"),
    ("power_5_percent", "how likely so many runs find a change of 5 %, percent"),
    ("detectable_percent", "the smallest change that is found in 80 of 100 cases; null = none is"),
    ("more_runs", "so many more of A and of B would probably tell; null = told, or a thousand would not"),
    ("drift_percent", "what both sides did alike from the first to the last pair; null = not run in turn"),
    (
        "position_percent",
        "effect of the position: the second run of each pair against the first; null if not significant",
    ),
    ("allowance", "what the machine may have done between sequential sides; null = alternating sides"),
    ("percent", "the interval is so much wider at both ends, percent of a level"),
    ("sessions", "steps between neighbouring sessions that this rests on; 0 = unknown, a bound is assumed"),
    ("differences", "what else differs"),
    ("not_comparable", "what must agree and does not; empty without --anyway"),
    ("subject", "what differs"),
    ("first", "of A; several values are joined by or; null = not recorded"),
    ("second", "of B"),
];

fn comparison_schema() -> String {
    use diskspd::experiments::StoredAnswer;
    use diskspd::experiments::compare::*;
    use diskspd::experiments::repetition::RepeatedWork;
    let text = || Some("a".to_owned());
    let summarized = || SideSummary { median: 1.5, values: vec![1.5] };
    let compared = |known: bool, known_by: AllowanceSource| {
        let figure = || known.then_some(1.5);
        Compared {
            metric: "iops".into(),
            title: "IOPS".into(),
            more_is_better: true,
            sides: known.then(|| [summarized(), summarized()]),
            verdict: ChangeVerdict::CantTell,
            reason: text().filter(|_| !known),
            change_percent: figure(),
            low_percent: figure(),
            high_percent: figure(),
            confidence_percent: figure(),
            p_value: figure(),
            corrected_p_value: figure(),
            noise_percent: figure(),
            power_5_percent: figure(),
            detectable_percent: figure(),
            more_runs: known.then_some([1, 2]),
            more_of_b: known.then_some(1),
            fewest_runs: known.then_some([4, 5]),
            drift_percent: figure(),
            position_percent: figure(),
            allowance: known.then_some(OrderAllowance { percent: 1.5, sessions: 8, seen: 8, known_by }),
        }
    };
    let difference =
        |known: Option<String>| SideDifference { subject: "a".into(), first: known.clone(), second: known };
    let side = || Names { name: "a".into(), runs: vec!["a".into()], wrong_runs: 1 };
    let comparison = RunComparison {
        looks: 1,
        format: RunComparison::format(),
        work: RepeatedWork { workload: "a".into(), targets: vec!["a".into()], machine: text() },
        equivalence_percent: 2.5,
        order_seed: None,
        until_sure: None,
        sides: [side(), side()],
        workloads: [None, Some([1, 2])]
            .map(|boots| WorkloadCompared {
                name: "a".into(),
                order: OrderKind::InTurn,
                period: boots.map(|_| 2),
                boots,
                boot_order: boots.map(|_| "ABB".into()),
                runs: [vec!["a".into()], vec!["a".into()]],
                places: [vec![0], vec![0]],
            })
            .to_vec(),
        unmatched: [vec!["a".into()], vec!["a".into()]],
        time_spans: [None, Some("because")]
            .map(|why_this_decides| SpanCompared {
                same_percent: 2.0,
                workload: 1,
                time_span: 1,
                metrics: vec![
                    compared(true, AllowanceSource::Sessions),
                    compared(false, AllowanceSource::Sessions),
                ],
                parts: why_this_decides
                    .iter()
                    .map(|_| compared(true, AllowanceSource::NearerSessions(1)))
                    .collect(),
                decisive_reason: why_this_decides.map(str::to_owned),
            })
            .to_vec(),
        differences: vec![difference(text()), difference(None)],
        not_comparable: vec![difference(text()), difference(None)],
    };
    let mut shape = Shape::default();
    for (order_seed, look) in [(None, None), (Some(7), None), (Some(7), Some(1))] {
        let machine = order_seed.map(|_| "a".to_owned());
        let work = RepeatedWork { machine, ..comparison.work.clone() };
        let until_sure = order_seed.map(|_| SequentialDesign {
            pairs: 1,
            max_pairs: 30,
            look,
            ended: SequentialOutcome::Stopped,
        });
        let changed = RunComparison { order_seed, until_sure, work, ..comparison.clone() };
        shape.see(&serde_json::to_value(changed).unwrap());
    }
    shape.document_with("diskspd compare --json", &COMPARISON_FIELDS)
}

const SUITE_FIELDS: [(&str, &str); 29] = [
    ("format", "name and version of the document"),
    ("name", "name of the format, suite, host or finding"),
    ("version", "version of the format; a reader of another version may misunderstand the document"),
    ("about", "purpose of the suite or test; empty = not stated"),
    ("label", "label of its runs in the history: diskspd compare @LABEL"),
    ("tests", "tests, in order"),
    ("test", "name of the test"),
    ("command", "command line of the test"),
    ("runs", "names of its runs in the history, in order"),
    ("lines", "figures of its runs, in order, without runs that measured nothing"),
    ("iops", "I/Os per second, reads and writes; for a test the mean of all runs, null = no run"),
    ("mib_per_s", "2^20 bytes per second; for a test the median of all runs, null = no run"),
    (
        "p99_ms",
        "99th percentile, ms; for a test the median of all runs, with a rate the response time; null = not measured",
    ),
    ("spread_percent", "half of the 95 % interval of the mean IOPS, percent; null = fewer than two runs"),
    (
        "verdict",
        "verdict about the devices, such as verified; for a test the worst of its runs; null = no device was observed",
    ),
    (
        "severity",
        "severity of the finding, or of the worst finding: note, warning, wrong; for a test the worst of its \
         runs; null = no findings",
    ),
    ("measured_s", "measured time, s; 0 = unknown"),
    ("latency", "latency from submission; null = not measured (-L)"),
    ("response", "latency from the scheduled time; null = no I/O had a scheduled time"),
    ("mean_ms", "mean, ms"),
    ("p999_ms", "99.9th percentile, ms"),
    ("open_end_ms", "percentiles from here on are lower bounds, ms; absent = all are exact"),
    ("cpu", "mean of all CPUs, percent; null = unknown"),
    ("hottest", "the busiest CPU, percent; null = unknown"),
    ("limited_by", "bottleneck; null = not checked"),
    ("findings", "findings, except notes"),
    ("hosts", "IOPS of each host of a run on several hosts"),
    ("message", "the finding, in one sentence"),
    ("remedy", "what to do; null = no remedy is known"),
];

fn suite_schema() -> String {
    use diskspd::experiments::suite::{SuiteReport, SuiteRow, SuiteTest, json};
    use diskspd::experiments::{HostRate, LatencyRow, RunFinding, RunRow};
    use diskspd::results::RunVerdict;
    let ms = Millis::new(1.5);
    let latency = || LatencyRow { mean_ms: ms, p99_ms: ms, p999_ms: ms, open_end_ms: None };
    let line = |known: bool| RunRow {
        iops: 1.5,
        measured_s: 1.5,
        mib_per_s: 1.5,
        latency: known.then(latency),
        response: known.then(latency),
        cpu: known.then_some(1.5),
        hottest: known.then_some(1.5),
        verdict: RunVerdict::new(known.then_some(Verdict::Verified), known.then_some(Severity::Warning)),
        limited_by: known.then_some(Limiter::Profile),
        findings: vec![RunFinding {
            name: "a".into(),
            severity: Severity::Warning,
            message: "a".into(),
            remedy: known.then(|| "a".into()),
        }],
        hosts: if known { vec![HostRate { name: "a".into(), iops: 1.5 }] } else { Vec::new() },
    };
    let test = SuiteTest {
        name: "a".into(),
        about: "a".into(),
        command: vec!["a".into()],
        repeat: None,
        question: diskspd::experiments::compare::TestQuestion::default(),
    };
    let row = |lines: Vec<RunRow>| {
        SuiteRow::new(
            &test,
            "a".into(),
            vec!["a".into(); lines.len()],
            lines,
            diskspd::experiments::repeat::Repeat::Times(5),
        )
    };
    let open = || Some(LatencyRow { open_end_ms: Some(ms), ..latency() });
    let bound = RunRow { latency: open(), response: open(), ..line(true) };
    let rows = [row(vec![line(true), bound]), row(vec![line(false)]), row(Vec::new())];
    let told = SuiteReport { name: "a", about: "a", label: "a", rows: &rows };
    let mut shape = Shape::default();
    shape.see(&serde_json::from_str(&json(&told)).unwrap());
    shape.document_with("diskspd suite --json", &SUITE_FIELDS)
}

#[test]
fn suite_schema_describes_every_field() {
    assert_described(&serde_json::from_str(&suite_schema()).unwrap());
}

#[test]
fn comparison_schema_describes_every_field() {
    assert_described(&serde_json::from_str(&comparison_schema()).unwrap());
}

/// Asserts that each field of a schema has a description.
fn assert_described(schema: &Value) {
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        assert!(field["description"].is_string(), "{name} is not described");
        assert_described(field);
    }
    if schema["items"].is_object() {
        assert_described(&schema["items"]);
    }
}

#[test]
fn device_list_schema_describes_every_field() {
    assert_described(&serde_json::from_str(&devices_schema()).unwrap());
}

#[test]
fn field_table_has_no_unused_rows() {
    let mut table = FieldTable::read();
    for schema in [record_schema(), stream_schema()] {
        table.describe(&mut serde_json::from_str(&schema).unwrap(), "");
    }
    assert_eq!(table.unused(), Vec::<&str>::new());
}

#[test]
fn page_of_record_fields_matches_the_schema() {
    let schema: Value = serde_json::from_str(&record_schema()).unwrap();
    is_kept_between("docs/reference/record-fields.md", "fields", &record_fields::page(&schema));
}

#[test]
fn schemas_in_docs_match_the_types() {
    for (file, schema) in [
        ("record", record_schema()),
        ("stream", stream_schema()),
        ("devices", devices_schema()),
        ("comparison", comparison_schema()),
        ("suite", suite_schema()),
    ] {
        is_kept(&format!("docs/reference/{file}.schema.json"), &schema);
    }
}

#[test]
fn records_match_the_schema_and_read_back() {
    for record in examples() {
        schema::record(&json::bytes(&record));
        assert_eq!(json::read(&json::bytes(&record)).as_ref(), Ok(&record));
    }
}

#[test]
fn schema_violations_are_found() {
    let record = value(&examples()[0]);
    let schema: Value = serde_json::from_str(&record_schema()).unwrap();
    type Break = (fn(&mut Value), &'static str);
    let broken: [Break; 4] = [
        (|record| record["profile"]["verbose"] = 1.into(), "/profile/verbose is integer"),
        (|record| record["profile"]["more"] = 1.into(), "/profile/more is not in the schema"),
        (
            |record| record["hosts"][0]["results"]["time_spans"][0]["cpus"][1]["idle"] = "".into(),
            "/cpus/1/idle is string",
        ),
        (
            |record| {
                record["hosts"][0]["system"].as_object_mut().unwrap().remove("topology");
            },
            "/hosts/0/system/topology is missing",
        ),
    ];
    for (damage, complaint) in broken {
        let mut record = record.clone();
        damage(&mut record);
        let error = schema::conforms(&record, &schema, "").unwrap_err();
        assert!(error.to_string().contains(complaint), "{error}");
    }
}

#[test]
fn records_in_one_line_are_read_as_well() {
    let record = json::read(include_bytes!("../data/records/one-line.json")).unwrap();
    let report = String::from_utf8(diskspd::report::text::text(&record)).unwrap();
    assert_eq!(report, include_str!("../data/records/one-line.txt"));
    for format in diskspd::report_formats::FORMATS {
        assert!(!format.bytes(&record).is_empty(), "{}", format.name);
    }
}
