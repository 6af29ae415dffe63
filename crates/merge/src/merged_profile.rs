//! Profiles of the hosts: whether they agree, and the combined profile.

use super::HostIndexes;
use diskspd_machine::System;
use diskspd_plan::effective_affinity;
use diskspd_profile::{Compat, Profile, RawText, Target, ThreadTarget};
use serde::Serialize;
use serde_json::Value;

const MAX_LISTED: usize = 3;

pub(crate) fn without_targets(profile: &Profile) -> Profile {
    let mut profile = profile.clone();
    for span in &mut profile.time_spans {
        span.targets.clear();
        span.thread_count = 0;
        // DISKSPD 2.3's order states every thread's CPU, and hosts have different ones.
        if profile.compat.is_2_3() {
            span.affinity.clear();
        }
    }
    profile
}

pub(crate) fn add(whole: &mut Profile, profile: &Profile, place: &HostIndexes, system: &System) {
    let groups = place.machine.first_group;
    let compat = profile.compat;
    for (all, span) in whole.time_spans.iter_mut().zip(&profile.time_spans) {
        let first = u32::try_from(all.threads()).unwrap_or(u32::MAX);
        if compat.is_2_3() && !span.disable_affinity {
            let cpus = effective_affinity(span, Compat::V2_3, &system.topology);
            let threads = usize::try_from(span.threads()).unwrap_or(usize::MAX);
            all.affinity.extend(cpus.iter().cycle().take(threads).map(|cpu| {
                let mut cpu = *cpu;
                cpu.group = cpu.group.saturating_add(groups);
                cpu
            }));
        }
        let of_pool = span.thread_count > 0;
        all.thread_count = all.thread_count.saturating_add(span.thread_count);
        all.targets.extend(span.targets.iter().map(|target| {
            let every = (0..span.thread_count).map(|thread| ThreadTarget { thread, weight: 0 });
            let named = match of_pool && target.thread_targets.is_empty() {
                true => every.collect(),
                false => target.thread_targets.clone(),
            };
            let numbered_through =
                |entry: ThreadTarget| ThreadTarget { thread: entry.thread.saturating_add(first), ..entry };
            Target {
                path: place.path(&target.path),
                thread_targets: named.into_iter().map(numbered_through).collect(),
                ..target.clone()
            }
        }));
    }
}

/// Returns the part of a profile that all hosts must share: all except paths, seeds, CPUs, and the command
/// line.
pub(crate) fn to_comparable(profile: &Profile) -> Profile {
    let mut profile = profile.clone();
    profile.command_line = RawText::default();
    profile.verbose = false;
    profile.progress = 0;
    profile.result_format = diskspd_profile::ResultFormat::Text;
    for span in &mut profile.time_spans {
        span.rand_seed = 0;
        span.affinity.clear();
        for target in &mut span.targets {
            target.path = RawText::default();
            // Parts of a shared target.
            target.base_file_offset = 0;
            target.max_file_size = 0;
        }
        // Hosts may have more of the same.
        span.targets.dedup();
    }
    profile
}

/// Returns the first differences, such as `profile.time_spans[0].duration is 10 instead of 5`.
pub(crate) fn difference<T: Serialize>(first: &T, other: &T, name: &str) -> String {
    let value = |of: &T| serde_json::to_value(of).unwrap_or_default();
    let mut found = Vec::new();
    compare_values(&value(first), &value(other), name, &mut found);
    let more = found.len().saturating_sub(MAX_LISTED);
    found.truncate(MAX_LISTED);
    match more {
        0 => found.join(", "),
        more => format!("{}, and {more} more", found.join(", ")),
    }
}

fn compare_values(first: &Value, other: &Value, place: &str, found: &mut Vec<String>) {
    let mut beneath = |key: String, pair: (Option<&Value>, Option<&Value>)| {
        let (first, other) = (pair.0.unwrap_or(&Value::Null), pair.1.unwrap_or(&Value::Null));
        compare_values(first, other, &format!("{place}{key}"), found);
    };
    match (first, other) {
        _ if first == other => {}
        (Value::Object(a), Value::Object(b)) => {
            let mut keys: Vec<&String> = a.keys().chain(b.keys()).collect();
            keys.sort();
            keys.dedup();
            keys.into_iter().for_each(|key| beneath(format!(".{key}"), (a.get(key), b.get(key))));
        }
        (Value::Array(a), Value::Array(b)) => {
            (0..a.len().max(b.len()))
                .for_each(|index| beneath(format!("[{index}]"), (a.get(index), b.get(index))));
        }
        _ => {
            let shown = |value: &Value| match value.to_string() {
                long if value.is_object() || long.chars().count() > 40 => "something else".to_owned(),
                short => short.replace("null", "nothing"),
            };
            found.push(format!("{place} is {} instead of {}", shown(other), shown(first)));
        }
    }
}
