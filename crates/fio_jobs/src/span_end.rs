//! The end of a time span with jobs that end separately.

use super::NamedJob;
use super::ends::{JobLimit, MAX_DURATION_S};
use super::files::FilePiece;
use super::shape::JobDirection;
use diskspd_profile::{TimeSpan, Volume};

pub(super) fn end(span: &mut TimeSpan, group: &[&NamedJob], pieces: &[Vec<Vec<FilePiece>>]) -> Option<()> {
    let mut whole: Option<JobLimit> = None;
    for (NamedJob { settings, job }, pieces) in group.iter().zip(pieces) {
        let end = match job.end(pieces) {
            Ok(end) => end,
            Err(error) => {
                settings.refuse("size", error.to_string(), "give runtime and time_based");
                return None;
            }
        };
        whole = match whole {
            None => Some(end),
            Some(before) => match common_end(before, end) {
                Some(end) => Some(end),
                None => {
                    let reason = "concurrent jobs end together, and this one ends at another time or amount";
                    let option = if job.runtime_s.is_some() { "runtime" } else { "size" };
                    settings.refuse(option, reason, "give all of them time_based and the same runtime");
                    return None;
                }
            },
        };
    }
    match whole? {
        JobLimit::Time(seconds) => span.duration = seconds,
        JobLimit::Amount { written, volume, at_most } => {
            span.duration = at_most;
            *(if written { &mut span.until_written } else { &mut span.until_read }) = Some(volume);
            tell_of_amounts(group, at_most);
        }
    }
    Some(())
}

fn tell_of_amounts(group: &[&NamedJob], at_most: u32) {
    let threads: u32 = group.iter().map(|named| named.job.clones).sum();
    for NamedJob { settings, job } in group {
        if threads > 1 {
            let what =
                "threads end together when their total is reached: a fast one does more, a slow one less";
            settings.add_note("size", what);
        }
        if job.ends_all && threads > 1 {
            let what =
                "the first thread that is done does not end the others: all end when all amounts are done";
            settings.add_note("exitall", what);
        }
        if job.shape.way != JobDirection::Read && job.shape.way != JobDirection::Write {
            settings.add_note("size", "the larger amount, of reads or of writes, ends the run");
        }
        if job.loops > 1 && job.shape.random_percent == 0 && matches!(job.shape.way, JobDirection::Mixed(_)) {
            settings.add_note(
                "loops",
                "sequential reads and writes continue where they were, not both from the beginning",
            );
        }
        if job.warmup_s > 0 {
            settings.add_note("ramp_time", "I/O of the warm-up does not count towards the size");
        }
        if job.does_a_stated_amount() && settings.has_option("number_ios") {
            settings.add_note("number_ios", "the run ends after the bytes of that many I/Os");
        }
        if at_most == MAX_DURATION_S {
            settings.add_note("runtime (not given)", "a time span lasts 30 days at most");
        }
    }
}

/// Returns the common end of two concurrent jobs; `None` = they end separately.
fn common_end(one: JobLimit, other: JobLimit) -> Option<JobLimit> {
    match (one, other) {
        (JobLimit::Time(one), JobLimit::Time(other)) if one == other => Some(JobLimit::Time(one)),
        (
            JobLimit::Amount { written, volume: Volume::Bytes(one), at_most },
            JobLimit::Amount { written: other_way, volume: Volume::Bytes(other), at_most: other_time },
        ) if written == other_way && at_most == other_time => {
            Some(JobLimit::Amount { written, volume: Volume::Bytes(one.checked_add(other)?), at_most })
        }
        _ => None,
    }
}
