use super::*;
use diskspd_profile::CacheMode;

fn sample_work(depth: u64, ends: &[CompletionMode]) -> ThreadWork {
    ThreadWork {
        depth,
        mapped: false,
        routines: false,
        poll: false,
        commands: false,
        streams: false,
        ends: ends.to_vec(),
    }
}

#[test]
fn engine_choice_depends_on_the_work() {
    use CompletionMode::*;
    let plain = |depth, ends: &[CompletionMode]| sample_work(depth, ends);
    let routines = |depth, ends: &[CompletionMode]| ThreadWork { routines: true, ..sample_work(depth, ends) };
    let polled = |depth, ends: &[CompletionMode]| ThreadWork { poll: true, ..sample_work(depth, ends) };
    let mapped = |depth| ThreadWork { mapped: true, ..sample_work(depth, &[]) };
    for (work, engine, reason) in [
        (mapped(1), EngineKind::Mmap, "-Sm"),
        (mapped(32), EngineKind::Mmap, "-Sm"),
        // DISKSPD's rule has precedence over the target,
        (plain(1, &[Later]), EngineKind::Sync, "as in DISKSPD"),
        (plain(1, &[Blocking]), EngineKind::Sync, "as in DISKSPD"),
        (plain(1, &[Unknown]), EngineKind::Sync, "as in DISKSPD"),
        (routines(1, &[Later]), EngineKind::Sync, "as in DISKSPD"),
        // but not over options for the engine.
        (polled(1, &[Unknown]), EngineKind::Uring, "--poll"),
        (polled(8, &[Unknown]), EngineKind::Uring, "--poll"),
        (routines(8, &[InCall]), EngineKind::Uring, "-x"),
        (plain(2, &[Later]), EngineKind::Uring, "without blocking"),
        (plain(32, &[Later, Later]), EngineKind::Uring, "without blocking"),
        (plain(4, &[OneByOne]), EngineKind::Sync, "blocks the thread"),
        (plain(4, &[OneByOne, InCall]), EngineKind::Sync, "blocks the thread"),
        (plain(4, &[OneByOne, Later]), EngineKind::Uring, "without blocking"),
        (plain(4, &[BlockingWrites]), EngineKind::Uring, "one write at a time"),
        (plain(2, &[InCall]), EngineKind::Sync, "a larger -o only adds buffers"),
        (plain(32, &[InCall, InCall]), EngineKind::Sync, "in the submitting call"),
        (plain(32, &[InCache]), EngineKind::Sync, "page cache"),
        (plain(32, &[InCall, InCache]), EngineKind::Sync, "page cache"),
        // One target that gains from a queue is enough.
        (plain(32, &[InCall, Later]), EngineKind::Uring, "without blocking"),
        (plain(32, &[InCache, Later]), EngineKind::Uring, "without blocking"),
        (plain(32, &[InCall, Blocking]), EngineKind::Uring, "kernel workers"),
        (plain(32, &[InCall, Unknown]), EngineKind::Uring, "cannot be probed"),
        (plain(32, &[Blocking]), EngineKind::Uring, "kernel workers"),
        (plain(32, &[Unknown]), EngineKind::Uring, "cannot be probed"),
    ] {
        let choice = choose_engine(&work);
        assert_eq!(choice.engine, engine, "{work:?}");
        assert!(choice.reason.contains(reason), "{work:?}: {}", choice.reason);
    }
}

/// Returns an ext4 file on a disk with polling, used without the cache.
fn sample_facts() -> TargetFacts {
    TargetFacts {
        kind: TargetKind::File,
        file_system: "ext4".into(),
        completion: Completion::Queued,
        polling: Polling::Possible,
        ..TargetFacts::default()
    }
}

fn sample_target() -> Target {
    Target { path: "f.dat".into(), cache_mode: CacheMode::DisableOsCache, ..Target::default() }
}

