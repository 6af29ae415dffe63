//! Events counted by the kernel.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Page faults that waited for I/O.
    MajorFaults,
    /// Page faults resolved in memory.
    MinorFaults,
    Tracepoint(Tracepoint),
}

/// Tracepoint of the kernel, with a filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tracepoint {
    pub id: u64,
    /// Filter of the kernel on the fields; empty = all events.
    pub filter: String,
}
