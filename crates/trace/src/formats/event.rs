//! Results of a trace reader: an I/O, or its completion.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedEvent {
    /// Submission of an I/O.
    Issued(RecordedIo),
    /// I/O with its duration in ns.
    Done(RecordedIo, u64),
    /// Completion of an I/O or of a part of it.
    Completed(RecordedIo),
    /// Submission of a discard; `write` has no meaning.
    Discarded(RecordedIo),
    /// Event that is neither a read, a write nor a discard.
    Skipped,
    /// Marker that discards the previous I/Os, because the wanted kind follows.
    Forget,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedIo {
    /// Time in ns since the first event.
    pub at_ns: u64,
    pub offset: u64,
    /// Size in bytes, at least 1.
    pub bytes: u32,
    pub write: bool,
}

pub(super) const MAX_DISCARD_BYTES: u64 = 1 << 48;
