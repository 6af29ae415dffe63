//! The reasons why an engine is not available.

/// Reason why an engine is unavailable. Prints as `reason; remedy`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}; {remedy}")]
pub struct AvailabilityError {
    pub reason: String,
    pub remedy: String,
    /// Whether resources are missing, which may be available later or for fewer threads. Otherwise the
    /// machine does not have the engine, or forbids it.
    pub lacking: bool,
}
