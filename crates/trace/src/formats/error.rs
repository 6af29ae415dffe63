//! Reasons why a trace cannot be read.

use super::fault::TraceErrorKind;

#[derive(Debug, Clone, thiserror::Error)]
#[error("{}{fault}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct TraceError {
    /// Line, from 1; `None` = the whole file.
    pub line: Option<u64>,
    #[source]
    pub fault: TraceErrorKind,
}
