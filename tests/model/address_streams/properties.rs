//! Properties of every workload.

use super::command::{Command, is_write};
use diskspd::profile::{Distribution, DistributionKind, DistributionRange};
use diskspd::workload::{Assignment, Pattern, TargetWorkload, ThreadWorkload};
use proptest::prelude::*;
use std::sync::Arc;

fn patterns() -> impl Strategy<Value = Pattern> {
    prop_oneof![
        Just(Pattern::Sequential),
        Just(Pattern::Interlocked),
        Just(Pattern::ParallelAsync),
        Just(Pattern::Random),
        (1u32..100).prop_map(|random| Pattern::Mixed { random }),
    ]
}

/// Shares that sum to 100 or less, over percents of the target that sum to less than 100; and the tail.
fn percent_distributions() -> impl Strategy<Value = Distribution> {
    let ranges = prop::collection::vec((0u32..25, 1u64..20), 1..5);
    ranges.prop_map(|ranges| {
        let ranges = ranges.into_iter().map(|(io, span)| DistributionRange { io, span }).collect();
        Distribution::with_tail(DistributionKind::Percent, ranges)
    })
}

fn workloads() -> impl Strategy<Value = TargetWorkload> {
    let sizes = (1u32..5000, 1u64..8000, 0u64..100_000, 0u64..200_000, 0u64..=100);
    let distribution = prop::option::of(percent_distributions());
    (patterns(), sizes, 0u32..=100, distribution).prop_map(
        |(pattern, (block_size, stride, base, more, first), write_ratio, distribution)| {
            let walks = matches!(pattern, Pattern::Sequential | Pattern::ParallelAsync);
            TargetWorkload {
                block_size,
                stride,
                base,
                region: u64::from(block_size) + more,
                first: if walks { more * first / 100 } else { 0 },
                pattern,
                write_ratio,
                distribution,
                spread: None,
                weight: 1,
                each_once: false,
                portion: None,
            }
        },
    )
}

fn thread(workload: &TargetWorkload, seed: u64) -> ThreadWorkload {
    let interlocked = Arc::default();
    ThreadWorkload::new(seed, false, &[Assignment { workload, requests: 4, interlocked }])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn ios_stay_in_the_region_on_the_grid(workload in workloads(), seed in any::<u64>()) {
        let mut thread = thread(&workload, seed);
        let phase = workload.first % workload.stride;
        for i in 0..2000 {
            let io = thread.next(i % 4);
            let relative = io.offset.checked_sub(workload.base).expect("below the base offset");
            prop_assert!(relative + u64::from(workload.block_size) <= workload.region, "{io:?}");
            prop_assert_eq!(relative % workload.stride, phase);
            prop_assert_eq!(io.length, workload.block_size);
        }
    }

    #[test]
    fn percent_ranges_partition_the_points(distribution in percent_distributions(), blocks in 1u64..3000) {
        let grid = diskspd::workload::Grid { region: blocks * 4096 + 77, block_size: 4096, stride: 4096 };
        let ranges = diskspd::workload::effective_ranges(&distribution, &grid);
        let (mut points, mut end) = (0, 0);
        for range in &ranges {
            prop_assert_eq!(range.io_base, points);
            prop_assert!(range.io_span > 0 && range.length > 0);
            prop_assert!(range.start >= end, "{:?}", ranges);
            prop_assert_eq!((range.start % 4096, range.length % 4096), (0, 0));
            points += range.io_span;
            end = range.start + range.length;
        }
        prop_assert_eq!(points, 100);
        prop_assert!(end <= grid.aligned_size());
    }

    #[test]
    fn absolute_ranges_stay_in_region(
        block in 1u64..5000, align in 1u64..8000, spans in prop::collection::vec((1u32..30, 0u64..20_000), 1..4),
        more in 0u64..50_000, seed in any::<u64>(),
    ) {
        let ranges = spans.iter().map(|&(io, span)| DistributionRange { io, span: span + block }).collect();
        let workload = TargetWorkload {
            block_size: block as u32,
            stride: align,
            base: 0,
            region: block + more,
            first: 0,
            pattern: Pattern::Random,
            write_ratio: 0,
            distribution: Some(Distribution::with_tail(DistributionKind::Absolute, ranges)),
            spread: None,
            weight: 1,
            each_once: false,
            portion: None,
        };
        let mut thread = thread(&workload, seed);
        let last = *thread.effective(0).last().expect("the first range begins at 0");
        for _ in 0..500 {
            let io = thread.next(0);
            if io.offset >= last.start {
                prop_assert!(io.offset + block <= workload.region, "{io:?} {last:?}");
            }
        }
    }
}

/// Within 5 standard deviations, which a fair generator misses once in more than a million draws of this kind. Seeds
/// are fixed, so that a test passes always or never.
fn near(count: usize, of: usize, percent: f64) {
    let p = percent / 100.0;
    let (expected, deviation) = (of as f64 * p, (of as f64 * p * (1.0 - p)).sqrt());
    assert!((count as f64 - expected).abs() < 5.0 * deviation, "{count} of {of}, expected {expected}");
}

