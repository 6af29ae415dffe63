//! The rules as tables of settings and the rules they break.

use super::*;
use crate::{
    CacheMode, Distribution, DistributionKind, DistributionRange, FlushType, GroupCpu, RandomDataSource,
    ThreadTarget, Throughput, TimeSpan,
};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Returns a profile with one target and defaults elsewhere.
fn sample_profile(set: impl FnOnce(&mut TimeSpan, &mut Target)) -> Profile {
    let mut target = Target { path: "f.dat".into(), ..Target::default() };
    let mut span = TimeSpan::default();
    set(&mut span, &mut target);
    span.targets.push(target);
    Profile { time_spans: vec![span], ..Profile::default() }
}

/// Ranges as percentage of I/O and span.
type Ranges = &'static [(u32, u64)];

fn sample_distribution(kind: DistributionKind, ranges: Ranges) -> Option<Distribution> {
    let stated = ranges.iter().map(|(io, span)| DistributionRange { io: *io, span: *span }).collect();
    Some(Distribution::with_tail(kind, stated))
}

/// Returns the names of the violated rules in order.
fn broken_rules(profile: &Profile) -> String {
    validate(profile, false).iter().map(|finding| finding.name).collect::<Vec<_>>().join(" ")
}

#[test]
fn invalid_settings_are_rejected() {
    type Set = fn(&mut TimeSpan, &mut Target);
    let strided: Set = |_, t| {
        t.base_file_offset = 1000;
        t.block_alignment = 500;
        t.block_size = 1000;
        t.thread_stride = 5000;
    };
    let pool: Set = |s, t| {
        s.thread_count = 4;
        s.request_count = 6;
        t.weight = 100;
        let named = [(0, 200), (1, 50), (2, 0)];
        t.thread_targets = named.map(|(thread, weight)| ThreadTarget { thread, weight }).to_vec();
    };
    // Each row: what is common, what differs, the rules.
    let none: Set = |_, _| {};
    let cases: &[(Set, Set, &str)] = &[
        (none, none, ""),
        (strided, none, "V17"),
        (strided, |s, _| s.thread_count = 2, ""),
        (strided, |s, t| (s.thread_count, t.interlocked_sequential) = (2, true), "V15"),
        (none, |s, t| (s.thread_count, t.interlocked_sequential) = (2, true), ""),
        (none, |_, t| t.threads_per_file = 2, "W3"),
        (none, |_, t| (t.threads_per_file, t.random_ratio) = (2, 100), ""),
        (none, |_, t| t.interlocked_sequential = true, "W2"),
        (pool, none, "W3"),
        (pool, |_, t| t.thread_targets[2].thread = 4, "V9 W3"),
        (pool, |s, _| s.request_count = 0, "V10 W3"),
        (pool, |_, t| t.weight = 0, "V8 W3"),
        (
            none,
            |s, t| {
                s.thread_count = 50;
                t.threads_per_file = 3344;
                s.completion_routines = true;
                t.throughput = Some(Throughput::BytesPerMillisecond(60));
                (t.random_ratio, t.block_alignment) = (100, 234);
                t.thread_stride = 4433;
                t.parallel_async_io = true;
            },
            "V2 V3 V11 V13",
        ),
        (
            none,
            |s, t| {
                t.block_size = 131_072;
                t.throughput = Some(Throughput::Iops(10));
                s.completion_routines = true;
            },
            "V3",
        ),
        (
            none,
            |s, t| {
                // Less than one byte per millisecond is a limit all the same.
                t.block_size = 512;
                t.throughput = Some(Throughput::Iops(1));
                s.completion_routines = true;
            },
            "V3",
        ),
        (
            none,
            |s, t| {
                t.throughput = Some(Throughput::Iops(0));
                s.completion_routines = true;
            },
            "",
        ),
        (none, |_, t| (t.max_file_size, t.base_file_offset) = (5 * MIB, 5 * MIB), "V23"),
        (none, |_, t| (t.max_file_size, t.base_file_offset) = (5 * MIB + 1, 5 * MIB), ""),
        (none, |_, t| t.random_data_source = Some(RandomDataSource { size: 65535, path: None }), "V18"),
        (none, |_, t| t.random_data_source = Some(RandomDataSource { size: 65536, path: None }), ""),
        (none, |_, t| (t.memory_mapped_io, t.cache_mode) = (true, CacheMode::DisableLocalCache), ""),
        (
            none,
            |s, t| {
                t.memory_mapped_io = true;
                t.cache_mode = CacheMode::DisableOsCache;
                s.completion_routines = true;
                t.flush_type = Some(FlushType::ViewOfFile);
            },
            "V19 V20",
        ),
        (none, |_, t| t.flush_type = Some(FlushType::ViewOfFile), "V21"),
        (none, |_, t| t.path = "*1".into(), "V22"),
        (none, |_, t| t.path = "".into(), ""),
        (none, |s, _| s.disable_affinity = true, ""),
        (
            none,
            |s, _| {
                s.disable_affinity = true;
                s.affinity.push(GroupCpu { group: 0, cpu: Some(0) });
            },
            "V1",
        ),
        (none, |_, t| t.think_time = Some(5), "V4"),
        (none, |_, t| t.burst_size = Some(5), "V4"),
        (none, |_, t| (t.think_time, t.burst_size) = (Some(0), Some(0)), ""),
        (
            none,
            |_, t| {
                (t.think_time, t.burst_size) = (Some(5), Some(3));
                (t.threads_per_file, t.random_ratio) = (4, 100);
            },
            "G9",
        ),
        (none, |_, t| (t.random_ratio, t.interlocked_sequential) = (50, true), "V12"),
        (none, |_, t| (t.parallel_async_io, t.request_count) = (true, 1), "W1"),
        (none, |_, t| t.block_size = 0, "G1"),
        (none, |_, t| t.request_count = 0, "G2"),
        (none, |s, t| (s.thread_count, s.request_count, t.request_count) = (1, 4, 0), ""),
        (none, |_, t| t.threads_per_file = 0, "G3"),
        (none, |s, t| (s.thread_count, t.threads_per_file) = (1, 0), ""),
        (none, |s, _| (s.calculate_iops_std_dev, s.io_bucket_duration) = (true, 0), "G4"),
        (none, |s, _| s.io_bucket_duration = 0, ""),
        (none, |s, _| s.request_count = 4, "G11"),
    ];
    for (index, (common, set, expected)) in cases.iter().enumerate() {
        let profile = sample_profile(|span, target| {
            common(span, target);
            set(span, target);
        });
        assert_eq!(broken_rules(&profile), *expected, "row {index}");
    }
}

