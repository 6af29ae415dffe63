//! Errors in a document with their positions.

use diskspd_base::limits::TIME_SPANS;
use diskspd_figures::units::visible::drives;
use std::fmt;

/// Error of an invalid profile document: a message with the position, the expectation, and the remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XmlError {
    /// Line and column, both from 1, the column in characters; `None` where it is the document as a whole.
    pub place: Option<(usize, usize)>,
    pub what: String,
    pub expected: Option<String>,
    pub hint: Option<String>,
}

/// Error with a byte offset into the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XmlErrorAt {
    pub position: usize,
    pub what: String,
    pub expected: Option<String>,
    pub hint: Option<String>,
}

impl XmlErrorAt {
    pub fn new(position: usize, what: impl Into<String>) -> XmlErrorAt {
        XmlErrorAt { position, what: what.into(), expected: None, hint: None }
    }

    pub fn with_expected(self, expected: impl Into<String>) -> XmlErrorAt {
        XmlErrorAt { expected: Some(expected.into()), ..self }
    }

    pub fn hint(self, hint: impl Into<String>) -> XmlErrorAt {
        XmlErrorAt { hint: Some(hint.into()), ..self }
    }
}

impl XmlError {
    /// Converts an error in this text; its position becomes line and column.
    pub fn in_text(text: &str, fault: &XmlErrorAt) -> XmlError {
        let before = text.get(..fault.position).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        XmlError { place: Some((line, column)), ..XmlError::of_document(fault) }
    }

    pub fn of_document(fault: &XmlErrorAt) -> XmlError {
        let XmlErrorAt { what, expected, hint, .. } = fault.clone();
        XmlError { place: None, what, expected, hint }
    }
}

/// Checks a number of time spans.
pub fn check_time_spans(number: usize, at: usize) -> Result<(), XmlErrorAt> {
    match number > TIME_SPANS {
        true => Err(XmlErrorAt::new(at, format!("more than {TIME_SPANS} time spans, the limit"))),
        false => Ok(()),
    }
}

impl std::error::Error for XmlError {}

impl fmt::Display for XmlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.place {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.what)?;
        if let Some(expected) = &self.expected {
            write!(f, "\n  expected: {expected}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

/// Quotes a piece of the document for a message, shortened to one line.
pub fn quote(text: &str) -> String {
    const MAX_QUOTED_LENGTH: usize = 60;
    let shown = |c: char| if drives(c) { '\u{fffd}' } else { c };
    let short: String = text.chars().take(MAX_QUOTED_LENGTH).map(shown).collect();
    let dots = if text.chars().nth(MAX_QUOTED_LENGTH).is_some() { ".." } else { "" };
    format!("\"{short}{dots}\"")
}
