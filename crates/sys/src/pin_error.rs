//! Reasons why a buffer is not registered.

/// Reason why a buffer is not registered. The kernel then pins and maps the memory of each I/O again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    /// The limit of locked memory is too small.
    #[error("the limit for locked memory is too low: ulimit -l")]
    Limit,
    /// The buffer exceeds the kernel's limit of pinned memory.
    #[error("larger than 1 GiB")]
    TooLarge,
    /// The setup is not supported; the text contains the reason and the remedy.
    #[error("{0}")]
    Refused(String),
}
