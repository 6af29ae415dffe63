//! Access of a job to its files, its written data, and the CPUs of its threads.

use super::settings::JobSettings;
use super::surroundings::HostContext;
use diskspd_profile::{ContentShape, IoPriority, WriteLifetime};
use std::collections::BTreeSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobContent {
    /// Random bytes, some of which fio changes before each write.
    Usual,
    /// Random bytes, repeated in each buffer.
    Fixed,
    Zeros,
    Made(ContentShape),
}

pub(super) fn write_through(settings: &JobSettings) -> Option<bool> {
    match settings.text("sync") {
        None | Some("none" | "0") => Some(false),
        Some("dsync") => Some(true),
        Some("sync" | "1" | "") => {
            settings.add_note(
                "sync",
                "writes are durable with their data (O_DSYNC), not with all metadata (O_SYNC)",
            );
            Some(true)
        }
        Some(_) => {
            settings.refuse("sync", "possible values: none, dsync, sync", "give one of them");
            None
        }
    }
}

pub(super) fn hints(settings: &JobSettings) -> Option<bool> {
    match settings.text("fadvise_hint") {
        None | Some("1" | "") => Some(true),
        Some("0" | "none") => Some(false),
        Some(_) => {
            settings.refuse("fadvise_hint", "the hint follows from rw, or there is no hint", "give 1 or 0");
            None
        }
    }
}

pub(super) fn large_pages(settings: &JobSettings) -> Option<bool> {
    match settings.text("mem") {
        None | Some("malloc" | "mmap") => Some(false),
        Some("mmaphuge" | "shmhuge") => Some(true),
        Some(_) => {
            settings.refuse("mem", "buffers are memory of the program", "use malloc, or mmaphuge");
            None
        }
    }
}

pub(super) fn content(settings: &JobSettings) -> Option<JobContent> {
    let percent = |name| settings.number(name, 0..=100).filter(|percent| *percent > 0);
    let (compress, dedupe) = (percent("buffer_compress_percentage"), percent("dedupe_percentage"));
    if settings.is_on("zero_buffers") || compress == Some(100) {
        return Some(JobContent::Zeros);
    }
    if let Some(pattern) = settings.text("buffer_pattern") {
        let digits = pattern.trim_start_matches("0x");
        if !digits.is_empty() && digits.bytes().all(|digit| digit == b'0') && compress.is_none() {
            return Some(JobContent::Zeros);
        }
        let reason = "a custom write pattern is not supported";
        settings.refuse("buffer_pattern", reason, "use zero_buffers, or -Z<size>,<file> of diskspd");
        return None;
    }
    let [compress, dedupe] = [compress, dedupe].map(|share| share.unwrap_or(0).min(99) as u32);
    if dedupe > 0 {
        settings
            .add_note("dedupe_percentage", "duplicates are units of 4 KiB that the same thread wrote before");
    }
    let made = compress > 0 || dedupe > 0 || settings.is_on("refill_buffers");
    Some(match settings.switch("scramble_buffers") {
        _ if made => JobContent::Made(ContentShape { compress, dedupe }),
        Some(false) => JobContent::Fixed,
        _ => JobContent::Usual,
    })
}

pub(super) fn priority(settings: &JobSettings) -> Option<IoPriority> {
    match settings.number("prioclass", 0..=3) {
        None | Some(0) => Some(IoPriority::Normal),
        Some(3) => Some(IoPriority::VeryLow),
        Some(_) => {
            settings.refuse(
                "prioclass",
                "only the default and the idle class (3) are supported",
                "leave it out, or give 3",
            );
            None
        }
    }
}

/// Returns the numbers of a list such as `0-3,8`, unique and ascending, as in the mask that fio builds.
fn parse_number_list(text: &str) -> Result<Vec<u32>, &'static str> {
    const WRONG: &str = "possible values: numbers and ranges, such as 0-3,8";
    let mut numbers = BTreeSet::new();
    for part in text.split([',', ':']) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number =
            |text: &str| text.trim().parse::<u32>().ok().filter(|number| *number < 4096).ok_or(WRONG);
        numbers.extend(number(first)?..=number(last)?);
    }
    if numbers.is_empty() { Err(WRONG) } else { Ok(numbers.into_iter().collect()) }
}

