//! Table of the rules: counted I/O, device and process counters, and the expected finding.

use super::*;
use crate::arrays::of_machine;

#[test]
fn verdict_follows_from_count_ratios() {
    let reads = |mib: u64| run((mib * MIB, 0));
    let writes = |mib: u64| run((0, mib * MIB));
    let read = |mib: u64| (mib * MIB, 0);
    let wrote = |mib: u64| (0, mib * MIB);
    let without_own = |case: Case| Case { own: None, ..case };
    let own = |mib: u64, case: Case| Case { own: Some(mib * MIB), ..case };
    let of_loop =
        |case: Case| case.change_first(|layer| (layer.kind, layer.one_to_one) = (LayerKind::Loop, false));
    let of_raid =
        |case: Case| case.change_first(|layer| (layer.kind, layer.one_to_one) = (LayerKind::Raid, false));
    let table: Vec<(&str, Case, Verdict, Option<Severity>, &str)> = vec![
        (
            "the same",
            reads(100),
            Verified,
            None,
            "read as much as the run counted (1.00 x, 25,600 reads of 4 \
             KiB)",
        ),
        ("both", run((100 * MIB, 50 * MIB)), Verified, None, "1.00 x, 12,800 writes of 4 KiB"),
        ("a file", reads(100).on_file(), Verified, None, ""),
        ("a cold file, cached", reads(100).in_cache(), Verified, None, ""),
        (
            "split by the device",
            reads(100).of_size(1024),
            Split,
            Some(Note),
            "in more, smaller I/Os: 1 KiB instead of 4 KiB: striping",
        ),
        (
            "split by a setting",
            reads(100).of_block(131_072).of_size(32768).change_first(|layer| {
                layer.queue_limits = Some(Traits {
                    largest_io: Some(32768),
                    hardware_max_io: Some(1 << 20),
                    ..Traits::default()
                });
            }),
            Split,
            Some(Note),
            "sda takes no more than 32 KiB at once (max_sectors_kb) echo 128 >",
        ),
        (
            "a journal beside large writes",
            writes(100).of_block(131_072).on_file().with_device(wrote(105)).of_size(40_000),
            Verified,
            None,
            "",
        ),
        (
            "each write with a flush behind it",
            writes(100).on_file().with_flushes(25_600, 25_601),
            Verified,
            None,
            "(1.00 x, 25,600 writes of 4 KiB, and 25,601 flushes)",
        ),
        (
            "flushes that share one",
            Case { depth: 8, ..writes(100).on_file().with_flushes(25_600, 6000) },
            Verified,
            None,
            "25,600 writes of 4 KiB, and 6,000 flushes",
        ),
        (
            "a device that flushes for each write, but is asked with it",
            writes(100).with_flushes(0, 25_600),
            Verified,
            None,
            "25,600 writes of 4 KiB, and 25,600 flushes",
        ),
        (
            "flushes that a kernel does not count",
            writes(100).on_file().with_flushes(25_600, None),
            Verified,
            None,
            "(1.00 x, 25,600 writes of 4 KiB)",
        ),
        (
            "split, and flushed",
            writes(100).of_block(131_072).with_flushes(800, 800).of_size(32768),
            Split,
            Some(Note),
            "32 KiB instead of 128 KiB",
        ),
        (
            "merged, and flushed as often",
            writes(100).in_cache().with_flushes(800, 800).of_size(131_072),
            Coalesced,
            Some(Warning),
            "instead of 4 KiB",
        ),
        (
            "small I/Os of others",
            Case {
                own: Some(1000 * MIB),
                ..reads(1000).of_block(131_072).with_device(read(1050)).of_size(16384)
            },
            Shared,
            Some(Warning),
            "50 MiB of 1 GiB (5 %) and at least 12,800 of 67,200 I/Os (19 %) were not this run's",
        ),
        (
            "a few small I/Os of others, and split ones of ours",
            Case {
                own: Some(1000 * MIB),
                ..reads(1000).of_block(131_072).with_device(read(1001)).of_size(65536)
            },
            Split,
            Some(Note),
            "instead of 128 KiB: striping",
        ),
        ("a little less", reads(100).with_device(read(95)), Verified, None, "0.95 x"),
        ("nothing at all", run((0, 0)), Unknown, None, "no I/O was counted"),
        (
            "mostly from memory",
            own(10, reads(100).in_cache().with_device(read(10))),
            Cached,
            Some(Wrong),
            "10 MiB of the 100 MiB",
        ),
        (
            "partly from memory",
            own(80, reads(100).in_cache().with_device(read(80))),
            Cached,
            Some(Warning),
            "0.80 x",
        ),
        (
            "a hole, read past the cache",
            own(0, reads(100).on_file().with_device(read(0))),
            Cached,
            Some(Wrong),
            "unwritten parts",
        ),
        ("writes that vanish", writes(100).with_device(wrote(10)), Cached, Some(Wrong), "compressed"),
        (
            "from memory, while others read as much",
            own(0, reads(100).in_cache().with_device(read(100))),
            Cached,
            Some(Wrong),
            "read 0 bytes of the 100 MiB",
        ),
        (
            "a burst that stays in memory",
            Case { file_unwritten: Some((0, 64 * MIB)), ..writes(100).in_cache().with_device(wrote(0)) },
            Deferred,
            Some(Wrong),
            "64 MiB were still dirty pages",
        ),
        (
            "the same on a kernel that does not tell by file",
            Case { unwritten: (5 * MIB, 75 * MIB), ..writes(100).in_cache().with_device(wrote(20)) },
            Deferred,
            Some(Wrong),
            "70 MiB were still dirty pages",
        ),
        (
            "overwritten in the page cache",
            writes(100).in_cache().with_device(wrote(60)),
            Deferred,
            Some(Warning),
            "overwritten",
        ),
        (
            "read ahead, merged",
            reads(100).in_cache().of_size(128 << 10),
            Coalesced,
            Some(Warning),
            "128 KiB instead of 4 KiB",
        ),
        ("a few merges", reads(100).of_size(4500), Verified, None, ""),
        ("some merges", reads(100).of_size(6144), Coalesced, Some(Note), "6 KiB instead of 4 KiB"),
        (
            "whole pages read for small I/Os",
            own(150, reads(100).in_cache().with_device(read(150))),
            Amplified,
            Some(Note),
            "1.50 x",
        ),
        (
            "far more than needed",
            own(300, reads(100).in_cache().with_device(read(300))),
            Amplified,
            Some(Warning),
            "3.00 x",
        ),
        (
            "a few writes beside many reads",
            Case { depth: 4, ..run((100 * MIB, 6 * BLOCK)).with_device((100 * MIB, 4 * BLOCK)) },
            Verified,
            None,
            "read as much as the run counted (1.00 x, 25,600 reads of 4 KiB); 6 writes are too few to \
             compare",
        ),
        ("a journal", writes(100).on_file().with_device(wrote(250)), Amplified, Some(Warning), "2.50 x"),
        (
            "a commit of the file system",
            writes(10).on_file().with_device(wrote(13)),
            Amplified,
            Some(Note),
            "1.30 x",
        ),
        ("a large commit of one", writes(2).on_file().with_device(wrote(5)), Amplified, Some(Note), "2.50 x"),
        (
            "others write to the disk",
            writes(100).with_device(wrote(130)),
            Shared,
            Some(Warning),
            "30 MiB of 130 MiB (23 %) and at least 7,680 of 33,280 I/Os (23 %)",
        ),
        ("others read from the disk", reads(100).with_device(read(300)), Shared, Some(Wrong), "(67 %)"),
        (
            "others write while a file is read",
            reads(100).on_file().with_device((100 * MIB, 50 * MIB)),
            Shared,
            Some(Warning),
            "(33 %)",
        ),
        (
            "a log while a file is read",
            reads(20).on_file().with_device((20 * MIB, 3 * MIB)),
            Verified,
            None,
            "",
        ),
        (
            "what the warm-up wrote is written now",
            Case {
                file_unwritten: Some((80 * MIB, 20 * MIB)),
                ..writes(40).in_cache().with_device(wrote(100))
            },
            Shared,
            Some(Wrong),
            "60 MiB of it (60 %) were dirty pages from before measuring began",
        ),
        (
            "the same on a kernel that does not tell by file",
            Case { unwritten: (80 * MIB, 20 * MIB), ..writes(40).in_cache().with_device(wrote(100)) },
            Shared,
            Some(Wrong),
            "before measuring began",
        ),
        (
            "somebody else's writes are written while we read",
            Case { unwritten: (60 * MIB, 0), ..reads(100).on_file().with_device((100 * MIB, 60 * MIB)) },
            Shared,
            Some(Warning),
            "(38 %)",
        ),
        ("reads of others, unknown", without_own(reads(100).with_device(read(200))), Shared, Some(Wrong), ""),
        (
            "reading ahead, unknown",
            without_own(reads(100).in_cache().with_device(read(200))),
            Amplified,
            Some(Warning),
            "",
        ),
        (
            "in flight at the edges",
            Case { depth: 2560, ..reads(20).with_device(read(30)) },
            Verified,
            None,
            "",
        ),
        (
            "only what is in flight",
            Case { depth: 64, ..run((10 * BLOCK, 0)) }.with_device(read(0)),
            Unknown,
            None,
            "too few I/Os (10)",
        ),
        (
            "slow readings",
            Case { slack: SECOND / 2, ..reads(100).with_device(read(60)) },
            Unknown,
            None,
            "too few",
        ),
        ("five I/Os", run((5 * BLOCK, 0)), Verified, None, ""),
        (
            "no statistics",
            reads(100).with_device(read(0)).change_first(|layer| layer.statistics = false),
            Unknown,
            Some(Warning),
            "switched off",
        ),
        (
            "no statistics at the bottom, and the page cache between",
            of_loop(reads(100).with_lower_device("sdb", read(0)))
                .change_last(|layer| layer.statistics = false),
            Unknown,
            Some(Warning),
            "the kernel does not count sdb's I/O: its statistics are switched off",
        ),
        (
            "no statistics at the bottom, and nothing between",
            reads(100).with_lower_device("sdb", read(0)).change_last(|layer| layer.statistics = false),
            Verified,
            None,
            "",
        ),
        (
            "statistics switched meanwhile",
            Case {
                switched: true,
                ..own(100, of_loop(reads(100).with_device(read(30)).with_lower_device("sdb", read(100))))
            },
            Unknown,
            Some(Warning),
            "only part of sda's I/O",
        ),
        (
            "less in the counters than the process asked for",
            own(100, reads(100).with_device(read(30))),
            Unknown,
            Some(Warning),
            "this process asked block devices for 100 MiB",
        ),
        (
            "less in the counters than a device beneath wrote",
            of_loop(writes(100).with_device(wrote(30)).with_lower_device("sdb", wrote(100))),
            Unknown,
            Some(Warning),
            "sdb below it wrote 100 MiB",
        ),
        (
            "a program beneath",
            reads(100).change_first(|layer| layer.lower_unknown = Some("a program serves it".into())),
            Unknown,
            Some(Warning),
            "the storage below sda is unknown and may be memory: a program serves it",
        ),
        (
            "a program beneath, and others",
            reads(100)
                .with_device(read(300))
                .change_first(|layer| layer.lower_unknown = Some("a program".into())),
            Shared,
            Some(Wrong),
            "(67 %)",
        ),
        (
            "others write beneath a loop that is read",
            of_loop(reads(100).with_lower_device("sdb", (100 * MIB, 60 * MIB))),
            Shared,
            Some(Warning),
            "60 MiB of 160 MiB (38 %)",
        ),
        (
            "a cache that reading fills",
            reads(100)
                .change_first(|layer| (layer.kind, layer.one_to_one) = (LayerKind::Bcache, false))
                .with_lower_device("fast", (100 * MIB, 100 * MIB)),
            Amplified,
            Some(Warning),
            "2.00 x of what",
        ),
        (
            "others in flight",
            Case { queue_ms: 4000, ..reads(100) },
            Shared,
            Some(Warning),
            "at least 3.0 of 4.0 I/Os in flight were not this run's",
        ),
        ("our own in flight", Case { queue_ms: 4000, depth: 4, ..reads(100) }, Verified, None, ""),
        (
            "a large block in flight in stripes",
            Case { queue_ms: 4000, ..reads(1000).of_block(131_072).of_size(32768) },
            Split,
            Some(Note),
            "striping",
        ),
        (
            "others in flight beside stripes",
            Case { queue_ms: 9000, ..reads(1000).of_block(131_072).of_size(32768) },
            Shared,
            Some(Warning),
            "of 9.0 I/Os in flight were not this run's",
        ),
        (
            "a large block in flight in pieces",
            Case {
                queue_ms: 4000,
                ..reads(1000).of_block(131_072).of_size(32768).change_first(|layer| {
                    layer.queue_limits = Some(Traits { largest_io: Some(32768), ..Traits::default() });
                })
            },
            Split,
            Some(Note),
            "sda takes no more than",
        ),
        (
            "statistics after all",
            reads(100).change_first(|layer| layer.statistics = false),
            Verified,
            None,
            "",
        ),
        ("no device", Case { devices: vec![], ..reads(100) }, Unknown, None, "it lies in memory"),
        ("a partition", reads(100).with_lower_device("disk", read(100)), Verified, None, ""),
        (
            "a partition beside a busy one",
            reads(100).with_lower_device("disk", read(150)),
            Shared,
            Some(Warning),
            "others used disk",
        ),
        (
            "a partition beside a busy one, on a disk with something beneath",
            reads(100)
                .change_first(|layer| layer.kind = LayerKind::Partition)
                .with_lower_device("loop0", (100 * MIB, 50 * MIB))
                .change_last(|layer| (layer.kind, layer.one_to_one) = (LayerKind::Loop, false))
                .with_lower_device("vda", (100 * MIB, 50 * MIB)),
            Shared,
            Some(Warning),
            "others used loop0 during the run, past the partitions of the targets: 50 MiB of 150 MiB (33 %)",
        ),
        (
            "a quiet partition on such a disk",
            reads(100)
                .change_first(|layer| layer.kind = LayerKind::Partition)
                .with_lower_device("loop0", read(101))
                .change_last(|layer| (layer.kind, layer.one_to_one) = (LayerKind::Loop, false))
                .with_lower_device("vda", read(101)),
            Verified,
            None,
            "",
        ),
        (
            "a RAM disk",
            reads(100).change_first(|layer| layer.memory = Some(InMemory::RamDisk)),
            Cached,
            Some(Wrong),
            "sda is a RAM disk: these I/Os were done in memory",
        ),
        (
            "a loop device over a file in memory",
            writes(100)
                .with_lower_device("loop0", wrote(100))
                .change_last(|layer| layer.memory = Some(InMemory::File)),
            Cached,
            Some(Wrong),
            "loop0 is a loop device over a file in memory",
        ),
        (
            "a pattern on zram",
            writes(100).change_first(|layer| layer.memory = Some(InMemory::Zram)),
            Cached,
            Some(Wrong),
            "-Zr",
        ),
        (
            "some of it",
            run((80 * MIB, 20 * MIB)).change_first(|layer| layer.memory = Some(InMemory::Zram)),
            Cached,
            Some(Warning),
            "stores almost nothing",
        ),
        (
            "random data on zram",
            Case { random: true, ..writes(100).change_first(|layer| layer.memory = Some(InMemory::Zram)) },
            Verified,
            Some(Note),
            "; sda is memory",
        ),
        (
            "a head without statistics",
            reads(100).with_device(read(0)).with_lower_device("path", read(100)),
            Verified,
            None,
            "",
        ),
        (
            "a loop over memory",
            of_loop(reads(100).with_lower_device("sdb", read(0))),
            Cached,
            Some(Wrong),
            "--direct-io=on",
        ),
        (
            "writes to a loop in memory",
            of_loop(writes(100).with_lower_device("sdb", wrote(0))),
            Deferred,
            Some(Wrong),
            "page cache",
        ),
        (
            "a mirror",
            of_raid(writes(100).with_lower_device("legs", wrote(200))),
            Amplified,
            Some(Warning),
            "2.00 x",
        ),
        (
            "parity",
            of_raid(writes(100).with_lower_device("legs", (200 * MIB, 200 * MIB))),
            Amplified,
            Some(Warning),
            "4.00 x",
        ),
        ("a mirror, read", of_raid(reads(100).with_lower_device("legs", read(100))), Verified, None, ""),
        (
            "a cache device above",
            of_raid(reads(100).with_lower_device("slow", read(1))),
            Cached,
            Some(Wrong),
            "a layer between",
        ),
    ];
    for (name, case, verdict, severity, words) in table {
        let found = case.judge_case();
        assert_eq!((found.verdict, found.severity), (verdict, severity), "{name}: {found:#?}");
        let part = &found.parts[0];
        let said = format!("{} {}", part.message, part.remedy.as_deref().unwrap_or_default());
        assert!(said.contains(words), "{name}: {said}");
    }
}

