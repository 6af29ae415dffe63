//! Counters that are read twice: what lies between is what was counted.

/// Counters of the kernel that are read at both edges of a measurement.
pub trait EdgeCounters {
    /// What they stand at; the default is that of counters which were not read.
    type AtEdge: Default;
    type BetweenEdges;

    fn read(&self) -> Self::AtEdge;

    /// What was counted between two readings; nothing where both are needed and one is missing.
    fn between(self, before: &Self::AtEdge, after: &Self::AtEdge) -> Vec<Self::BetweenEdges>;
}