/// Returns the permitted CPUs of a job's threads; empty = all.
pub(super) fn cpus(settings: &JobSettings, around: &dyn HostContext) -> Option<Vec<u8>> {
    let of_nodes = of_nodes(settings, around)?;
    let (option, cpus) = match (settings.has_option("cpus_allowed"), of_nodes) {
        (false, None) => return Some(Vec::new()),
        (true, Some(_)) => {
            let reason = "cpus_allowed and numa_cpu_nodes both say where threads run";
            settings.refuse("numa_cpu_nodes", reason, "leave out one of them");
            return None;
        }
        (false, Some(cpus)) => ("numa_cpu_nodes", cpus),
        (true, None) => ("cpus_allowed", settings.read("cpus_allowed", parse_number_list)?),
    };
    let named: Option<Vec<u8>> =
        cpus.iter().map(|cpu| u8::try_from(*cpu).ok().filter(|cpu| *cpu < 64)).collect();
    let Some(named) = named else {
        settings.refuse(option, "CPUs are numbers from 0 to 63", "name others, or leave it out");
        return None;
    };
    if settings.text("cpus_allowed_policy") != Some("split") && named.len() > 1 {
        settings.add_note(option, "threads are bound to these CPUs round-robin");
    }
    Some(named)
}

/// Returns the CPUs of `numa_cpu_nodes`; `Some(None)` if it is not set. Buffers are on the node of their
/// thread, so `numa_mem_policy` may request only that.
fn of_nodes(settings: &JobSettings, around: &dyn HostContext) -> Option<Option<Vec<u32>>> {
    let nodes = match settings.has_option("numa_cpu_nodes") {
        true => Some(settings.read("numa_cpu_nodes", parse_number_list)?),
        false => None,
    };
    let policy = settings.text("numa_mem_policy").unwrap_or("local");
    let bound = policy.strip_prefix("bind:").and_then(|text| parse_number_list(text).ok());
    let is_local = matches!(policy, "default" | "local");
    if !is_local && (bound.is_none() || bound != nodes || nodes.as_ref().is_some_and(|nodes| nodes.len() > 1))
    {
        let reason = "buffers are on the node of their thread";
        settings.refuse(
            "numa_mem_policy",
            reason,
            "use local, or bind:NODE with the same node in numa_cpu_nodes",
        );
        return None;
    }
    let Some(nodes) = nodes else { return Some(None) };
    let mut cpus = Vec::new();
    for node in nodes {
        let of_node = around.cpus_of_node(node);
        if of_node.is_empty() {
            let reason = format!("node {node} has no CPU here that may be used");
            settings.refuse("numa_cpu_nodes", reason, "name another one, or leave it out");
            return None;
        }
        cpus.extend(of_node);
    }
    Some(Some(cpus))
}

pub(super) fn write_hint(settings: &JobSettings) -> Option<Option<WriteLifetime>> {
    let Some(name) = settings.text("write_hint") else { return Some(None) };
    match WriteLifetime::from_name(name) {
        Some(lifetime) => Some(Some(lifetime)),
        None => {
            settings.refuse(
                "write_hint",
                "possible values: none, short, medium, long, extreme",
                "give one of them",
            );
            None
        }
    }
}

/// Whether a job uses the zones of a device (`--zoned`); `None` = refused.
pub(super) fn zoned(settings: &JobSettings) -> Option<bool> {
    let sized = settings.size("zonesize").is_some_and(|size| size.share_of(None).unwrap_or(1) > 0);
    let reason = "a file cannot be read in areas with gaps between them";
    let remedy = "use zonemode=zbd for a zoned device, or give offset and size of a part";
    match settings.text("zonemode") {
        Some("zbd") => Some(true),
        Some("none") => Some(false),
        None if !sized => Some(false),
        // As fio has it: a size of zones alone makes them areas of a file.
        None => {
            settings.refuse("zonesize", reason, remedy);
            None
        }
        Some("strided") => {
            settings.refuse("zonemode", reason, remedy);
            None
        }
        Some(_) => {
            settings.refuse("zonemode", "possible values: none, zbd", "give one of them");
            None
        }
    }
}
