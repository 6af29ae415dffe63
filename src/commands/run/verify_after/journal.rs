//! Read-back of a journal's durable data.

use crate::cli::{Exit, VerifyAfterRequest};
use crate::commands::shared::command_error::CommandError;
use crate::host::boot;
use crate::host::root::Root;
use crate::host::target::locate;
use crate::integrity::journal::{JournalContent, JournalTarget, format};
use crate::integrity::{Power, TargetReadBack, read_back, same_target};
use crate::profile::RawText;
use crate::report::secondary::held_text;
use crate::results::{Accumulate, FailedSector, IntegrityCounts};
use crate::sys::files;
use crate::units::start_time::date_and_time;
use std::fmt::Write;
use std::io::BufReader;
use std::path::{Path, PathBuf};

pub(crate) struct JournalReadBack {
    pub content: JournalContent,
    /// Whether the storage lost power since the start of the journal.
    pub power: Power,
    pub targets: Vec<TargetReadBack>,
    pub text: String,
    pub exit: Exit,
}

/// Reads back a journal's durable data, by the targets and switches of the request.
///
/// # Errors
/// Fails if the journal or a target cannot be read.
pub(super) fn read_all(
    journal: &Path,
    request: &VerifyAfterRequest,
) -> Result<JournalReadBack, CommandError> {
    let VerifyAfterRequest { targets: given, atomic, power_lost, .. } = request;
    let name = journal.display();
    let file = files::open_input(journal).map_err(|error| format!("{name}: cannot be opened: {error}"))?;
    let mut content = format::read(BufReader::new(file)).map_err(|why| format!("{name}: {why}"))?;
    content.targets.values_mut().for_each(|target| target.atomic |= *atomic);
    if !given.is_empty() && given.len() != content.targets.len() {
        return Err(format!(
            "{name}: has {} targets, but {} are named: name all in the order of the journal ({}), or none",
            content.targets.len(),
            given.len(),
            content.targets.values().map(|target| target.path.to_string()).collect::<Vec<_>>().join(", ")
        )
        .into());
    }
    let same_boot = !content.boot.is_empty() && boot(&Root::live_system()) == Some(content.boot.clone());
    let power = match (*power_lost, same_boot) {
        (true, _) => Power::Lost,
        (_, true) => Power::Held,
        (_, false) => Power::Unknown,
    };
    let mut text = header_text(&name.to_string(), &content, power);
    let (mut all, mut targets) = (IntegrityCounts::default(), Vec::new());
    let paths = paths_of(&content, given);
    for ((target, path), place) in content.targets.values().zip(&paths).zip(journal_places(&paths)?) {
        let found = read_back(&content, target, &place, power).map_err(|why| format!("'{path}': {why}"))?;
        all.add(&found.results.counts);
        write_target(&mut text, &content, target, path, &found);
        targets.push(found);
    }
    let damage = &content.damage;
    let exit = if all.wrong() > 0 {
        Exit::Corrupt
    } else if all.verified == 0 {
        let _ = writeln!(text, "\nno data was verified: {}", why_nothing(&content));
        Exit::Doubtful
    } else if damage.bytes > 0 {
        Exit::Incomplete
    } else {
        Exit::Success
    };
    if damage.bytes > 0 {
        let verified = content.acknowledged.len();
        let most = content.units().saturating_add(damage.lost);
        let _ = writeln!(
            text,
            "\nincomplete: {verified} of up to {most} blocks with durable writes were checked"
        );
    }
    Ok(JournalReadBack { content, power, targets, text, exit })
}

/// The current paths of a journal's targets: as named by the user, or as in the journal.
fn paths_of<'a>(content: &'a JournalContent, given: &'a [RawText]) -> Vec<&'a RawText> {
    content
        .targets
        .values()
        .enumerate()
        .map(|(index, target)| given.get(index).unwrap_or(&target.path))
        .collect()
}