#[test]
fn invalid_distributions_are_rejected() {
    use DistributionKind::{Absolute, Percent};
    let cases: &[(DistributionKind, Ranges, &str)] = &[
        (Percent, &[(90, 10)], ""),
        (Percent, &[(90, 10), (0, 10), (5, 20)], ""),
        (Percent, &[(10, 10), (10, 10), (0, 10)], ""),
        (Percent, &[(100, 100)], ""),
        (Percent, &[(50, 50), (50, 50)], ""),
        (Percent, &[(60, 10), (40, 40), (0, 50)], ""),
        (Percent, &[(0, 50)], ""),
        (Percent, &[(100, 50)], "D5"),
        (Percent, &[(60, 10), (60, 10)], "D2 D5"),
        (Percent, &[(10, 50), (10, 50)], "D4 D5"),
        (Percent, &[(10, 50), (10, 60)], "D3 D5"),
        (Percent, &[(10, 100)], "D4 D5"),
        (Percent, &[(10, 10), (80, 10), (20, 80)], "D2 D5"),
        (Percent, &[(10, 10), (80, 10), (10, 10)], "D5"),
        (Absolute, &[(10, GIB), (10, GIB), (0, 100 * GIB)], ""),
        (Absolute, &[(100, 65536)], ""),
        (Absolute, &[(10, 10)], "D1"),
        (Absolute, &[(60, 10 * GIB), (60, 10 * GIB)], "D2"),
        (Absolute, &[(75, GIB), (25, 0)], ""),
        (Absolute, &[(10, GIB), (10, 0), (80, GIB)], "D6"),
        (Absolute, &[(10, GIB), (20, 0)], "D1 D6"),
        (Absolute, &[(50, GIB), (0, 512), (50, GIB)], "D1"),
    ];
    for (kind, ranges, expected) in cases {
        let profile = sample_profile(|_, t| {
            t.random_ratio = 100;
            t.distribution = sample_distribution(*kind, ranges);
        });
        assert_eq!(broken_rules(&profile), *expected, "{kind:?} {ranges:?}");
    }
}

#[test]
fn alignment_above_range_length_warns() {
    let cases: &[(u64, Ranges, &str)] = &[
        (131_072, &[(50, 98304)], "G13"),
        (98304, &[(50, 98304)], ""),
        (131_072, &[(0, 98304), (100, MIB)], ""),
    ];
    for (alignment, ranges, expected) in cases {
        let profile = sample_profile(|_, t| {
            t.random_ratio = 100;
            t.block_alignment = *alignment;
            t.distribution = sample_distribution(DistributionKind::Absolute, ranges);
        });
        assert_eq!(broken_rules(&profile), *expected, "{alignment} {ranges:?}");
    }
}

#[test]
fn distribution_is_judged_for_sequential_io_too() {
    let range = DistributionRange { io: 100, span: 50 };
    let profile = sample_profile(|_, t| {
        t.distribution = Some(Distribution { kind: DistributionKind::Percent, ranges: vec![range] });
    });
    assert_eq!(broken_rules(&profile), "V14 D5");
}

#[test]
fn profile_only_permits_templates() {
    let profile = sample_profile(|_, t| t.path = "*1".into());
    assert!(validate(&profile, true).is_empty());
}

#[test]
fn equal_targets_are_printed_once_and_all_judged() {
    let mut profile = sample_profile(|_, t| t.threads_per_file = 2);
    let second = Target { path: "*2".into(), ..profile.time_spans[0].targets[0].clone() };
    profile.time_spans[0].targets.push(second);
    assert_eq!(broken_rules(&profile), "W3 V22");
    assert!(validate(&profile, false).iter().all(|finding| finding.place == FindingLocation::default()));
}

#[test]
fn different_targets_are_reported_by_position() {
    let mut profile = sample_profile(|_, t| t.request_count = 0);
    profile.time_spans[0].targets.insert(0, Target::default());
    profile.time_spans.push(profile.time_spans[0].clone());
    profile.time_spans[1].request_count = 1;
    let findings: Vec<String> = validate(&profile, false).iter().map(ToString::to_string).collect();
    let start =
        ["ERROR: time span 1, target 2 'f.dat': ", "WARNING: time span 2: ", "ERROR: time span 2, target 2"];
    assert_eq!(findings.len(), start.len());
    for (finding, start) in findings.iter().zip(start) {
        assert!(finding.starts_with(start), "{finding}");
    }
}

#[test]
fn a_profile_without_time_span_is_invalid() {
    assert_eq!(broken_rules(&Profile::default()), "V0");
}
