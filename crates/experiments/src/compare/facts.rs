//! Facts shared by two sides or different: work that must agree, and other possible causes of a
//! difference.

use super::{Runs, SideRun};
use diskspd_base::operation::Operation;
use diskspd_profile::{Arrivals, CacheMode, CommonValue, Parameters, Rate, RateTotal};
use diskspd_results::SpanSummary;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Fact that differs between two sides, or within one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideDifference {
    pub subject: String,
    pub first: Option<String>,
    pub second: Option<String>,
}

type Facts = BTreeMap<String, (String, Agreement)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Agreement {
    Yes,
    No,
}

pub(super) fn differences(sides: Runs) -> (Vec<SideDifference>, Vec<SideDifference>) {
    let facts = sides.map(|side| side.iter().map(|run| of_run(run)).collect::<Vec<Facts>>());
    let mut names: Vec<(&String, Agreement)> = facts
        .iter()
        .flatten()
        .flat_map(|facts| facts.iter().map(|(name, (_, must))| (name, *must)))
        .collect();
    names.sort_by_key(|(name, _)| *name);
    names.dedup_by_key(|(name, _)| *name);
    let (mut differ, mut must_agree) = (Vec::new(), Vec::new());
    for (name, must) in names {
        let [of_first, of_other] = [&facts[0], &facts[1]].map(|side| values(side, name));
        // A fact that was not recorded for one side is not a difference.
        let known = of_first.iter().chain(&of_other).flatten().collect::<std::collections::BTreeSet<_>>();
        if of_first == of_other && of_first.len() == 1 {
            continue;
        }
        let difference = SideDifference {
            subject: name.clone(),
            first: join_values(&of_first),
            second: join_values(&of_other),
        };
        match must {
            Agreement::Yes if known.len() > 1 => must_agree.push(difference),
            _ => differ.push(difference),
        }
    }
    (differ, must_agree)
}

pub(super) fn of_work(run: &SideRun) -> BTreeMap<String, String> {
    let several = run.known.time_spans.len() > 1;
    let mut found = BTreeMap::new();
    for (number, span) in run.known.time_spans.iter().enumerate() {
        let place = if several { format!("time span {}: ", number + 1) } else { String::new() };
        let facts = span.iter().flat_map(of_span).filter(|(name, ..)| *name != VERDICT);
        found.extend(facts.filter_map(|(name, value, _)| Some((format!("{place}{name}"), value?))));
    }
    found
}

/// Whether a fact is the block size, or the share of writes or of random I/O.
pub(super) fn is_of_shape(name: &str) -> bool {
    ["block size", "share of writes", "share of random I/O"].iter().any(|shape| name.ends_with(shape))
}

const VERDICT: &str = "verdict about the devices";

fn values(side: &[Facts], name: &str) -> Vec<Option<String>> {
    let mut values: Vec<Option<String>> =
        side.iter().map(|facts| facts.get(name).map(|(value, _)| value.clone())).collect();
    values.sort();
    values.dedup();
    values
}

fn join_values(values: &[Option<String>]) -> Option<String> {
    /// Maximum number of listed entries; others are counted.
    const MAX_SHOWN: usize = 3;
    if values.iter().all(Option::is_none) {
        return None;
    }
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "not recorded".into());
    let mut shown: Vec<String> = values.iter().take(MAX_SHOWN).map(text).collect();
    if values.len() > MAX_SHOWN {
        shown.push(format!("{} more", values.len() - MAX_SHOWN));
    }
    Some(shown.join(" or "))
}

fn of_run(run: &SideRun) -> Facts {
    let mut facts = Facts::new();
    let mut add = |name: &str, value: Option<String>, must| {
        facts.extend(value.map(|value| (name.to_owned(), (value, must))));
    };
    let known = &run.known;
    add("time spans", Some(known.time_spans.len().to_string()), Agreement::Yes);
    add("machine", known.computer(), Agreement::No);
    add("kept as", Some(known.origin.to_string()), Agreement::No);
    let worst = known.findings.as_ref().map(|found| found.severity.map_or("nothing", |worst| worst.word()));
    add("worst finding about the figures", worst.map(str::to_owned), Agreement::No);
    for (name, disk) in known.named_disks() {
        add(&name, Some(disk.to_owned()), Agreement::No);
    }
    if run.environment.is_empty() {
        add("fingerprint", known.fingerprint.clone(), Agreement::No);
    }
    for (name, value) in run.environment.iter().chain(&run.run_options) {
        add(name, Some(value.clone()), Agreement::No);
    }
    let several = known.time_spans.len() > 1;
    for (number, span) in known.time_spans.iter().enumerate() {
        let Some(span) = span else { continue };
        let place = if several { format!("time span {}: ", number + 1) } else { String::new() };
        for (name, value, must) in of_span(span) {
            add(&format!("{place}{name}"), value, must);
        }
        let fio = span.fio.as_ref();
        let latency = fio.and_then(|fio| Some(fio.latency?.to_string()));
        let percentiles =
            fio.and_then(|fio| fio.percentiles.map(|(kind, source)| format!("{kind}, {source}")));
        add(&format!("{place}latencies of fio"), latency, Agreement::No);
        add(&format!("{place}percentiles of fio"), percentiles, Agreement::No);
    }
    facts
}

