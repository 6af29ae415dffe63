//! What of a record doesn't fit together.

/// What doesn't, and where (`place`): a run's own record always does, an edited one may not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordMisfit {
    /// Other than profile, system or other counts say.
    #[error("{place}: {found} {what} instead of {expected}")]
    Count {
        /// Where.
        place: String,
        /// Of what.
        what: String,
        /// How many there have to be.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// Beyond what any machine can do.
    #[error("{place}: {found} {what}, and no run can have more than {most}")]
    Impossible {
        /// Where.
        place: String,
        /// Of what.
        what: &'static str,
        /// How much there is.
        found: u64,
        /// How much there can be.
        most: u64,
    },
    /// Results of a target that there isn't.
    #[error("{place}: there is no target {id}")]
    NoTarget {
        /// Where.
        place: String,
        /// Its id.
        id: u32,
    },
    /// A target isn't at the place of its id.
    #[error("target {at} of {host} has the id {id}")]
    MisplacedTarget {
        /// Its place.
        at: u32,
        /// Whose.
        host: String,
        /// Its id.
        id: u32,
    },
    /// A merged time span lacks them.
    #[error("{place}: the latencies of all are missing")]
    NoLatencies {
        /// Where.
        place: String,
    },
    /// More I/Os that would have waited (`--nowait`) than I/Os.
    #[error("{place}: {misses} of only {ios} {what} would have waited")]
    Misses {
        /// Where.
        place: String,
        /// Reads or writes.
        what: &'static str,
        /// How many would have waited.
        misses: u64,
        /// Of how many.
        ios: u64,
    },
    /// More short I/Os than I/Os.
    #[error("{place}: {short} short {what} of only {ios}")]
    Short {
        /// Where.
        place: String,
        /// Reads or writes.
        what: &'static str,
        /// How many were short.
        short: u64,
        /// How many there were.
        ios: u64,
    },
    /// A series has other intervals than the profile asks for.
    #[error("{place}: the series of {what} is not one of {interval_ms} ms intervals over {duration_s} s")]
    Series {
        /// Where.
        place: String,
        /// Reads or writes.
        what: &'static str,
        /// The interval that was asked for, ms.
        interval_ms: u32,
        /// How long was to be measured, s.
        duration_s: u32,
    },
    /// More intervals than such a record has.
    #[error("{found} intervals (-D), but such a record has at most {most}")]
    Intervals {
        /// How many there are.
        found: u64,
        /// How many there may be.
        most: u64,
    },
}
