//! Inconsistencies of a record.

/// Inconsistency and its position (`place`). A run's own record is always consistent, an edited one may
/// not be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordMismatchError {
    /// A count contradicts the profile, the system or other counts.
    #[error("{place}: {found} {what} instead of {expected}")]
    Count { place: String, what: String, expected: u64, found: u64 },
    #[error("{place}: {found} {what}, and no run can have more than {most}")]
    Impossible { place: String, what: &'static str, found: u64, most: u64 },
    /// The results belong to a target that does not exist.
    #[error("{place}: there is no target {id}")]
    NoTarget { place: String, id: u32 },
    /// A target's id differs from its index.
    #[error("target {at} of {host} has the id {id}")]
    MisplacedTarget { at: u32, host: String, id: u32 },
    /// A merged time span has no latencies.
    #[error("{place}: the latencies of all are missing")]
    NoLatencies { place: String },
    /// There are more misses (`--nowait`) than I/Os.
    #[error("{place}: {misses} of only {ios} {what} would have waited")]
    Misses { place: String, what: &'static str, misses: u64, ios: u64 },
    /// There are more short I/Os than I/Os.
    #[error("{place}: {short} short {what} of only {ios}")]
    Short { place: String, what: &'static str, short: u64, ios: u64 },
    /// A series has other intervals than the profile requests.
    #[error("{place}: the series of {what} is not one of {interval_ms} ms intervals over {duration_s} s")]
    Series { place: String, what: &'static str, interval_ms: u32, duration_s: u32 },
    #[error("{found} intervals (-D), but such a record has at most {most}")]
    Intervals { found: u64, most: u64 },
}
