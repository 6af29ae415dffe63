//! Rules of atomic writes, uncached and non-waiting I/O, write hints, and placement in the device.

use super::Case;
use crate::finding::{Finding, Severity};
use crate::profile::{CacheMode, Profile, RunOptions, Target};

pub(super) fn check(case: &Case) -> Vec<Finding> {
    let target = case.target;
    let (atomic, dont_cache, mapped) = (target.atomic, target.dont_cache, target.memory_mapped_io);
    let no_hint = without_option("--write-hint (linux:WriteHint)");
    let rules = [
        ("A1", atomic && target.write_ratio == 0, without_option("--atomic (linux:Atomic)")),
        (
            "A2",
            atomic && mapped,
            "--atomic (linux:Atomic) and -Sm (MemoryMappedIo) exclude each other: stores to memory are not \
             atomic writes; leave out one of them"
                .to_owned(),
        ),
        (
            "A3",
            atomic && dont_cache,
            "--atomic (linux:Atomic) and --dontcache (linux:DontCache) exclude each other: atomic writes \
             bypass the page cache; leave out one of them"
                .to_owned(),
        ),
        (
            "A4",
            dont_cache && target.cache_mode != CacheMode::Cached,
            "--dontcache (linux:DontCache) goes through the page cache, which -Su, -Sh, -Sr and -h bypass; \
             leave out one of them"
                .to_owned(),
        ),
        (
            "A5",
            dont_cache && mapped,
            "--dontcache (linux:DontCache) and -Sm (MemoryMappedIo) exclude each other: mapped pages stay \
             in the page cache; leave out one of them"
                .to_owned(),
        ),
        (
            "A10",
            target.no_wait && mapped,
            "--nowait (linux:NoWait) and -Sm (MemoryMappedIo) exclude each other: copies from and to mapped \
             memory always wait; leave out one of them"
                .to_owned(),
        ),
        ("A6", target.write_hint.is_some() && !target.is_changed(), no_hint),
    ];
    let broken = rules.into_iter().chain(placement_rules(target)).filter(|(_, broken, _)| *broken);
    broken.map(|(rule, _, message)| way_error(rule, message)).collect()
}

/// A rule, whether it is broken, and what then is the matter.
type WayRule = (&'static str, bool, String);

fn placement_rules(target: &Target) -> [WayRule; 4] {
    let (handles, streams) = (!target.fdp.is_empty(), !target.write_streams.is_empty());
    [
        (
            "A11",
            handles && target.write_ratio == 0,
            without_option("--fdp (linux:PlacementHandles)"),
        ),
        (
            "A12",
            streams && target.write_ratio == 0,
            without_option("--write-stream (linux:WriteStreams)"),
        ),
        (
            "A13",
            streams && target.memory_mapped_io,
            "--write-stream (linux:WriteStreams) and -Sm (MemoryMappedIo) exclude each other: stores to \
             memory have no stream; leave out one of them"
                .to_owned(),
        ),
        (
            "A14",
            streams && target.write_hint.is_some(),
            "--write-stream (linux:WriteStreams) and --write-hint (linux:WriteHint) exclude each other: on a \
             device with streams the kernel uses the hint as a stream's number; leave out one of them"
                .to_owned(),
        ),
    ]
}

fn without_option(option: &str) -> String {
    format!("{option}: no data is written; add -w (WriteRatio), or leave it out")
}

pub(super) fn with_run_options(run_options: &RunOptions, profile: &Profile) -> Vec<Finding> {
    let targets = || profile.time_spans.iter().flat_map(|span| &span.targets);
    let engine = run_options.engine.map(|engine| engine.row());
    let mut findings = Vec::new();
    let given = [
        ("--atomic", targets().any(|target| target.atomic)),
        ("--dontcache", targets().any(|target| target.dont_cache)),
        ("--nowait", targets().any(|target| target.no_wait)),
        ("--write-hint", targets().any(|target| target.write_hint.is_some())),
        ("--fdp", targets().any(|target| !target.fdp.is_empty())),
        ("--write-stream", targets().any(|target| !target.write_streams.is_empty())),
    ];
    for (option, _) in given.into_iter().filter(|(_, given)| *given) {
        if let Some(row) = engine.filter(|row| !row.real_io) {
            let message = format!(
                "{option} and --engine {} exclude each other: that engine sends no I/O to the kernel; leave \
                 out one of them",
                row.name
            );
            findings.push(way_error("A7", message));
        }
        let several_sizes = |target: &Target| target.atomic && target.is_mixed();
        if run_options.verify.is_some() && option == "--atomic" && targets().any(several_sizes) {
            let message = "--verify with --atomic checks whole blocks and needs one block size: leave out \
                           --mix and --bs-split, or --verify, or --atomic";
            findings.push(way_error("A9", message.to_owned()));
        }
        if run_options.replay.is_some() && option == "--atomic" {
            let message = "--atomic and --replay exclude each other: recorded writes have the sizes that \
                           they had; leave out one of them";
            findings.push(way_error("A8", message.to_owned()));
        }
    }
    findings
}

fn way_error(rule: &'static str, message: String) -> Finding {
    Finding::of_machine(rule, Severity::Error, message)
}