#[test]
fn writes_have_their_share() {
    for percent in [0, 1, 10, 50, 70, 99, 100] {
        for pattern in ["-r", "-s", "-si", "-p"] {
            let ios = Command::parse(&format!("-c1G -b4K {pattern} -w{percent}")).ios(0, 20_000);
            let writes = ios.iter().filter(|io| is_write(io)).count();
            match percent {
                0 => assert_eq!(writes, 0),
                100 => assert_eq!(writes, ios.len()),
                _ => near(writes, ios.len(), f64::from(percent)),
            }
        }
    }
}

#[test]
fn ranges_have_their_share() {
    let offsets = Command::parse("-c1G -b4K -r -rdpct90/10:0/10:5/20").offsets(0, 50_000);
    let within =
        |from: u64, to: u64| offsets.iter().filter(|&&offset| (from..to).contains(&(offset >> 10))).count();
    near(within(0, 104_856), offsets.len(), 90.0);
    near(within(209_712, 419_428), offsets.len(), 5.0);
    near(within(419_428, 1_048_576), offsets.len(), 5.0);
}

#[test]
fn cut_ranges_keep_their_proportions() {
    let offsets = Command::parse("-c100K -b4K -r -rdabs10/50K:20/10K:30/1G").offsets(0, 50_000);
    let within =
        |from: u64, to: u64| offsets.iter().filter(|&&offset| (from..to).contains(&(offset >> 10))).count();
    near(within(0, 50), offsets.len(), 100.0 / 6.0);
    near(within(50, 60), offsets.len(), 100.0 / 3.0);
    near(within(60, 100), offsets.len(), 50.0);
}

#[test]
fn floating_targets_have_their_weight() {
    for (weights, percents) in [("3,1", [75.0, 25.0]), ("1,1", [50.0, 50.0]), ("1,99", [1.0, 99.0])] {
        let command = format!("-c1G -b4K -s -F1 -O3 one two weights={weights}");
        let ios = Command::parse(&command).ios(0, 40_000);
        for (target, percent) in (0u32..).zip(percents) {
            near(ios.iter().filter(|io| io.target == target).count(), ios.len(), percent);
        }
    }
}

#[test]
fn every_random_position_is_equally_likely() {
    for options in ["-c1M -b64K", "-c300000 -b4K", "-c100000 -b1000 -r300"] {
        let command = Command::parse(&format!("{options} -r"));
        let grid = command.workload(0).grid();
        let offsets = command.offsets(0, 1000 * grid.positions() as usize);
        let mut counts = vec![0; grid.positions() as usize];
        offsets.iter().for_each(|offset| counts[(offset / grid.stride) as usize] += 1);
        for count in counts {
            near(count, offsets.len(), 100.0 / grid.positions() as f64);
        }
    }
}

/// The number n of sequential I/Os after a random one has the probability (1 - p)^n p, and a run keeps its direction.
#[test]
fn mixed_runs_are_geometric_and_of_one_direction() {
    for percent in [10, 30, 50, 80] {
        let ios = Command::parse(&format!("-c1T -b4K -rs{percent} -w40")).ios(0, 100_000);
        // The target is large: a random step that happens to go to the next block is not to be expected.
        let mut runs: Vec<usize> = vec![0];
        for pair in ios.windows(2) {
            if pair[1].offset == pair[0].offset + 4096 {
                assert_eq!(pair[0].direction, pair[1].direction);
                *runs.last_mut().unwrap() += 1;
            } else {
                runs.push(0);
            }
        }
        near(runs.len(), ios.len(), f64::from(percent));
        let p = f64::from(percent) / 100.0;
        for n in 0..3 {
            let count = runs.iter().filter(|&&run| run == n).count();
            near(count, runs.len(), 100.0 * p * (1.0 - p).powi(n as i32));
        }
    }
}

#[test]
fn batch_draws_equal_single_draws() {
    for options in [
        "-r",
        "-r -w100",
        "-r -w30",
        "-r8K -B1M -f700M",
        "-r -rdpct10/90:90/10",
        "-rs40",
        "-rs40 -w30",
        "-s",
        "-si -w100",
        "-p",
        "-r -w100 -Z1M",
        "-r -F1 a b",
        "-F1 -O8 -r -w50 a b c",
        "-F1 -O8 -r weights=3,1 a b",
    ] {
        let command = Command::parse(&format!("-c1G -b4K -o8 -z5 {options}"));
        let mut single = command.threads().swap_remove(0);
        let mut batches = command.threads().swap_remove(0).workload;
        // Of different lengths, and not in order: requests are drawn for as they complete.
        for batch in [&[0][..], &[7, 3, 1], &[], &[2, 0, 6, 4, 5, 1, 3, 7], &[5, 4]].repeat(100) {
            let mut drawn = vec![None; batch.len()];
            batches.fill(&mut drawn, batch, |request, io| Some((request, io)));
            let expected: Vec<_> =
                batch.iter().map(|&request| Some((request, single.workload.next(request)))).collect();
            assert_eq!(drawn, expected, "{options}");
        }
    }
}