/// Returns the locations of the journals, which must differ.
fn journal_places(paths: &[&RawText]) -> Result<Vec<PathBuf>, CommandError> {
    let located = paths.iter().map(|path| locate(path.as_bytes()).map_err(|why| format!("'{path}': {why}")));
    let places = located.collect::<Result<Vec<_>, _>>()?;
    match same_target(places.iter().map(PathBuf::as_path)) {
        None => Ok(places),
        Some((one, other)) => Err(format!(
            "cannot verify '{}' and '{}': they are the same file or device, but two targets of the \
             journal",
            paths[one], paths[other]
        )
        .into()),
    }
}

/// Returns the reason why nothing can be verified.
fn why_nothing(content: &JournalContent) -> &'static str {
    if content.damage.bytes > 0 {
        return "the journal is damaged";
    }
    match (content.targets.is_empty(), content.acknowledged.is_empty()) {
        (true, _) => "the journal names no target: it was truncated, or the run ended early",
        (_, true) => {
            "the journal holds no durable write: it was truncated, or the run ended before a write was \
             durable"
        }
        _ => {
            "every sector may have been in mid-write when the run ended, so no sector can be checked; let \
             a run end without interruption"
        }
    }
}

fn header_text(name: &str, content: &JournalContent, power: Power) -> String {
    let end = match (content.has_ended, power) {
        (true, _) => "it ended normally",
        (_, Power::Lost) => "the storage lost power while it ran (--power-lost)",
        (_, Power::Held) => {
            "it was killed, without a loss of power (the machine has not been restarted since)"
        }
        (_, Power::Unknown) => "it was killed, or lost power",
    };
    let broken = match content.broken {
        0 => String::new(),
        bytes => format!("; the last {bytes} bytes of the journal are an incomplete entry and were skipped"),
    };
    let damaged = match content.damage.bytes {
        0 => String::new(),
        bytes => format!("; {bytes} bytes within the journal are damaged"),
    };
    format!(
        "journal {name}: run {:016x}, begun {}; {end}{damaged}{broken}\n",
        content.run,
        moment_text(content.began_ms, 0)
    )
}

fn write_target(
    out: &mut String,
    content: &JournalContent,
    target: &JournalTarget,
    path: &RawText,
    found: &TargetReadBack,
) {
    let counts = &found.results.counts;
    let _ = writeln!(
        out,
        "\n'{path}': {} blocks of {} bytes with durable writes, sectors of {}",
        found.units, target.unit, target.sector
    );
    let _ = writeln!(
        out,
        "  verified:  {} sectors, {} of them newer than the last durable write",
        counts.verified, found.newer
    );
    if counts.undecided > 0 {
        let _ = writeln!(
            out,
            "  undecided: {}, mixtures of two writes that may have been in flight when the run ended",
            counts.undecided
        );
    }
    match counts.wrong() {
        0 => out.push_str("  failed:    none\n"),
        wrong => {
            let _ = writeln!(out, "  failed:    {wrong}: {}", counts.described());
        }
    }
    found.results.failures.iter().for_each(|failed| out.push_str(&failure_line(content, failed)));
    let more = counts.wrong().saturating_sub(found.results.failures.len() as u64);
    if more > 0 {
        let _ = writeln!(out, "  .. and {more} more");
    }
}

fn failure_line(content: &JournalContent, failed: &FailedSector) -> String {
    format!(
        "  {:<10} sector at offset {}: version {} became durable {}; the sector holds {}\n",
        failed.fault.name(),
        failed.offset,
        failed.expected,
        moment_text(content.began_ms, failed.at_us),
        held_text(failed)
    )
}

/// Formats a moment this number of us after a time in ms since 1970: `2025/03/14 09:26:53.123456 UTC`.
fn moment_text(began_ms: i64, after_us: u64) -> String {
    let micros = i128::from(began_ms) * 1000 + i128::from(after_us);
    let seconds = i64::try_from(micros.div_euclid(1_000_000)).unwrap_or(i64::MAX);
    let known = date_and_time(seconds).unwrap_or_else(|| "at an unknown time".into());
    known.replace(" UTC", &format!(".{:06} UTC", micros.rem_euclid(1_000_000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crash_time_is_shown_in_microseconds() {
        assert_eq!(moment_text(1_741_944_413_999, 1_500), "2025/03/14 09:26:54.000500 UTC");
        assert_eq!(moment_text(i64::MAX, 0), "at an unknown time");
    }
}
