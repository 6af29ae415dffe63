//! Descriptions of a run's work in words, for pages and the end of a run; unrecorded properties are
//! omitted.

use crate::number::grouped;
use diskspd_figures::units::amount;
use diskspd_profile::OperationShares;
use diskspd_profile::{Access, CacheMode, Caching, CommonValue, Parameters, Rate, RawText};
use diskspd_results::{PartSummary, RunSummary};

/// Returns the targets of all time spans, with repetitions.
pub fn targets(run: &RunSummary) -> impl Iterator<Item = &RawText> {
    let spans = run.time_spans.iter().flatten();
    spans.flat_map(|span| &span.parameters.targets).flat_map(|group| &group.paths)
}

/// `4 KiB random, 30 % writes`: the common work on all targets. Variable sizes or different targets are
/// named: `A mix of 2 parts, 30 % writes, 8 outstanding`.
pub fn short(run: &RunSummary) -> String {
    let spans = run.time_spans.len();
    let mut names = names(run);
    names.sort_unstable();
    names.dedup();
    if names.len() > 1 {
        return format!("{} workloads in {spans} time spans", names.len());
    }
    let recorded = run.time_spans.iter().flatten().next();
    let differs = recorded.is_some_and(|span| {
        let targets = &span.parameters.targets;
        span.parts.len() > 1 || targets.iter().any(|group| group.access != targets[0].access)
    });
    if let (true, Some(name)) = (differs && spans == 1, names.first()) {
        return name.clone();
    }
    let first = run.time_spans.iter().flatten().find_map(|span| span.parameters.targets.first());
    let said = first.map(|group| access_text(&group.access)).filter(|said| !said.is_empty());
    let several = if spans > 1 { format!(", {spans} time spans") } else { String::new() };
    format!("{}{several}", said.unwrap_or_else(|| "A run of DiskSpd".into()))
}

/// [`short`] without the parts that these options set: `Random reads` in a sweep of `-b`; empty = nothing is
/// left.
pub fn describe_without(run: &RunSummary, options: &[&str]) -> String {
    let changes = |names: &[&str]| names.iter().any(|name| options.contains(name));
    let first = run.time_spans.iter().flatten().find_map(|span| span.parameters.targets.first());
    let Some(group) = first else { return String::new() };
    let mut of_all = group.access;
    if changes(&["-b"]) {
        of_all.block_size = None;
    }
    if changes(&["-w"]) {
        of_all.write_percent = None;
    }
    if changes(&["-r", "-rs", "-s"]) {
        of_all.random_percent = None;
    }
    capital(&access_text(&of_all))
}

/// Returns the names of the time spans by their work: `Random reads of 8 KiB, 32 outstanding`. Spans
/// without recorded properties get their number.
pub fn names(run: &RunSummary) -> Vec<String> {
    let asked = |index: usize| {
        let unmeasured = || run.unmeasured.iter().find(|span| span.time_span as usize == index + 1);
        match run.time_spans.get(index)?.as_ref() {
            Some(span) => Some((&span.parameters, span.parts.as_slice())),
            None => Some((&unmeasured()?.parameters, &[][..])),
        }
    };
    let name = |index: usize| {
        let name =
            asked(index).map(|(parameters, parts)| workload_name(parameters, parts)).unwrap_or_default();
        if name.is_empty() { format!("Time span {}", index + 1) } else { name }
    };
    (0..run.time_spans.len()).map(name).collect()
}

