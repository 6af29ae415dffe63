//! Rules of random I/O that does each block once (`--each-once`).

use super::Case;
use crate::{Profile, RunOptions};
use diskspd_base::finding::{Finding, Severity};

pub(super) fn check(case: &Case) -> Vec<Finding> {
    let target = case.target;
    if !target.each_once {
        return Vec::new();
    }
    let smallest = target.sizes.iter().map(|size| size.block_size).min();
    let rules = [
        (
            target.random_ratio != 100 && target.mix.is_empty(),
            "O1",
            "is for I/O that is random throughout: give -r; sequential I/O does each block once anyway",
        ),
        (
            target.distribution.is_some() || target.spread.is_some(),
            "O2",
            "and -rd or --distribution exclude each other: all blocks are done equally often",
        ),
        (
            !target.mix.is_empty(),
            "O3",
            "and --mix (linux:Mix) exclude each other: parts go to separate places; use --bs-split for \
             several sizes, -w for reads and writes",
        ),
        (
            target.sizes.is_empty() && target.stride() < target.block_size.into(),
            "O4",
            "needs blocks that do not overlap: give -r without an alignment, or one of at least -b",
        ),
        (
            smallest.is_some_and(|smallest| target.block_alignment != u64::from(smallest)),
            "O5",
            "with --bs-split (linux:BlockSizes) counts blocks of the smallest size: give that as the \
             alignment, as in -r4K for --bs-split 4K/60:64K/40",
        ),
        (
            target.zoned,
            "O6",
            "and --zoned (linux:Zoned) exclude each other: zones are written at their write pointers",
        ),
    ];
    let broken = rules.into_iter().filter(|(broken, ..)| *broken);
    broken.map(|(_, rule, why)| new_finding(rule, why)).collect()
}

pub(super) fn with_run_options(run_options: &RunOptions, profile: &Profile) -> Vec<Finding> {
    let mut targets = profile.time_spans.iter().flat_map(|span| &span.targets);
    if run_options.replay.is_none() || !targets.any(|target| target.each_once) {
        return Vec::new();
    }
    vec![new_finding(
        "O7",
        "and --replay exclude each other: the recording says where I/Os go; leave out one of them",
    )]
}

fn new_finding(rule: &'static str, why: &str) -> Finding {
    Finding::of_machine(rule, Severity::Error, format!("--each-once (linux:EachOnce) {why}"))
}
