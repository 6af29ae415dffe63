//! Errors of a command line, and their messages.

use crate::profile::RawText;
use crate::units::visible::drives;
use crate::units::{UnitError, UnitErrorKind};
use std::fmt;

pub(super) const SIZE: &str =
    "a size: digits and at most one of K, M, G, T (1024-based) or B (blocks), such as 64K";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueError {
    /// Byte offset into the value.
    pub position: usize,
    pub what: String,
    pub expected: Option<String>,
    pub hint: Option<String>,
    /// Form of the option, if it is longer than its letter (`-rd`).
    pub form: Option<&'static str>,
}

impl ValueError {
    pub fn new(position: usize, what: impl Into<String>) -> ValueError {
        ValueError { position, what: what.into(), expected: None, hint: None, form: None }
    }

    pub fn with_expected(self, expected: impl Into<String>) -> ValueError {
        ValueError { expected: Some(expected.into()), ..self }
    }

    pub fn hint(self, hint: impl Into<String>) -> ValueError {
        ValueError { hint: Some(hint.into()), ..self }
    }

    /// Adds the form of the option.
    pub fn with_form(self, form: &'static str) -> ValueError {
        ValueError { form: Some(form), ..self }
    }

    /// Moves the error to its position in a longer value, in which this value begins at `offset`.
    pub fn at(self, offset: usize) -> ValueError {
        ValueError { position: self.position + offset, ..self }
    }
}

impl From<UnitError> for ValueError {
    fn from(error: UnitError) -> ValueError {
        let problem = ValueError::new(error.position, error.kind.to_string());
        match error.kind {
            UnitErrorKind::TooLarge => problem.with_expected("at most 18446744073709551615 bytes"),
            _ => problem.with_expected(SIZE),
        }
    }
}

/// An invalid command line: one message with the place, the expected syntax, and a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliError {
    pub what: String,
    /// Location of the error; `None` = the whole command line.
    pub place: Option<Box<ArgumentLocation>>,
    pub expected: Option<String>,
    pub hint: Option<String>,
    /// Events of `-ye` before the error, which are set regardless.
    pub set_events: Box<[RawText]>,
    /// Whether it is an option unknown here; the list of all commands provides the suggestion.
    pub unknown_option: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentLocation {
    pub argument: Vec<u8>,
    /// Byte offset into the argument.
    pub position: usize,
}

impl CliError {
    pub fn new(what: impl Into<String>) -> CliError {
        let (place, expected, hint, set_events) = Default::default();
        CliError { what: what.into(), place, expected, hint, set_events, unknown_option: false }
    }

    pub fn at(argument: &[u8], position: usize, what: impl Into<String>) -> CliError {
        CliError {
            place: Some(Box::new(ArgumentLocation { argument: argument.to_vec(), position })),
            ..CliError::new(what)
        }
    }

    /// Converts an error in an option's value, which begins at byte `offset` of `argument`.
    pub fn in_value(argument: &[u8], offset: usize, option: &str, problem: ValueError) -> CliError {
        let option = problem.form.unwrap_or(option);
        let error = CliError::at(argument, offset + problem.position, format!("{option}: {}", problem.what));
        CliError { expected: problem.expected, hint: problem.hint, ..error }
    }

    pub fn unknown_option(self) -> CliError {
        CliError { unknown_option: true, ..self }
    }

    pub fn hint(self, hint: impl Into<String>) -> CliError {
        CliError { hint: Some(hint.into()), ..self }
    }
}

impl std::error::Error for CliError {}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(ArgumentLocation { argument, position }) = self.place.as_deref() {
            let before = printable_text(&argument[..(*position).min(argument.len())]);
            write!(f, "\n    {}\n    {:2$}^", printable_text(argument), "", before.chars().count())?;
        }
        if let Some(expected) = &self.expected {
            write!(f, "\n  expected: {expected}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

fn printable_text(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().map(|c| if drives(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caret_marks_the_error_position() {
        let error = CliError::at(b"-b4Q", 3, "-b: no").hint("do this");
        assert_eq!(error.to_string(), "-b: no\n    -b4Q\n       ^\n  hint: do this");
    }

    #[test]
    fn caret_position_counts_characters() {
        let error = CliError::at("-Zü\n\u{fffd}x".as_bytes(), 8, "no");
        assert_eq!(error.to_string(), "no\n    -Zü\u{fffd}\u{fffd}x\n         ^");
        let error = CliError::at(b"-Z\xff\xfex", 4, "no");
        assert_eq!(error.to_string(), "no\n    -Z\u{fffd}\u{fffd}x\n        ^");
    }

    #[test]
    fn caret_can_follow_the_last_character() {
        assert!(CliError::at(b"-b", 2, "no").to_string().ends_with("\n    -b\n      ^"));
    }
}