/// Returns a name for the work of a time span; empty without recorded properties.
pub fn workload_name(parameters: &Parameters, parts: &[PartSummary]) -> String {
    let mixed = parts.iter().map(|part| part.key.part).max().filter(|count| *count > 1);
    let sizes = parts.iter().any(|part| part.key.block_size != parts[0].key.block_size);
    let order = match parameters.common(|access| access.random_percent) {
        CommonValue::One(0) => "sequential ".into(),
        CommonValue::One(100) => "random ".into(),
        CommonValue::One(share) => format!("{share} % random "),
        CommonValue::Unknown | CommonValue::Several => String::new(),
    };
    let (what, share) = match parameters.common(|access| access.write_percent) {
        CommonValue::One(0) => ("reads", None),
        CommonValue::One(100) => ("writes", None),
        CommonValue::One(share) => ("I/Os", Some(format!("{share} % writes"))),
        CommonValue::Several => ("I/Os", Some("reads and writes".into())),
        CommonValue::Unknown => ("I/Os", None),
    };
    let size = match parameters.common(|access| access.block_size) {
        _ if sizes => " of several sizes".into(),
        CommonValue::One(bytes) => format!(" of {}", amount(u64::from(bytes))),
        CommonValue::Several => " of several sizes".into(),
        CommonValue::Unknown => String::new(),
    };
    let work = match mixed {
        Some(count) => format!("a mix of {count} parts"),
        None => format!("{order}{what}{size}"),
    };
    let shares = parameters.common(|access| Some(access.shares)).common_value().unwrap_or_default();
    // What each thread has outstanding isn't what all have.
    let several = parameters.threads.filter(|threads| *threads > 1);
    let words = [
        Some(work).filter(|_| !parameters.targets.is_empty()),
        share.filter(|_| mixed.is_none()),
        other_shares_text(shares),
        parameters
            .in_flight
            .map(|ios| format!("{ios} outstanding{}", if several.is_some() { " in all" } else { "" })),
        several.map(|threads| format!("{threads} threads")),
        rate_text(parameters),
    ];
    capital(&words.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

fn rate_text(parameters: &Parameters) -> Option<String> {
    if let Some(total) = parameters.rate_total {
        return Some(format!("{} IOPS requested", grouped(total.ios_per_s as f64)));
    }
    match parameters.common(|access| access.rate).common_value()? {
        Rate::Unlimited => None,
        Rate::Iops(limit) => Some(format!("at most {} IOPS per thread", grouped(f64::from(limit)))),
        Rate::BytesPerMillisecond(limit) => {
            Some(format!("at most {} per second and thread", amount(u64::from(limit) * 1000)))
        }
    }
}

/// Returns one sentence about the work of a time span; empty without recorded properties.
pub fn of_span(parameters: &Parameters) -> String {
    let caches: Vec<&str> =
        parameters.targets.iter().filter_map(|group| group.access.caching).map(cache_text).collect();
    let one_cache = caches.first().filter(|first| caches.iter().all(|cache| cache == *first));
    let durable =
        parameters.common(|access| access.caching.map(|caching| caching.write_through)).common_value();
    let count = |count: u64, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    let paths: usize = parameters.targets.iter().map(|group| group.paths.len()).sum();
    let parts = [
        parameters.threads.map(|threads| count(threads, "thread", "threads")),
        parameters.in_flight.map(|ios| format!("{} in flight in all", count(ios, "I/O", "I/Os"))),
        (paths > 0).then(|| format!("on {}", count(paths as u64, "target", "targets"))),
        one_cache.map(|cache| (*cache).to_owned()),
        (!caches.is_empty() && one_cache.is_none())
            .then(|| "some through the page cache, some bypassing it".into()),
        durable.filter(|durable| *durable).map(|_| "writes durable".into()),
        parameters.duration_s.map(|seconds| format!("{seconds} s measured")),
        parameters.warmup_s.map(|seconds| format!("{seconds} s of warm-up")),
    ];
    let said: Vec<String> = parts.into_iter().flatten().collect();
    if said.is_empty() { String::new() } else { format!("{}.", said.join(", ")) }
}

fn cache_text(caching: Caching) -> &'static str {
    match (caching.effective_mode(), caching.is_cached()) {
        _ if caching.memory_mapped => "memory-mapped",
        (CacheMode::DisableLocalCache, _) => "bypassing the local cache",
        (CacheMode::DisableOsCache, _) => "bypassing the page cache",
        (CacheMode::Cached, Some(_)) => "through the page cache",
        (CacheMode::Cached, None) => "files through the page cache, block devices bypassing it",
    }
}

fn access_text(access: &Access) -> String {
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
    let others = other_shares_text(access.shares).map(|others| format!(", {others}"));
    let words: Vec<String> = [size, order, direction, others].into_iter().flatten().collect();
    words.join(" ").replace(" ,", ",")
}

/// Formats `5 % discards`; `None` = all I/Os are reads or writes.
fn other_shares_text(shares: OperationShares) -> Option<String> {
    let words: Vec<String> =
        shares.iter().map(|(_, row, share)| format!("{share} % {}", row.plural)).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Capitalizes a sentence, unless it begins with an option or a name.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let is_named = text.split(' ').next().is_some_and(|word| word.ends_with(':'));
    match letters.next() {
        Some(_) if is_named => text.to_owned(),
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_capitalized_except_for_names() {
        for (text, sentence) in [("the device", "The device"), ("vm: the device", "vm: the device"), ("", "")]
        {
            assert_eq!(capital(text), sentence);
        }
    }
}
