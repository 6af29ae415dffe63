//! Why an engine can't be had.

/// Why an engine does not work here. Prints as `reason; remedy`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}; {remedy}")]
pub struct Unavailable {
    pub reason: String,
    pub remedy: String,
    /// Whether it is a matter of resources, which may be there another time or for fewer threads. Else the
    /// machine has no such engine, or forbids it.
    pub lacking: bool,
}
