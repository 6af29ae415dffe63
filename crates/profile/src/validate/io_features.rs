//! Rules of atomic writes, uncached and non-waiting I/O, write hints, and placement in the device.

use super::Case;
use crate::{CacheMode, Profile, RunOptions, Target};
use diskspd_base::finding::{Finding, Severity};
use diskspd_base::operation::Operation;

struct FeatureRules {
    option: &'static str,
    element: &'static str,
    requested: fn(&Target) -> bool,
    simulated: bool,
    /// Rules with their conditions and the rest of the message.
    rules: &'static [FeatureRule],
}

type FeatureRule = (&'static str, fn(&Target) -> bool, &'static str);

const NOT_WRITTEN: &str = ": no data is written; add -w (WriteRatio), or leave it out";

const FEATURES: &[FeatureRules] = &[
    FeatureRules {
        option: "--atomic",
        element: "Atomic",
        requested: |target| target.atomic,
        simulated: false,
        rules: &[
            ("A1", |target| target.write_ratio == 0, NOT_WRITTEN),
            (
                "A2",
                |target| target.memory_mapped_io,
                " and -Sm (MemoryMappedIo) exclude each other: stores to memory are not atomic writes; leave \
                 out one of them",
            ),
            (
                "A3",
                |target| target.dont_cache,
                " and --dontcache (linux:DontCache) exclude each other: atomic writes bypass the page cache; \
                 leave out one of them",
            ),
        ],
    },
    FeatureRules {
        option: "--dontcache",
        element: "DontCache",
        requested: |target| target.dont_cache,
        simulated: false,
        rules: &[
            (
                "A4",
                |target| target.cache_mode != CacheMode::Cached,
                " goes through the page cache, which -Su, -Sh, -Sr and -h bypass; leave out one of them",
            ),
            (
                "A5",
                |target| target.memory_mapped_io,
                " and -Sm (MemoryMappedIo) exclude each other: mapped pages stay in the page cache; leave \
                 out one of them",
            ),
        ],
    },
    FeatureRules {
        option: "--nowait",
        element: "NoWait",
        requested: |target| target.no_wait,
        simulated: false,
        rules: &[(
            "A10",
            |target| target.memory_mapped_io,
            " and -Sm (MemoryMappedIo) exclude each other: copies from and to mapped memory always wait; \
             leave out one of them",
        )],
    },
    FeatureRules {
        option: "--write-hint",
        element: "WriteHint",
        requested: |target| target.write_hint.is_some(),
        simulated: false,
        rules: &[("A6", |target| !target.is_changed(), NOT_WRITTEN)],
    },
    FeatureRules {
        option: "--fdp",
        element: "PlacementHandles",
        requested: |target| !target.fdp.is_empty(),
        simulated: false,
        rules: &[("A11", |target| target.write_ratio == 0, NOT_WRITTEN)],
    },
    FeatureRules {
        option: "--write-stream",
        element: "WriteStreams",
        requested: |target| !target.write_streams.is_empty(),
        simulated: false,
        rules: &[
            ("A12", |target| target.write_ratio == 0, NOT_WRITTEN),
            (
                "A13",
                |target| target.memory_mapped_io,
                " and -Sm (MemoryMappedIo) exclude each other: stores to memory have no stream; leave out \
                 one of them",
            ),
            (
                "A14",
                |target| target.write_hint.is_some(),
                " and --write-hint (linux:WriteHint) exclude each other: on a device with streams the kernel \
                 uses the hint as a stream's number; leave out one of them",
            ),
        ],
    },
    FeatureRules {
        option: "--fua",
        element: "FuaRatio",
        requested: |target| target.shares.percent(Operation::DurableWrite) > 0,
        simulated: true,
        rules: &[
            ("A15", |target| target.write_ratio == 0, NOT_WRITTEN),
            (
                "A16",
                |target| target.write_through,
                " and -Sw, -Sh or -h (WriteThrough) exclude each other: every write is durable with those; \
                 leave out one of them",
            ),
        ],
    },
];

pub(super) fn check(case: &Case) -> Vec<Finding> {
    let requested = FEATURES.iter().filter(|row| (row.requested)(case.target));
    let broken = requested.flat_map(|row| {
        let broken = row.rules.iter().filter(|(_, is_broken, _)| is_broken(case.target));
        broken.map(|(rule, _, rest)| way_error(rule, format!("{} (linux:{}){rest}", row.option, row.element)))
    });
    broken.collect()
}

pub(super) fn with_run_options(run_options: &RunOptions, profile: &Profile) -> Vec<Finding> {
    let targets = || profile.time_spans.iter().flat_map(|span| &span.targets);
    let engine = run_options.engine.map(|engine| engine.row());
    let mut findings = Vec::new();
    for row in FEATURES.iter().filter(|row| targets().any(row.requested)) {
        let option = row.option;
        let without_io = engine.filter(|engine| !engine.real_io && !row.simulated);
        if let Some(engine) = without_io {
            let message = format!(
                "{option} and --engine {} exclude each other: that engine sends no I/O to the kernel; leave \
                 out one of them",
                engine.name
            );
            findings.push(way_error("A7", message));
        }
        let several_sizes = |target: &Target| target.atomic && target.is_mixed();
        if run_options.verify.is_some() && row.option == "--atomic" && targets().any(several_sizes) {
            let message = "--verify with --atomic checks whole blocks and needs one block size: leave out \
                           --mix and --bs-split, or --verify, or --atomic";
            findings.push(way_error("A9", message.to_owned()));
        }
        if run_options.replay.is_some() && row.option == "--atomic" {
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
