//! Why a trace can't be read.

use super::fault::TraceErrorKind;
use std::fmt;

#[derive(Debug, Clone)]
pub struct TraceError {
    /// In which line, from 1; `None` = in the file as a whole.
    pub line: Option<u64>,
    pub fault: TraceErrorKind,
}

impl std::error::Error for TraceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.fault.source()
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.fault),
            None => self.fault.fmt(f),
        }
    }
}