#[test]
fn cached_writes_complete_synchronously_without_async_support() {
    let cached = Target {
        cache_mode: CacheMode::Cached,
        uncached_devices: false,
        write_ratio: 100,
        ..sample_target()
    };
    let on =
        |kind, file_system: &str| TargetFacts { kind, file_system: file_system.into(), ..sample_facts() };
    let file = on(TargetKind::File, "ext4");
    let waiting =
        TargetFacts { completion: Completion::Inline, file_system: "fuse".into(), ..sample_facts() };
    for (target, facts, expected) in [
        (cached.clone(), file.clone(), CompletionMode::InCache),
        (cached.clone(), on(TargetKind::Missing, "ext4"), CompletionMode::InCache),
        (cached.clone(), on(TargetKind::BlockDevice, ""), CompletionMode::InCache),
        (
            Target { uncached_devices: true, ..cached.clone() },
            on(TargetKind::BlockDevice, ""),
            CompletionMode::Later,
        ),
        (cached.clone(), on(TargetKind::File, "xfs"), CompletionMode::Later),
        (Target { write_ratio: 99, ..cached.clone() }, file.clone(), CompletionMode::Later),
        (Target { write_through: true, ..cached.clone() }, file.clone(), CompletionMode::Later),
        (Target { block_size: 512, ..cached.clone() }, file.clone(), CompletionMode::Later),
        (Target { block_alignment: 512, ..cached.clone() }, file.clone(), CompletionMode::Later),
        (Target { base_file_offset: 512, ..cached.clone() }, file.clone(), CompletionMode::Later),
        (Target { write_ratio: 100, ..sample_target() }, file.clone(), CompletionMode::Later),
        (
            sample_target(),
            TargetFacts { completion: Completion::InCall, ..sample_facts() },
            CompletionMode::InCall,
        ),
        (
            sample_target(),
            TargetFacts { completion: Completion::Blocking, ..sample_facts() },
            CompletionMode::Blocking,
        ),
        (
            sample_target(),
            TargetFacts { completion: Completion::Inline, ..sample_facts() },
            CompletionMode::Blocking,
        ),
        (
            sample_target(),
            TargetFacts { completion: Completion::OneByOne, ..sample_facts() },
            CompletionMode::OneByOne,
        ),
        (Target { write_ratio: 30, ..sample_target() }, waiting.clone(), CompletionMode::BlockingWrites),
        (Target { write_ratio: 100, ..sample_target() }, waiting.clone(), CompletionMode::OneByOne),
        (
            Target { write_ratio: 100, ..sample_target() },
            TargetFacts { kind: TargetKind::BlockDevice, ..waiting.clone() },
            CompletionMode::Blocking,
        ),
        (
            sample_target(),
            TargetFacts { completion: Completion::Unknown, ..sample_facts() },
            CompletionMode::Unknown,
        ),
    ] {
        assert_eq!(io_end(&target, &facts), expected, "{target:?} {facts:?}");
    }
}

#[test]
fn requested_engine_states_why_io_is_serial() {
    let span = TimeSpan::default();
    let on = |completion| TargetFacts { completion, ..sample_facts() };
    let because = |write_ratio, completion, engine| {
        let target = Target { write_ratio, request_count: 8, ..sample_target() };
        let wish = EngineRequest { engine, poll: false };
        super::engine(&span, &[(&target, &on(completion))], 8, wish).expect("a choice").one_by_one
    };
    let (memory, target, writes) = (Some(OneByOne::Memory), Some(OneByOne::Target), Some(OneByOne::Writes));
    for (write_ratio, completion, auto, uring, aio) in [
        (0, Completion::Queued, None, None, None),
        (0, Completion::InCall, memory, None, None),
        (0, Completion::Blocking, None, None, target),
        (0, Completion::Inline, None, None, target),
        (30, Completion::Inline, writes, writes, target),
        (100, Completion::Blocking, target, target, target),
        (0, Completion::OneByOne, target, target, target),
    ] {
        for (engine, expected) in
            [(None, auto), (Some(EngineKind::Uring), uring), (Some(EngineKind::Aio), aio)]
        {
            assert_eq!(
                because(write_ratio, completion, engine),
                expected,
                "{write_ratio} {completion:?} {engine:?}"
            );
        }
    }
}