#[test]
fn replaced_devices_give_no_verdict() {
    let reads = |mib: u64| run((mib * MIB, 0));
    let read = |mib: u64| (mib * MIB, 0);
    let judged = |case: &Case, moved_to: &[&str]| {
        let (results, asked) = case.build_results("a");
        let moved_to = moved_to.iter().map(|name| name.to_string()).collect();
        let target = TargetDevices { stack_at_end: moved_to, ..case.build_target("a") };
        let found = verdict_of(vec![(results, asked)], case.device_facts(vec![target]));
        (found.verdict, found.severity, found.parts[0].message.clone())
    };
    // As pvmove does: what the mapper counted, another disk than the one before did.
    let elsewhere = reads(100).with_lower_device("sdb", read(0));
    let (verdict, severity, _) = judged(&elsewhere, &[]);
    assert_eq!((verdict, severity), (Cached, Some(Wrong)), "a layer that answers by itself");
    let (verdict, severity, said) = judged(&elsewhere, &["sdc"]);
    assert_eq!((verdict, severity), (Unknown, Some(Warning)), "{said}");
    assert!(said.contains("from sdb to sdc"), "{said}");
    // A file system on several devices: those right beneath it are the lowest.
    let (verdict, severity, said) = judged(&reads(100).with_device(read(40)).on_file(), &["sda", "sdb"]);
    assert_eq!((verdict, severity), (Unknown, Some(Warning)), "{said}");
    // A path that failed, and what was left of them did it all.
    let (verdict, severity, said) = judged(&reads(100).with_lower_device("sdb", read(100)), &["sdc"]);
    assert_eq!((verdict, severity), (Verified, None), "{said}");
}

