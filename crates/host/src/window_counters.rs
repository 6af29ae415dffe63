//! Counters that are read at both edges of a measurement; the difference is the result.

/// Kernel counters that are read at the start and the end of a measurement.
pub trait WindowCounters {
    /// Values of one reading; the default represents unread counters.
    type EdgeValues: Default;
    type WindowValues;

    fn read(&self) -> Self::EdgeValues;

    /// Returns the counts between two readings; empty if a required reading is missing.
    fn count_between(self, before: &Self::EdgeValues, after: &Self::EdgeValues) -> Vec<Self::WindowValues>;
}
