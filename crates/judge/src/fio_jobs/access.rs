//! How a job's files are used, what is written to them, and on which CPUs its threads run.

use super::settings::JobSettings;
use diskspd_model::profile::{ContentShape, IoPriority};

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobContent {
    /// Random bytes, the same buffer again and again at another place.
    Usual,
    /// Zeros.
    Zeros,
    /// Made for each I/O.
    Made(ContentShape),
}

/// Whether writes go through to the medium.
pub(super) fn write_through(settings: &JobSettings) -> Option<bool> {
    match settings.text("sync") {
        None | Some("none" | "0") => Some(false),
        Some("dsync") => Some(true),
        Some("sync" | "1" | "") => {
            settings
                .tell("sync", "writes are durable with their data (O_DSYNC), not with all metadata (O_SYNC)");
            Some(true)
        }
        Some(_) => {
            settings.refuse("sync", "possible are none, dsync and sync", "give one of them");
            None
        }
    }
}

/// Whether the kernel is told how I/O goes.
pub(super) fn hints(settings: &JobSettings) -> Option<bool> {
    match settings.text("fadvise_hint") {
        None | Some("1" | "") => Some(true),
        Some("0" | "none") => Some(false),
        Some(_) => {
            settings.refuse("fadvise_hint", "the hint follows from rw, or there is none", "give 1 or 0");
            None
        }
    }
}

/// Whether buffers have large pages.
pub(super) fn large_pages(settings: &JobSettings) -> Option<bool> {
    match settings.text("mem") {
        None | Some("malloc" | "mmap") => Some(false),
        Some("mmaphuge" | "shmhuge") => Some(true),
        Some(_) => {
            settings.refuse("mem", "buffers are the program's own memory", "use malloc, or mmaphuge");
            None
        }
    }
}

/// What is written.
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
        let reason = "writes can't repeat a pattern of one's own";
        settings.refuse("buffer_pattern", reason, "use zero_buffers, or -Z<size>,<file> of diskspd");
        return None;
    }
    let [compress, dedupe] = [compress, dedupe].map(|share| share.unwrap_or(0).min(99) as u32);
    if dedupe > 0 {
        settings.tell("dedupe_percentage", "duplicates are units of 4 KiB that the same thread wrote before");
    }
    let made = compress > 0 || dedupe > 0 || settings.is_on("refill_buffers");
    Some(if made { JobContent::Made(ContentShape { compress, dedupe }) } else { JobContent::Usual })
}

/// The I/O priority.
pub(super) fn priority(settings: &JobSettings) -> Option<IoPriority> {
    match settings.number("prioclass", 0..=3) {
        None | Some(0) => Some(IoPriority::Normal),
        Some(3) => Some(IoPriority::VeryLow),
        Some(_) => {
            settings.refuse(
                "prioclass",
                "there is the usual class and the idle one",
                "leave it out, or give 3",
            );
            None
        }
    }
}

/// The CPUs of a list such as `0-3,8`.
pub(super) fn cpus(settings: &JobSettings) -> Option<Vec<u8>> {
    if !settings.has("cpus_allowed") {
        return Some(Vec::new());
    }
    let cpus = settings.read("cpus_allowed", |text| {
        let mut cpus = Vec::new();
        for part in text.split([',', ':']) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let cpu = |text: &str| text.trim().parse::<u8>().map_err(|_| "CPUs are numbers from 0 to 63");
            cpus.extend(cpu(first)?..=cpu(last)?);
        }
        match cpus.iter().all(|cpu| *cpu < 64) && !cpus.is_empty() {
            true => Ok(cpus),
            false => Err("CPUs are numbers from 0 to 63"),
        }
    })?;
    if settings.text("cpus_allowed_policy") != Some("split") && cpus.len() > 1 {
        settings.tell("cpus_allowed", "each thread is bound to one of these CPUs, in turn");
    }
    Some(cpus)
}
