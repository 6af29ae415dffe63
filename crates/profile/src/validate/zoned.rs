//! Rules of work in zones (`--zoned`).

use super::Case;
use crate::{Profile, RunOptions};
use diskspd_base::finding::{Finding, Severity};

/// Rule: its name, its condition, the excluded setting, and the reason.
type ZoneRule = (&'static str, fn(&Case) -> bool, &'static str, &'static str);

const RULES: &[ZoneRule] = &[
    (
        "Z1",
        |case| case.target.memory_mapped_io,
        "-Sm (MemoryMappedIo)",
        "stores to memory are written back in any order",
    ),
    (
        "Z2",
        |case| case.target.random_ratio > 0 && case.target.random_ratio < 100,
        "-rs",
        "a zone is followed by the next zone, or by any zone (-r)",
    ),
    (
        "Z3",
        |case| {
            case.target.interlocked_sequential
                || case.target.parallel_async_io
                || case.target.thread_stride > 0
        },
        "-si, -p and -T",
        "each thread writes at the write pointers of the zones it owns",
    ),
    (
        "Z4",
        |case| case.target.random_ratio == 0 && case.target.stride() != u64::from(case.target.block_size),
        "-s with another size than -b",
        "zones have no gaps",
    ),
    (
        "Z5",
        |case| case.target.distribution.is_some() || case.target.spread.is_some(),
        "-rd and --distribution",
        "with --zoned the write pointers decide where I/Os go",
    ),
    ("Z6", |case| case.target.is_mixed(), "--mix and --bs-split", "a zone is filled with blocks of one size"),
    (
        "Z7",
        |case| !case.target.shares.are_none(),
        "--trim, --write-zeroes and --fua",
        "zones are emptied as a whole, by their resets, and written plainly",
    ),
    (
        "Z8",
        |case| case.target.atomic || case.target.dont_cache || case.target.no_wait,
        "--atomic, --dontcache and --nowait",
        "after a refused or torn I/O the write pointer would be unknown",
    ),
    (
        "Z9",
        |case| case.span.completion_routines,
        "-x (CompletionRoutines)",
        "a routine submits the next I/O in place of a reset",
    ),
    (
        "Z10",
        |case| case.span.is_floating_pool() && case.span.targets.len() > 1,
        "-O with several targets",
        "each outstanding I/O has its zone on one target: use -o",
    ),
];

pub(super) fn check(case: &Case) -> Vec<Finding> {
    if !case.target.zoned {
        return Vec::new();
    }
    let broken = RULES.iter().filter(|(_, broken, ..)| broken(case));
    broken
        .map(|(rule, _, what, why)| excluded_with(rule, &format!("(linux:Zoned) and {what}"), why))
        .collect()
}

pub(super) fn with_run_options(run_options: &RunOptions, profile: &Profile) -> Vec<Finding> {
    let mut targets = profile.time_spans.iter().flat_map(|span| &span.targets);
    if !targets.any(|target| target.zoned) {
        return Vec::new();
    }
    let engine = run_options.engine.map(|engine| engine.row()).filter(|row| !row.real_io);
    let engine = engine.map(|row| format!("--engine {}", row.name));
    let other = match run_options {
        RunOptions { verify: Some(_), .. } => Some(("--verify", "sectors of a reset zone have no stamps")),
        RunOptions { replay: Some(_), .. } => {
            Some(("--replay", "the places of recorded I/Os do not follow write pointers"))
        }
        RunOptions { prefill: Some(_), .. } => {
            Some(("--prefill", "it writes all of a target once; --zoned -w100 --until-written does so, too"))
        }
        RunOptions { poll: true, .. } => Some(("--poll", "a polled ring cannot reset zones")),
        _ => None,
    };
    let no_zones = "that engine has no zones";
    let all = engine.as_deref().map(|engine| (engine, no_zones)).into_iter().chain(other);
    all.map(|(option, why)| excluded_with("Z11", &format!("and {option}"), why)).collect()
}

fn excluded_with(rule: &'static str, what: &str, why: &str) -> Finding {
    let message = format!("--zoned {what} exclude each other: {why}; leave out one of them");
    Finding::of_machine(rule, Severity::Error, message)
}
