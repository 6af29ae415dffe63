//! Recorded I/Os, one event after the other, and the resulting list.

use super::formats::{RecordedEvent, RecordedIo};
use std::collections::BTreeMap;

/// Recorded I/O in 24 bytes, because a trace has millions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedIo {
    /// Submission time in ns on the clock of the trace.
    pub at_ns: u64,
    pub offset: u64,
    /// Bytes, below 2^31; the highest bit marks a write.
    size: u32,
    /// Latency in units of [`LATENCY_UNIT_NS`].
    latency: u32,
}

/// Resolution of stored latencies in ns, so that four minutes fit into 32 bits.
const LATENCY_UNIT_NS: u64 = 64;
const UNKNOWN_THREAD: u32 = u32::MAX;
const WRITES: u32 = 1 << 31;

impl TracedIo {
    /// Maximum kept size in bytes.
    pub const MAX_IO_BYTES: u32 = WRITES - 1;

    /// Creates an incomplete I/O. The size is capped at [`TracedIo::MAX_IO_BYTES`].
    pub fn new(at_ns: u64, offset: u64, bytes: u32, write: bool) -> TracedIo {
        let direction = if write { WRITES } else { 0 };
        TracedIo { at_ns, offset, size: bytes.min(Self::MAX_IO_BYTES) | direction, latency: UNKNOWN_THREAD }
    }

    /// Sets the latency in ns.
    #[must_use]
    pub fn took(mut self, latency_ns: u64) -> TracedIo {
        let units = (latency_ns / LATENCY_UNIT_NS).min(u64::from(UNKNOWN_THREAD - 1));
        self.latency = units as u32;
        self
    }

    pub fn bytes(&self) -> u32 {
        self.size & !WRITES
    }

    pub fn is_write(&self) -> bool {
        self.size & WRITES != 0
    }

    pub fn end(&self) -> u64 {
        self.offset.saturating_add(u64::from(self.bytes()))
    }

    /// Returns the latency in ns with a resolution of 64 ns; `None` = no completion was observed.
    pub fn latency_ns(&self) -> Option<u64> {
        (self.latency != UNKNOWN_THREAD).then(|| u64::from(self.latency) * LATENCY_UNIT_NS)
    }
}

/// Maximum number of I/Os, which use a GiB of memory.
pub const MAX_IOS: usize = (1 << 30) / size_of::<TracedIo>();
/// Maximum number of requests in flight; more result from missed completions.
const MAX_IN_FLIGHT: usize = 1 << 20;

#[derive(Debug, Default)]
pub struct IoCollector {
    ios: Vec<TracedIo>,
    /// By direction and first byte: the place in the list, and how many bytes are not complete.
    in_flight: BTreeMap<(bool, u64), Vec<(usize, u32)>>,
    known: usize,
    unasked: u64,
    skipped: u64,
    lost: u64,
    discards: DiscardCount,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiscardCount {
    pub ios: u64,
    pub bytes: u64,
}

impl IoCollector {
    /// Records the submission of an I/O.
    pub fn issued(&mut self, at_ns: u64, offset: u64, bytes: u32, write: bool) {
        if self.is_full() {
            return;
        }
        if self.known >= MAX_IN_FLIGHT {
            self.in_flight.clear();
            self.known = 0;
        }
        self.in_flight.entry((write, offset)).or_default().push((self.ios.len(), bytes));
        self.known += 1;
        self.ios.push(TracedIo::new(at_ns, offset, bytes, write));
    }

    /// Handles the completion of an I/O, a part of it, or several merged by the kernel. I/Os submitted
    /// before the trace are unknown.
    pub fn completed(&mut self, at_ns: u64, offset: u64, bytes: u32, write: bool) {
        let end = offset.saturating_add(u64::from(bytes));
        let (mut from, mut is_known) = (offset, false);
        while let Some((at, index, left)) = self.next_in_flight(write, from, end) {
            is_known = true;
            from = at.saturating_add(u64::from(left)).min(end);
            let done = (from - at) as u32;
            if done < left {
                self.in_flight.entry((write, from)).or_default().push((index, left - done));
                break;
            }
            self.known -= 1;
            let io = &mut self.ios[index];
            *io = io.took(at_ns.saturating_sub(io.at_ns));
        }
        self.unasked += u64::from(!is_known);
    }

    /// Removes the first incomplete I/O in flight that begins in a range. Returns its first incomplete byte,
    /// its position in the list, and the number of incomplete bytes.
    fn next_in_flight(&mut self, write: bool, from: u64, end: u64) -> Option<(u64, usize, u32)> {
        let mut inside = self.in_flight.range_mut((write, from)..(write, end));
        let (&(_, at), same) = inside.next()?;
        // The latest one: an older one that is still here was given back and submitted anew.
        let taken = same.pop();
        if same.is_empty() {
            self.in_flight.remove(&(write, at));
        }
        taken.map(|(index, left)| (at, index, left))
    }

    pub fn take(&mut self, event: RecordedEvent) {
        match event {
            RecordedEvent::Issued(RecordedIo { at_ns, offset, bytes, write }) => {
                self.issued(at_ns, offset, bytes, write);
            }
            RecordedEvent::Done(RecordedIo { at_ns, offset, bytes, write }, latency) => {
                self.push(TracedIo::new(at_ns, offset, bytes, write).took(latency));
            }
            RecordedEvent::Completed(RecordedIo { at_ns, offset, bytes, write }) => {
                self.completed(at_ns, offset, bytes, write);
            }
            RecordedEvent::Discarded(RecordedIo { bytes, .. }) => self.discarded(bytes.into()),
            RecordedEvent::Skipped => self.skip(),
            RecordedEvent::Forget => self.forget(),
        }
    }

    /// Adds a complete I/O.
    pub fn push(&mut self, io: TracedIo) {
        if !self.is_full() {
            self.ios.push(io);
        }
    }

    pub fn discarded(&mut self, bytes: u64) {
        self.discards.ios += 1;
        self.discards.bytes = self.discards.bytes.saturating_add(bytes);
    }

    /// Counts an event that is neither a read, a write nor a discard.
    pub fn skip(&mut self) {
        self.skipped += 1;
    }

    /// Handles a gap of `events` lost events. I/Os in flight are dropped, because they would be matched
    /// with wrong completions.
    pub fn add_lost_events(&mut self, events: u64) {
        self.lost += events;
        self.in_flight.clear();
        self.known = 0;
    }

    pub fn forget(&mut self) {
        *self = IoCollector::default();
    }

    pub fn is_full(&self) -> bool {
        self.ios.len() >= MAX_IOS
    }

    pub fn len(&self) -> usize {
        self.ios.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ios.is_empty()
    }

    pub fn finish(mut self) -> IoTrace {
        let truncated = self.is_full();
        // Those at the same time stay in the order in which they were recorded.
        self.ios.sort_by_key(|io| io.at_ns);
        IoTrace {
            ios: self.ios,
            skipped: self.skipped,
            lost: self.lost,
            unasked: self.unasked,
            discards: self.discards,
            truncated,
            target_size: None,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct IoTrace {
    pub ios: Vec<TracedIo>,
    /// Events that are neither reads, writes nor discards, such as flushes.
    pub skipped: u64,
    pub discards: DiscardCount,
    /// Events lost because they came too fast.
    pub lost: u64,
    /// Completions without an observed submission, from earlier or other I/Os.
    pub unasked: u64,
    /// Whether the trace had more than [`MAX_IOS`] I/Os.
    pub truncated: bool,
    /// Size of the recorded target in bytes; `None` = unknown.
    pub target_size: Option<u64>,
}
