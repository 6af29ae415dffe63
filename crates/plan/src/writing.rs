//! Write content and I/O rate: conversion of a target's settings to a worker's.

use super::access::is_cached;
use super::{JobRank, WorkerPlan, WorkerTarget, WriteContent};
use crate::workload::pace::Limit;
use diskspd_base::finding::Finding;
use diskspd_machine::target::TargetFacts;
use diskspd_profile::{Arrivals, RandomDataSource, RateTotal, Target, Throughput, TimeSpan};

/// Slices of a source begin on sectors when the cache is bypassed, as in DISKSPD; the device may need more.
const SECTOR: u32 = 512;

/// Returns the sources of a span in the order of their targets.
pub(crate) fn sources(span: &TimeSpan) -> Vec<RandomDataSource> {
    span.targets.iter().filter(|t| uses_source(t)).filter_map(|t| t.random_data_source.clone()).collect()
}

pub(crate) fn uses_source(target: &Target) -> bool {
    target.write_ratio > 0 && target.random_data_source.is_some()
}

/// Returns the content of writes on target `index` of the span. A sized source has precedence over zeros,
/// and zeros over fresh content.
pub(crate) fn content(span: &TimeSpan, index: usize, facts: &TargetFacts) -> WriteContent {
    let target = &span.targets[index];
    if uses_source(target) {
        let index = span.targets[..index].iter().filter(|t| uses_source(t)).count();
        return WriteContent::Source { index, alignment: source_alignment(target, facts) };
    }
    match (target.zero_write_buffers, span.random_write_data, target.content) {
        (true, ..) => WriteContent::Zeros,
        (false, true, _) => WriteContent::Fresh,
        (false, false, Some(shape)) => WriteContent::Reducible(shape),
        (false, false, None) => WriteContent::Pattern,
    }
}

/// Returns the alignment of positions in a source in bytes, which `O_DIRECT` memory requires.
fn source_alignment(target: &Target, facts: &TargetFacts) -> u32 {
    if is_cached(target, facts) {
        return 1;
    }
    facts.direct.map_or(SECTOR, |needs| needs.memory.max(SECTOR)).next_power_of_two()
}

/// Returns the limit of a thread on the target; a throughput limit has precedence over bursts.
pub(crate) fn limit(span: &TimeSpan, target: &Target) -> Limit {
    match throughput_limit(target) {
        Limit::None => bursts(span, target),
        limit => limit,
    }
}

fn throughput_limit(target: &Target) -> Limit {
    match target.throughput {
        Some(Throughput::Iops(iops)) if iops > 0 => Limit::iops(iops),
        Some(Throughput::BytesPerMillisecond(bytes)) if bytes > 0 => {
            Limit::bytes_per_millisecond(bytes, target.block_size)
        }
        _ => Limit::None,
    }
}

fn bursts(span: &TimeSpan, target: &Target) -> Limit {
    match (target.burst_size, target.think_time) {
        (Some(count), Some(ms)) if ms > 0 => Limit::bursts(count, span.threads_on(target), ms),
        _ => Limit::None,
    }
}

/// Shares a rate equally among all pairs of a thread and a target, in their order. Even arrivals go
/// to the pairs alternately, so that all of them together are evenly spread; random ones are drawn by each
/// pair for itself, which is the same as drawing them for all. The ranks of a job have the same number of
/// pairs each.
pub(crate) fn share(rate: RateTotal, rank: JobRank, workers: &mut [WorkerPlan]) {
    let whole = |target: &&WorkerTarget| !target.is_further_portion();
    let of = workers.iter().flat_map(|worker| &worker.targets).filter(whole).count() as u32;
    let ios_per_s = rate.ios_per_s;
    let mut turn = of.saturating_mul(rank.rank);
    let of = of.saturating_mul(rank.of);
    for worker in workers {
        let mut last = Limit::None;
        for target in &mut worker.targets {
            if target.is_further_portion() {
                target.limit = last;
                continue;
            }
            target.limit = match rate.arrivals {
                Arrivals::Uniform => Limit::InTurn { ios_per_s, turn, of },
                Arrivals::Poisson => {
                    // Of its own: addresses and directions are the same with and without a rate.
                    let seed = ARRIVALS ^ (worker.seed << 32) ^ target.target as u64;
                    Limit::Poisson { ios_per_s, of, seed }
                }
            };
            turn += 1;
            last = target.limit;
        }
    }
}

const ARRIVALS: u64 = u64::from_be_bytes(*b"arrivals");