fn of_span(span: &SpanSummary) -> Vec<(&'static str, Option<String>, Agreement)> {
    use Agreement::{No, Yes};
    let asked: &Parameters = &span.parameters;
    let paths: Vec<String> = asked.paths().map(ToString::to_string).collect();
    let bytes = |size: u32| format!("{size} bytes");
    let percent = |share: u32| format!("{share} %");
    let mut facts = vec![
        ("block size", common_text(asked.common(|access| access.block_size.map(bytes))), Yes),
        ("share of writes", common_text(asked.common(|access| access.write_percent.map(percent))), Yes),
        ("parts of the mix", part_text(span), Yes),
        ("share of random I/O", common_text(asked.common(|access| access.random_percent.map(percent))), Yes),
        ("rate limit", rate_limit(asked), Yes),
        ("threads", asked.threads.map(|threads| threads.to_string()), No),
        ("I/Os in flight", asked.in_flight.map(|count| count.to_string()), No),
        (
            "alignment",
            common_text(asked.common(|access| access.stride.map(|stride| format!("{stride} bytes")))),
            No,
        ),
        ("caching", common_text(asked.common(|access| access.caching.map(caching_text))), No),
        ("time to measure", asked.duration_s.map(|seconds| format!("{seconds} s")), No),
        ("warm-up", asked.warmup_s.map(|seconds| format!("{seconds} s")), No),
        ("targets", (!paths.is_empty()).then(|| paths.join(" ")), No),
        (VERDICT, span.verdict.map(|verdict| verdict.to_string()), No),
    ];
    // Where they aren't given there are none.
    let shares = Operation::shared().map(|(op, _, share)| {
        let of = common_text(asked.common(|of| of.write_percent.map(|_| percent(of.shares.percent(op)))));
        (share.name, of, Yes)
    });
    facts.splice(2..2, shares);
    facts
}

/// Returns the parts of the mix, without their random shares. `None` if there are no parts, or they were
/// not recorded.
fn part_text(span: &SpanSummary) -> Option<String> {
    let several = span.parts.iter().any(|part| part.key.target > 1);
    let parts: Vec<String> = span.parts.iter().map(|part| part.key.title(several)).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn common_text(value: CommonValue<String>) -> Option<String> {
    match value {
        CommonValue::One(value) => Some(value),
        CommonValue::Several => Some("several".into()),
        CommonValue::Unknown => None,
    }
}

fn rate_limit(asked: &Parameters) -> Option<String> {
    match asked.rate_total {
        None => common_text(asked.common(|access| access.rate.map(rate_text))),
        Some(RateTotal { ios_per_s, arrivals: Arrivals::Poisson }) => {
            Some(format!("{ios_per_s} I/Os/s of all threads, at random times"))
        }
        Some(RateTotal { ios_per_s, arrivals: Arrivals::Uniform }) => {
            Some(format!("{ios_per_s} I/Os/s of all threads, evenly"))
        }
    }
}

fn rate_text(rate: Rate) -> String {
    match rate {
        Rate::Unlimited => "none".into(),
        Rate::BytesPerMillisecond(limit) => format!("{limit} bytes/ms of each thread"),
        Rate::Iops(limit) => format!("{limit} I/Os/s of each thread"),
    }
}

fn caching_text(caching: diskspd_profile::Caching) -> String {
    let mode = match caching.effective_mode() {
        CacheMode::Cached => "cached",
        CacheMode::DisableOsCache => "not cached",
        CacheMode::DisableLocalCache => "not cached locally",
    };
    let through = if caching.write_through { ", written through" } else { "" };
    let mapped = if caching.memory_mapped { ", mapped" } else { "" };
    format!("{mode}{through}{mapped}")
}