#[test]
fn readers_below_a_cache_are_named() {
    let of_cache = |case: Case| {
        let (results, asked) = case.build_results("a");
        let judged = judgement_of(vec![(results, asked)], case.device_facts(vec![case.build_target("a")]));
        judged.findings.into_iter().find(|finding| finding.name == "underlying-cache")
    };
    let case = |fast: u64| {
        let case = run((100 * MIB, 0))
            .with_lower_device("sdb", (fast * MIB, 0))
            .with_lower_device("sdc", ((100 - fast) * MIB, 0));
        case.change_first(|layer| (layer.kind, layer.one_to_one) = (LayerKind::Mapper, false))
    };
    let cache = |case: Case| {
        case.change_first(|layer| {
            (layer.cache, layer.lower_devices) = (true, vec!["sdb".into(), "sdc".into()])
        })
    };
    assert_eq!(of_cache(case(100)), None, "a mapper of another kind");
    let alone =
        case(100).change_first(|layer| (layer.cache, layer.lower_devices) = (true, vec!["sdb".into()]));
    assert_eq!(of_cache(alone), None, "a bcache without its cache's device");
    for (fast, severity, words) in [
        (100, Warning, "sda is a cache: of the data read below it sdb 100 %"),
        (95, Warning, "sda is a cache: of the data read below it sdb 95 % and sdc 5 %"),
        (60, Note, "sda is a cache: of the data read below it sdb 60 % and sdc 40 %"),
    ] {
        let found = of_cache(cache(case(fast))).unwrap();
        assert_eq!((found.severity, found.message.as_str()), (severity, words));
    }
}

