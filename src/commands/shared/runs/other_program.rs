//! Other programs started by a command. They are awaited, interrupted when the user ends the command, and
//! their output is reported.

use crate::clock::{self, SECOND};
use crate::finding::Severity;
use crate::run::Control;
use crate::sys::child::{ChildEnd, ChildProgram};
use crate::units::visible;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::ExitStatus;

/// Time limit of a query in ns.
pub(crate) const ANSWER: u64 = 60 * SECOND;
const POLL_INTERVAL: u64 = SECOND / 100;
/// Interval of repeated interrupts to a program that does not end, in ns.
const REPEATED_KEY_TIME: u64 = 10 * SECOND;
const MAX_MESSAGE_LINES: usize = 3;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ProgramError {
    #[error("cannot be started: {source}{hint}")]
    NotStarted { source: io::Error, hint: String },
    #[error("cannot be watched: {0}")]
    Unwatched(#[from] io::Error),
    #[error("does not end within {} s", .most_ns / SECOND)]
    TooLong {
        /// Limit in ns.
        most_ns: u64,
    },
    #[error("was interrupted")]
    Interrupted,
}

pub(crate) fn not_started(program: &Path, source: io::Error) -> ProgramError {
    let hint = start_hint(program, &source);
    ProgramError::NotStarted { source, hint }
}

/// Waits until a program has ended. `most_ns`: its time limit; `look` receives its run time in ns a
/// hundred times a second.
///
/// # Errors
/// Fails if it was interrupted, exceeds its limit, or cannot be watched; it has ended in any case.
pub(crate) fn to_its_end(
    child: ChildProgram,
    control: &Control,
    most_ns: Option<u64>,
    mut look: impl FnMut(u64),
) -> Result<ChildEnd, ProgramError> {
    let began = clock::monotonic();
    let mut asked_to_end: Option<u64> = None;
    while !child.has_ended()? {
        clock::Clock::Monotonic.sleep_until(clock::monotonic() + POLL_INTERVAL);
        if control.is_hurried() {
            return Err(ProgramError::Interrupted);
        }
        // A shell that is just about to begin a program (between fork and exec) loses it.
        let is_due = asked_to_end.is_none_or(|at| clock::monotonic() - at > REPEATED_KEY_TIME);
        if control.is_interrupted() && is_due {
            asked_to_end = Some(clock::monotonic());
            child.interrupt();
        }
        let elapsed_ns = clock::monotonic() - began;
        match most_ns {
            Some(most_ns) if elapsed_ns > most_ns => return Err(ProgramError::TooLong { most_ns }),
            _ => look(elapsed_ns),
        }
    }
    let end = child.finish()?;
    if control.is_interrupted() { Err(ProgramError::Interrupted) } else { Ok(end) }
}

pub(crate) fn exit_text(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("ended with exit code {code}"),
        None => format!("was ended ({status})"),
    }
}

pub(crate) fn message_suffix(message: &str) -> String {
    if message.is_empty() { ", without a message".to_owned() } else { format!(": {message}") }
}

fn start_hint(program: &Path, error: &io::Error) -> String {
    let is_word =
        program.components().count() == 1 && !program.as_os_str().as_encoded_bytes().contains(&b'/');
    match error.kind() {
        ErrorKind::NotFound if is_word && program.exists() => {
            format!("; for a program in this folder write ./{}", program.display())
        }
        ErrorKind::PermissionDenied => "; is it executable?".to_owned(),
        _ => String::new(),
    }
}

/// Returns the text from the last error on, otherwise the last line.
pub(crate) fn last_message(told: &[u8]) -> String {
    let text = String::from_utf8_lossy(told);
    let lines: Vec<&str> =
        text.split(['\n', '\r']).map(str::trim).filter(|line| !["", "^"].contains(line)).collect();
    let prefix = Severity::Error.label();
    let is_error = |line: &&str| line.starts_with(prefix);
    let from = lines.iter().rposition(is_error).unwrap_or(lines.len().saturating_sub(1));
    let message = lines[from..].iter().take(MAX_MESSAGE_LINES).copied().collect::<Vec<&str>>().join("; ");
    visible::line(message.trim_start_matches(prefix)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_error_is_the_message() {
        for (told, message) in [
            ("", ""),
            ("run 1\n\n", "run 1"),
            ("WARNING: a\nERROR: b\n  hint: c\n", "b; hint: c"),
            ("ERROR: a\nERROR: b", "b"),
            ("ERROR: a\nb\nc\nd\ne", "a; b; c"),
        ] {
            assert_eq!(last_message(told.as_bytes()), message, "{told:?}");
        }
    }
}