#[test]
fn target_is_inspected_only_when_needed() {
    let auto = EngineRequest::default();
    let deep = Target { request_count: 2, ..sample_target() };
    let shallow = Target { request_count: 1, ..sample_target() };
    let threads = TimeSpan::default();
    let pool = TimeSpan { thread_count: 1, ..TimeSpan::default() };
    let routines = TimeSpan { completion_routines: true, ..TimeSpan::default() };
    let cached = Target { cache_mode: CacheMode::Cached, ..deep.clone() };
    let mapped = Target { memory_mapped_io: true, ..deep.clone() };
    let forced = EngineRequest { engine: Some(EngineKind::Uring), poll: false };
    let polled = EngineRequest { engine: None, poll: true };
    for (span, target, wish, expected) in [
        (&threads, &deep, auto, Some(true)),
        (&threads, &cached, auto, Some(false)),
        (&threads, &shallow, auto, None),
        (&pool, &shallow, auto, Some(true)),
        (&threads, &mapped, auto, None),
        (&routines, &deep, auto, Some(true)),
        (&threads, &deep, forced, Some(true)),
        (&threads, &deep, EngineRequest { engine: Some(EngineKind::Sync), poll: false }, None),
        (&threads, &deep, polled, None),
    ] {
        assert_eq!(completion_matters(span, target, &sample_facts(), wish), expected, "{target:?} {wish:?}");
    }
}

#[test]
fn impossible_polling_is_refused_with_remedy() {
    let span = TimeSpan::default();
    let ask = |target: &Target, facts: &TargetFacts, engine: Option<EngineKind>| {
        super::engine(&span, &[(target, facts)], 1, EngineRequest { engine, poll: true })
    };
    let choice = ask(&sample_target(), &sample_facts(), None).expect("it is possible here");
    assert_eq!(choice.engine, EngineKind::Uring);
    assert!(ask(&sample_target(), &sample_facts(), Some(EngineKind::Uring)).is_ok());
    let device = TargetFacts { kind: TargetKind::BlockDevice, file_system: String::new(), ..sample_facts() };
    assert!(ask(&sample_target(), &device, None).is_ok());
    let without = TargetFacts { polling: Polling::Without("sda".into()), ..sample_facts() };
    let nowhere = TargetFacts { polling: Polling::NoDevice, ..sample_facts() };
    let vfat = TargetFacts { file_system: "vfat".into(), ..sample_facts() };
    let cached = Target { cache_mode: CacheMode::Cached, ..sample_target() };
    let mapped = Target { memory_mapped_io: true, ..sample_target() };
    for (target, facts, engine, words) in [
        (sample_target(), sample_facts(), Some(EngineKind::Sync), ["Linux 5.19", "leave out --engine sync"]),
        (sample_target(), sample_facts(), Some(EngineKind::Aio), ["engine aio", "--engine uring"]),
        (sample_target(), sample_facts(), Some(EngineKind::Null), ["engine null", "--engine uring"]),
        (cached, sample_facts(), None, ["page cache", "add -Su"]),
        (mapped, sample_facts(), None, ["-Sm", "leave out one"]),
        (sample_target(), without, None, ["/sys/block/sda/queue/io_poll", "nvme.poll_queues"]),
        (sample_target(), nowhere, None, ["not on a single block device", "NVMe"]),
        (sample_target(), vfat, None, ["file system vfat", "the device itself"]),
    ] {
        let message = ask(&target, &facts, engine).expect_err("a refusal").to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{words:?}: {message}");
    }
}