/// Returns valid bursts and pauses without effect, as in DISKSPD, with each reason.
pub(crate) fn pauses_without_effect(span: &TimeSpan, workers: &[WorkerPlan]) -> Vec<Finding> {
    let paused = |index: usize| bursts(span, &span.targets[index]) != Limit::None;
    let limited = |index: usize| throughput_limit(&span.targets[index]) != Limit::None;
    let mut found = Vec::new();
    if (0..span.targets.len()).any(|index| paused(index) && limited(index)) {
        found.push(Finding::warning(
            "-i and -j (BurstSize, ThinkTime) have no effect with -g (Throughput): there are no pauses",
        ));
    }
    let handled = workers.iter().filter(|worker| worker.routines);
    if handled.flat_map(|worker| &worker.targets).any(|target| paused(target.target)) {
        found.push(Finding::warning(
            "-i and -j (BurstSize, ThinkTime) have no effect with completion routines (-x): there are no \
             pauses; leave out -x, or use -o1",
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_machine::target::DirectRequirements;
    use diskspd_profile::{CacheMode, ThreadTarget};

    fn sample_source(size: u64) -> Option<RandomDataSource> {
        Some(RandomDataSource { size, path: None })
    }

    fn written_target(target: Target) -> Target {
        Target { write_ratio: 50, ..target }
    }

    #[test]
    fn content_precedence_is_source_zeros_fresh() {
        let content_of = |source, zeros, fresh| {
            let target = written_target(Target {
                random_data_source: source,
                zero_write_buffers: zeros,
                ..Target::default()
            });
            let span = TimeSpan { random_write_data: fresh, targets: vec![target], ..TimeSpan::default() };
            content(&span, 0, &TargetFacts::default())
        };
        let sourced = WriteContent::Source { index: 0, alignment: 1 };
        for (source, zeros, fresh, expected) in [
            (None, false, false, WriteContent::Pattern),
            (None, false, true, WriteContent::Fresh),
            (None, true, false, WriteContent::Zeros),
            (None, true, true, WriteContent::Zeros),
            (sample_source(1 << 20), true, true, sourced),
            (sample_source(1 << 20), false, true, sourced),
        ] {
            assert_eq!(content_of(source, zeros, fresh), expected);
        }
    }

    #[test]
    fn only_written_targets_have_sources() {
        let targets = vec![
            Target { random_data_source: sample_source(1), ..Target::default() },
            written_target(Target { random_data_source: sample_source(2), ..Target::default() }),
            written_target(Target::default()),
            written_target(Target {
                random_data_source: sample_source(3),
                cache_mode: CacheMode::DisableOsCache,
                ..Target::default()
            }),
        ];
        let span = TimeSpan { targets, ..TimeSpan::default() };
        assert_eq!(sources(&span).iter().map(|s| s.size).collect::<Vec<_>>(), [2, 3]);
        let facts = |memory| TargetFacts {
            direct: Some(DirectRequirements { offset: 4096, memory }),
            ..TargetFacts::default()
        };
        assert_eq!(content(&span, 1, &facts(4096)), WriteContent::Source { index: 0, alignment: 1 });
        assert_eq!(content(&span, 3, &facts(4)), WriteContent::Source { index: 1, alignment: 512 });
        assert_eq!(content(&span, 3, &facts(4096)), WriteContent::Source { index: 1, alignment: 4096 });
    }

    #[test]
    fn throughput_limit_precedes_bursts() {
        let target =
            Target { burst_size: Some(100), think_time: Some(5), threads_per_file: 3, ..Target::default() };
        let span = TimeSpan::default();
        assert_eq!(limit(&span, &target), Limit::Bursts { ios: 33, pause: 5_000_000 });
        let limited = Target { throughput: Some(Throughput::Iops(7)), ..target.clone() };
        assert_eq!(limit(&span, &limited), Limit::Rate { ios: 7, nanos: 1_000_000_000 });
        let limited = Target { throughput: Some(Throughput::BytesPerMillisecond(100)), ..target };
        assert_eq!(limit(&span, &limited), Limit::Rate { ios: 100, nanos: 65_536_000_000 });
        assert_eq!(limit(&span, &Target::default()), Limit::None);
    }

    #[test]
    fn bursts_are_divided_with_at_least_one_per_thread() {
        let bursts = |count, span: TimeSpan, target: Target| {
            limit(&span, &Target { burst_size: Some(count), think_time: Some(1), ..target })
        };
        let of = |ios| Limit::Bursts { ios, pause: 1_000_000 };
        let pool = || TimeSpan { thread_count: 4, ..TimeSpan::default() };
        let named = vec![ThreadTarget { thread: 0, weight: 0 }, ThreadTarget { thread: 2, weight: 0 }];
        assert_eq!(bursts(10, TimeSpan::default(), Target::default()), of(10));
        assert_eq!(
            bursts(3, TimeSpan::default(), Target { threads_per_file: 5, ..Target::default() }),
            of(1)
        );
        assert_eq!(bursts(10, pool(), Target::default()), of(2));
        assert_eq!(bursts(10, pool(), Target { thread_targets: named, ..Target::default() }), of(5));
    }
}
