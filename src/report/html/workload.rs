//! What a run does, in words; what isn't recorded is left out.

use crate::profile::{Access, CacheMode, Parameters, RawText};
use crate::results::KnownRun;
use crate::units::amount;

/// For the title of a window: the first target, and where it ran.
pub fn title(run: &KnownRun) -> String {
    let target = targets(run).next().map(|target| format!(": {target}")).unwrap_or_default();
    let computer = run.computer.as_ref().map(|name| format!(" on {name}")).unwrap_or_default();
    format!("DiskSpd{target}{computer}")
}

/// All targets of all time spans, each as often as it's worked on.
pub fn targets(run: &KnownRun) -> impl Iterator<Item = &RawText> {
    let spans = run.time_spans.iter().flatten();
    spans.flat_map(|span| &span.parameters.targets).flat_map(|group| &group.paths)
}

/// `4 KiB random, 30 % writes`: how the first target is worked on.
pub fn short(run: &KnownRun) -> String {
    let first = run.time_spans.iter().flatten().find_map(|span| span.parameters.targets.first());
    let said = first.map(|group| access(&group.access)).filter(|said| !said.is_empty());
    let several = match run.time_spans.len() {
        0 | 1 => String::new(),
        count => format!(", {count} time spans"),
    };
    format!("{}{several}", said.unwrap_or_else(|| "A run of DiskSpd".into()))
}

/// What is done in a time span, in one sentence; empty = nothing of it is recorded.
pub fn of_span(parameters: &Parameters) -> String {
    let access = parameters.targets.first().map(|group| group.access).unwrap_or_default();
    let count = |count: u64, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    let paths: usize = parameters.targets.iter().map(|group| group.paths.len()).sum();
    let parts = [
        parameters.threads.map(|threads| count(threads, "thread", "threads")),
        parameters.in_flight.map(|ios| format!("{} in flight in all", count(ios, "I/O", "I/Os"))),
        (paths > 0).then(|| format!("on {}", count(paths as u64, "target", "targets"))),
        access.caching.map(|caching| match (caching.memory_mapped, caching.mode) {
            (true, _) => "memory-mapped".into(),
            (_, CacheMode::Cached) => "files through the page cache".into(),
            (_, CacheMode::DisableOsCache) => "past the page cache".into(),
            (_, CacheMode::DisableLocalCache) => "past the local cache".into(),
        }),
        access.caching.filter(|caching| caching.write_through).map(|_| "writes durable".into()),
        parameters.duration_s.map(|seconds| format!("{seconds} s measured")),
        parameters.warmup_s.map(|seconds| format!("{seconds} s of warm-up")),
    ];
    let said: Vec<String> = parts.into_iter().flatten().collect();
    if said.is_empty() { String::new() } else { format!("{}.", said.join(", ")) }
}

fn access(access: &Access) -> String {
    let order = access.random_percent.map(|share| match share {
        0 => "sequential".into(),
        100 => "random".into(),
        share => format!("{share} % random"),
    });
    let direction = access.write_percent.map(|share| match share {
        0 => "reads".into(),
        100 => "writes".into(),
        share => format!(", {share} % writes"),
    });
    let size = access.block_size.map(|bytes| amount(u64::from(bytes)));
    let discards = access.trim_percent.map(|share| format!(", {share} % discards"));
    let words: Vec<String> = [size, order, direction, discards].into_iter().flatten().collect();
    words.join(" ").replace(" ,", ",")
}
