//! Results of a trace reader: an I/O, or its completion.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedEvent {
    /// An I/O was submitted.
    Issued(RecordedIo),
    /// One with its duration in ns.
    Done(RecordedIo, u64),
    /// An I/O, or a part of it, has completed at this time.
    Completed(RecordedIo),
    /// A discard was submitted; `write` says nothing here.
    Discarded(RecordedIo),
    /// Something that is neither a read, a write nor a discard.
    Skipped,
    /// Discards the previous I/Os, because the wanted kind follows.
    Forget,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedIo {
    /// Time in ns since the first event.
    pub at_ns: u64,
    pub offset: u64,
    /// Bytes, at least 1.
    pub bytes: u32,
    pub write: bool,
}

pub(super) const MAX_DISCARD_BYTES: u64 = 1 << 48;
