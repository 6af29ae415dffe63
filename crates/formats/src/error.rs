//! Reasons why results cannot be read.

use diskspd_profile::xml::error::XmlError;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResultError {
    #[error(transparent)]
    Xml(XmlError),
    #[error(transparent)]
    Text(#[from] LineError),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{}{what}{}",
    line.map(|line| format!("line {line}: ")).unwrap_or_default(),
    hint.map(|hint| format!("\n  hint: {hint}")).unwrap_or_default()
)]
pub struct LineError {
    /// Counted from 1; `None` = the whole text.
    pub line: Option<usize>,
    pub what: String,
    /// Likely cause and remedy.
    pub hint: Option<&'static str>,
}

impl LineError {
    pub fn at_line(line: usize, what: impl Into<String>) -> LineError {
        LineError { line: Some(line), what: what.into(), hint: None }
    }

    pub fn of_all(what: impl Into<String>) -> LineError {
        LineError { line: None, what: what.into(), hint: None }
    }

    pub fn hint(self, hint: &'static str) -> LineError {
        LineError { hint: Some(hint), ..self }
    }
}
