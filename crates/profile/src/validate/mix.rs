//! Rules of mixes and of several sizes (`--mix`, `--bs-split`).

use super::Case;
use crate::{ContentShape, MAX_PORTIONS, Throughput};
use diskspd_base::finding::{Finding, Severity};

pub(super) fn check(case: &Case) -> Vec<Finding> {
    let target = case.target;
    if !target.is_mixed() {
        return Vec::new();
    }
    let name = match target.mix.is_empty() {
        true => "--bs-split (linux:BlockSizes)",
        false => "--mix (linux:Mix)",
    };
    let portions = target.portions();
    let smallest = portions.iter().map(|portion| portion.target.block_size).min().unwrap_or(0);
    let in_bytes = matches!(target.throughput, Some(Throughput::BytesPerMillisecond(limit)) if limit > 0);
    let zero = target.mix.iter().any(|part| part.share == 0)
        || portions.iter().any(|portion| portion.share <= 0.0 || !portion.share.is_finite());
    let rules = [
        (
            target.interlocked_sequential,
            "X1",
            "and -si (InterlockedSequential) exclude each other: the position that threads share counts I/Os \
             of one size; let each thread have its own, with -T for their distance",
        ),
        (
            target.parallel_async_io,
            "X2",
            "and -p (ParallelAsyncIO) exclude each other: a sequential part has one position",
        ),
        (
            in_bytes,
            "X4",
            "and -g in bytes (Throughput) exclude each other: the limit counts I/Os of one size; give it in \
             I/Os per second, as in -g500i",
        ),
        (zero, "X5", "has a share of 0: each part or size needs a share of at least 1"),
        (portions.len() > MAX_PORTIONS, "X6", "has more than 64 parts and sizes: each has separate figures"),
        (
            target.content.is_some() && smallest < ContentShape::MIN_BLOCK,
            "X7",
            "has blocks of less than 512 bytes, too small for --compress and --dedupe (linux:WriteContent)",
        ),
    ];
    let broken = rules.into_iter().filter(|(broken, ..)| *broken);
    broken.map(|(_, rule, why)| Finding::of_machine(rule, Severity::Error, format!("{name} {why}"))).collect()
}
