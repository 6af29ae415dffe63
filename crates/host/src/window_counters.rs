//! Counters that are read at both edges of a measurement; the difference is the result.

/// Counters of the kernel that are read at both edges of a measurement.
pub trait WindowCounters {
    /// Values at an edge; the default stands for unread counters.
    type EdgeValues: Default;
    type WindowValues;

    fn read(&self) -> Self::EdgeValues;

    /// Returns the counts between two readings; empty if a required reading is missing.
    fn count_between(self, before: &Self::EdgeValues, after: &Self::EdgeValues) -> Vec<Self::WindowValues>;
}
