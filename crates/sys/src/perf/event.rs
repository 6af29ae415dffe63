//! What the kernel counts.

/// A kind of event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Page faults that had to wait for I/O.
    MajorFaults,
    /// Page faults that were solved in memory.
    MinorFaults,
    /// A tracepoint of the kernel.
    Tracepoint(Tracepoint),
}

/// A tracepoint of the kernel, and which of its events are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tracepoint {
    /// Its number on this machine, from `events/*/*/id` of tracefs.
    pub id: u64,
    /// A condition on its fields as the kernel evaluates it; empty = every event.
    pub filter: String,
}