#[test]
fn rebuilding_raid_is_reported() {
    let of_raid = |case: Case, array: ArrayFacts| {
        let case = case.change_first(|layer| (layer.kind, layer.one_to_one) = (LayerKind::Raid, false));
        let case = Case { arrays: vec![ArrayFacts { name: "sda".into(), ..array }], ..case };
        let (results, asked) = case.build_results("a");
        let mut judged =
            judgement_of(vec![(results, asked)], case.device_facts(vec![case.build_target("a")]));
        let of_array = |finding: &&crate::Finding| finding.name.starts_with("array-");
        let found: Vec<_> = judged.findings.iter().filter(of_array).cloned().collect();
        (judged.verdicts.remove(0).parts.remove(0), found)
    };
    let upkeep = |action: &str| Some(ArrayMaintenance { action: action.into(), done: (0.03, 0.125) });
    let beside = run((100 * MIB, 0)).with_lower_device("sdb", (100 * MIB, 80 * MIB));
    let at_work = ArrayFacts {
        maintenance: upkeep("recover"),
        missing: (1, 1),
        members: Some(3),
        ..ArrayFacts::default()
    };
    let (part, found) = of_raid(beside.clone(), at_work.clone());
    assert_eq!((part.verdict, part.severity), (Shared, Some(Warning)), "{}", part.message);
    let did = "sda was rebuilding members (recover, 3 to 12 % done)";
    assert!(part.message.starts_with(&format!("{did}, or others, used sdb")), "{}", part.message);
    let remedy = "wait until it is done (mdadm --wait /dev/sda); then measure again";
    assert_eq!(part.remedy.as_deref(), Some(remedy));
    let [found] = &found[..] else { panic!("{found:?}") };
    assert_eq!((found.name, found.severity), ("array-maintenance", Warning));
    assert!(found.message.starts_with(did), "{}", found.message);
    assert_eq!(
        (&found.evidence[..], found.remedy.as_deref()),
        (&["members that were missing: 1 of 3".to_owned()][..], Some(remedy))
    );
    // Where redundancy explains as much, both are named.
    let (part, found) = of_raid(
        run((0, 100 * MIB)).with_lower_device("sdb", (0, 200 * MIB)),
        ArrayFacts { maintenance: upkeep("check"), ..ArrayFacts::default() },
    );
    assert!(
        part.message.ends_with("snapshot that copies, background work of sda (check), or other users"),
        "{}",
        part.message
    );
    assert!(found[0].remedy.as_ref().unwrap().contains("echo idle >/sys/block/sda/md/sync_action"));
    // One without its own activity: others caused it, and its missing members are reported too.
    let (part, found) = of_raid(beside.clone(), ArrayFacts { maintenance: None, ..at_work });
    assert!(part.message.starts_with("others used sdb"), "{}", part.message);
    assert!(found[0].message.starts_with("sda is degraded"));
    let lost = ArrayFacts { missing: (0, 1), ..ArrayFacts::default() };
    assert!(of_raid(beside.clone(), lost.clone()).1[0].message.starts_with("sda lost members"));
    let both = of_raid(beside.clone(), ArrayFacts { maintenance: upkeep("recover"), ..lost }).1;
    assert_eq!(both.len(), 2, "what failed meanwhile is no part of what it did: {both:?}");
    assert_eq!(of_raid(beside.clone(), ArrayFacts::default()).1, [], "a healthy one");
    // Only root can read the state of an LVM RAID.
    let untold = ArrayFacts { state_unknown: true, ..ArrayFacts::default() };
    let [found] = &of_raid(beside, untold.clone()).1[..] else { panic!("one finding") };
    assert_eq!((found.name, found.severity), ("array-state-unknown", Note));
    // Before a run each is reported with its current state.
    let of_machine = |array: ArrayFacts| {
        let found = of_machine(&[array]);
        let [found] = &found[..] else { panic!("{found:?}") };
        (found.name, found.message.clone(), found.evidence.clone(), found.remedy.clone().unwrap())
    };
    let array = ArrayFacts { name: "md0".into(), members: Some(2), ..ArrayFacts::default() };
    let busy = ArrayFacts { maintenance: upkeep("recover"), missing: (1, 1), ..array.clone() };
    let (name, message, evidence, _) = of_machine(busy.clone());
    assert_eq!(
        (name, &evidence[..]),
        ("array-maintenance", &["members that were missing: 1 of 2".to_owned()][..])
    );
    assert!(message.starts_with("md0 is rebuilding members (recover, 12 % done)"), "{message}");
    let (name, message, ..) = of_machine(ArrayFacts { missing: (1, 1), ..array.clone() });
    assert!(name == "array-degraded" && message.starts_with("md0 is degraded"), "{message}");
    assert_eq!(of_machine(untold).0, "array-state-unknown");
    let (.., remedy) = of_machine(ArrayFacts { name: "dm-4".into(), ..busy });
    assert!(remedy.contains("lvs -a") && !remedy.contains("mdadm"), "{remedy}");
    assert!(crate::arrays::of_machine(&[array]).is_empty(), "a healthy one");
}
