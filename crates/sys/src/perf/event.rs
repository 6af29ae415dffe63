//! Events counted by the kernel.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Page faults that had to wait for I/O.
    MajorFaults,
    /// Page faults that were solved in memory.
    MinorFaults,
    Tracepoint(Tracepoint),
}

/// A tracepoint of the kernel, and which of its events are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tracepoint {
    pub id: u64,
    /// A condition on its fields as the kernel evaluates it; empty = every event.
    pub filter: String,
}
