//! Why results can't be read.

use diskspd_profile::xml::error::XmlError;
use std::fmt;

/// Results that can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResultError {
    #[error(transparent)]
    Xml(XmlError),
    #[error(transparent)]
    Text(#[from] LineFault),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineFault {
    /// Counted from 1; `None` = the text as a whole.
    pub line: Option<usize>,
    pub what: String,
    /// Likely cause and what to do.
    pub hint: Option<&'static str>,
}

impl LineFault {
    pub fn at(line: usize, what: impl Into<String>) -> LineFault {
        LineFault { line: Some(line), what: what.into(), hint: None }
    }

    pub fn of_all(what: impl Into<String>) -> LineFault {
        LineFault { line: None, what: what.into(), hint: None }
    }

    /// The same, with its likely cause and what to do.
    pub fn hint(self, hint: &'static str) -> LineFault {
        LineFault { hint: Some(hint), ..self }
    }
}

impl std::error::Error for LineFault {}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.what)?;
        match self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}
