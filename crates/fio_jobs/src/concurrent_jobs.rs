//! Targets of concurrent jobs.

use super::NamedJob;
use super::ends::MAX_DURATION_S;
use super::error::ConversionError;
use super::files::FilePiece;
use super::settings::JobSettings;
use diskspd_profile::{RawText, Target, ThreadTarget, TimeSpan, Volume};
use std::collections::HashMap;

pub(super) fn beside_each_other(span: &mut TimeSpan, group: &[&NamedJob], pieces: &[Vec<Vec<FilePiece>>]) {
    for (NamedJob { job, .. }, pieces) in group.iter().zip(pieces) {
        let shared = job.files.are_the_same_for_all();
        let (clones, threads) = if shared { (1, job.clones) } else { (pieces.len(), 1) };
        let targets = pieces.iter().take(clones).flatten();
        span.targets.extend(targets.map(|piece| job.target(piece, threads)));
    }
}

/// Converts threads with several files, which select a file for each I/O.
pub(super) fn pool(span: &mut TimeSpan, group: &[&NamedJob], pieces: &[Vec<Vec<FilePiece>>]) -> Option<()> {
    let first = group.first()?;
    let mut users: Vec<(Target, Vec<u32>)> = Vec::new();
    // A run may have 65,536 files: only targets of the same file are looked at.
    let mut of_file: HashMap<RawText, Vec<usize>> = HashMap::new();
    let mut thread = 0;
    for (NamedJob { settings, job }, pieces) in group.iter().zip(pieces) {
        if job.depth != first.job.depth {
            let reason = "threads with several files have one queue depth for all concurrent jobs";
            settings.refuse("iodepth", reason, "give the same to all, or use stonewall");
            return None;
        }
        let idle = [
            ("rate", job.throughput.is_some()),
            ("thinktime", job.pause.is_some()),
            ("rate_process", job.run.poisson.is_some()),
        ];
        if let Some((option, _)) = idle.into_iter().find(|(_, given)| *given) {
            settings.refuse(
                option,
                "threads with several files have no rate and no pauses",
                "use one file each",
            );
            return None;
        }
        for pieces in pieces {
            for piece in pieces {
                let target = Target { request_count: 2, ..job.target(piece, 1) };
                let places = of_file.entry(target.path.clone()).or_default();
                match places.iter().find(|place| users[**place].0 == target) {
                    Some(place) => users[*place].1.push(thread),
                    None => {
                        places.push(users.len());
                        users.push((target, vec![thread]));
                    }
                }
            }
            thread += 1;
        }
    }
    (span.thread_count, span.request_count) = (thread, first.job.depth);
    let targets = users.into_iter().map(|(target, threads)| {
        let named = if threads.len() as u32 == thread { Vec::new() } else { threads };
        let named = named.into_iter().map(|thread| ThreadTarget { thread, weight: 0 });
        Target { thread_targets: named.collect(), ..target }
    });
    span.targets = targets.collect();
    Some(())
}

pub(super) fn read_back(span: &TimeSpan, group: &[&NamedJob], named: &NamedJob) -> Option<TimeSpan> {
    let JobSettings { place, .. } = &named.settings;
    if group.len() > 1 {
        let reason = "a job with verify must be alone in its time span, since it is read back afterwards";
        let fault = ConversionError::refuse_option(place, "verify", reason);
        named.settings.fault(fault.hint("use do_verify=0, or stonewall"));
        return None;
    }
    named.settings.add_note("do_verify", "a separate time span reads all of the area back, sequentially");
    let alone = |target: &Target| Target {
        write_ratio: 0,
        random_ratio: 0,
        mix: Vec::new(),
        sizes: Vec::new(),
        block_alignment: 0,
        distribution: None,
        spread: None,
        each_once: false,
        write_through: false,
        atomic: false,
        throughput: None,
        burst_size: None,
        think_time: None,
        random_access: false,
        threads_per_file: 1,
        ..target.clone()
    };
    Some(TimeSpan {
        duration: MAX_DURATION_S,
        warmup: 0,
        until_written: None,
        until_read: Some(Volume::Times(1)),
        targets: span.targets.iter().map(alone).collect(),
        ..span.clone()
    })
}
