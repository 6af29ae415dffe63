//! A replayed trace (`--replay`): a list of I/Os ordered by time and divided among the threads.

use super::formats::{RecordedEvent, RecordedIo, TraceErrorKind};
use diskspd_base::operation::Operation;
use std::sync::Arc;

/// Device alignments in bytes, each with its first misaligned line.
const ALIGNMENTS: [u32; 4] = [512, 1024, 2048, 4096];
/// Bits of a time in ns: 78 hours.
const TIME_BITS: u32 = 48;
const MAX_KINDS: usize = 1 << 16;

#[derive(Debug, Default, PartialEq)]
pub struct ReplayList {
    ios: Vec<PackedIo>,
    kinds: Vec<ReplayKind>,
    /// Number of reads, writes and discards in the file.
    pub recorded: [u64; 3],
    pub bytes: u64,
    /// Size of the largest read or write in bytes.
    pub largest: u32,
    /// Exclusive end of the I/Os in bytes, and the line of the last one.
    pub end: (u64, u64),
    pub has_times: bool,
    misaligned: [u64; ALIGNMENTS.len()],
}

/// Recorded I/O in 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PackedIo {
    /// Time in ns in the upper bits, index of the kind in the lower 16.
    at_and_kind: u64,
    offset: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ReplayKind {
    bytes: u32,
    does: ReplayAction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayAction {
    Read,
    Write,
    Discard,
}

#[derive(Debug)]
pub struct ReplayBuilder {
    list: ReplayList,
    with_writes: bool,
}

impl ReplayBuilder {
    /// Creates a builder for all I/Os, or only for reads.
    pub fn new(with_writes: bool) -> ReplayBuilder {
        ReplayBuilder { list: ReplayList::default(), with_writes }
    }

    /// Adds the event of a line.
    ///
    /// # Errors
    /// Fails if the trace is too long, or has too many sizes, for a replay.
    pub fn take(&mut self, line: u64, event: RecordedEvent) -> Result<(), TraceErrorKind> {
        match event {
            RecordedEvent::Issued(io) | RecordedEvent::Done(io, _) if io.write => {
                self.add(line, io, ReplayAction::Write)
            }
            RecordedEvent::Issued(io) | RecordedEvent::Done(io, _) => self.add(line, io, ReplayAction::Read),
            RecordedEvent::Discarded(io) => self.add(line, io, ReplayAction::Discard),
            RecordedEvent::Forget => {
                self.list = ReplayList::default();
                Ok(())
            }
            RecordedEvent::Completed(_) | RecordedEvent::Skipped => Ok(()),
        }
    }

    fn add(&mut self, line: u64, io: RecordedIo, does: ReplayAction) -> Result<(), TraceErrorKind> {
        let list = &mut self.list;
        list.recorded[does as usize] += 1;
        if does != ReplayAction::Read && !self.with_writes {
            return Ok(());
        }
        if io.at_ns >> TIME_BITS > 0 {
            return Err(TraceErrorKind::TooLate);
        }
        let wanted = ReplayKind { bytes: io.bytes, does };
        let kind = match list.kinds.iter().position(|kind| *kind == wanted) {
            Some(known) => known,
            None if list.kinds.len() == MAX_KINDS => {
                return Err(TraceErrorKind::TooManySizes(MAX_KINDS));
            }
            None => {
                list.kinds.push(wanted);
                list.kinds.len() - 1
            }
        };
        list.ios.push(PackedIo { at_and_kind: io.at_ns << 16 | kind as u64, offset: io.offset });
        list.bytes = list.bytes.saturating_add(u64::from(io.bytes));
        if does != ReplayAction::Discard {
            list.largest = list.largest.max(io.bytes);
        }
        let end = io.offset + u64::from(io.bytes);
        if end > list.end.0 {
            list.end = (end, line);
        }
        for (alignment, first) in ALIGNMENTS.iter().zip(&mut list.misaligned) {
            if *first == 0 && !(io.offset | u64::from(io.bytes)).is_multiple_of(u64::from(*alignment)) {
                *first = line;
            }
        }
        Ok(())
    }

    /// Returns the list in the order of the times, which begin at 0.
    pub fn finish(mut self, has_times: bool) -> ReplayList {
        let time = |io: &PackedIo| io.at_and_kind >> 16;
        self.list.ios.sort_by_key(time);
        let first = self.list.ios.first().map_or(0, time);
        self.list.ios.iter_mut().for_each(|io| io.at_and_kind -= first << 16);
        self.list.has_times = has_times;
        self.list
    }
}

impl ReplayList {
    pub fn len(&self) -> usize {
        self.ios.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ios.is_empty()
    }

    /// Returns the submission time of the last I/O in ns since the first one.
    pub fn length_ns(&self) -> u64 {
        self.ios.last().map_or(0, |io| io.at_and_kind >> 16)
    }

    pub fn count(&self, does: ReplayAction) -> u64 {
        self.ios.iter().filter(|io| self.kind(io).does == does).count() as u64
    }

    /// Returns the first line with a misaligned I/O; `alignment` is a power of two in bytes. 0 = all are
    /// aligned.
    pub fn first_misaligned(&self, alignment: u32) -> u64 {
        let at = ALIGNMENTS.iter().position(|known| *known >= alignment).unwrap_or(ALIGNMENTS.len() - 1);
        self.misaligned[at]
    }

    /// Returns the largest device alignment of all I/Os in bytes; 1 = none.
    pub fn alignment(&self) -> u32 {
        let known = ALIGNMENTS.iter().zip(&self.misaligned).rev();
        known.into_iter().find(|(_, first)| **first == 0).map_or(1, |(alignment, _)| *alignment)
    }

    fn kind(&self, io: &PackedIo) -> ReplayKind {
        self.kinds[(io.at_and_kind & 0xffff) as usize]
    }

    fn replay_io(&self, index: usize) -> Option<(RecordedIo, ReplayAction)> {
        let io = self.ios.get(index)?;
        let ReplayKind { bytes, does } = self.kind(io);
        let write = does == ReplayAction::Write;
        Some((RecordedIo { at_ns: io.at_and_kind >> 16, offset: io.offset, bytes, write }, does))
    }
}

/// Share of a list for one of several threads, which execute the I/Os alternately.
#[derive(Debug, Clone)]
pub struct ReplayTurns {
    list: Arc<ReplayList>,
    /// Thousandths of the recorded speed; 0 = as fast as possible.
    thousandths: u32,
    next: usize,
    step: usize,
}

impl ReplayTurns {
    /// Creates the share of thread number `thread` of `threads`. `thousandths`: relative to the recorded
    /// speed; 0 = as fast as possible.
    pub fn new(list: Arc<ReplayList>, thousandths: u32, thread: u32, threads: u32) -> ReplayTurns {
        let thousandths = if list.has_times { thousandths } else { 0 };
        ReplayTurns { list, thousandths, next: thread as usize, step: threads.max(1) as usize }
    }

    /// Returns the next I/O with its time in ns after the start, which is `None` without a schedule.
    /// `None` = all are done.
    #[inline]
    pub fn peek(&self) -> Option<(RecordedIo, Option<u64>)> {
        let (io, _) = self.list.replay_io(self.next)?;
        Some((io, self.due_time(io.at_ns)))
    }

    #[inline]
    pub fn operation(&self) -> Operation {
        match self.list.replay_io(self.next) {
            Some((_, ReplayAction::Discard)) => Operation::Discard,
            Some((_, ReplayAction::Write)) => Operation::Write,
            Some((_, ReplayAction::Read)) | None => Operation::Read,
        }
    }

    #[inline]
    pub fn advance(&mut self) {
        self.next += self.step;
    }

    #[inline]
    fn due_time(&self, at_ns: u64) -> Option<u64> {
        // 48 bits and 10 more.
        (self.thousandths > 0).then(|| at_ns * 1000 / u64::from(self.thousandths))
    }

    /// Returns the number of due but untaken I/Os at `elapsed` ns after the start, and the due time of the
    /// first.
    pub fn overdue(&self, elapsed: u64) -> Option<(u64, u64)> {
        let (_, first) = self.peek()?;
        let first = first.filter(|due| *due <= elapsed)?;
        let until = self.list.ios.partition_point(|io| self.due_time(io.at_and_kind >> 16) <= Some(elapsed));
        Some(((until - self.next).div_ceil(self.step) as u64, first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_list(with_writes: bool, ios: &[(u64, u64, u32, bool)]) -> ReplayList {
        let mut builder = ReplayBuilder::new(with_writes);
        for (line, (at_ns, offset, bytes, write)) in (2..).zip(ios.iter().copied()) {
            builder.take(line, RecordedEvent::Issued(RecordedIo { at_ns, offset, bytes, write })).unwrap();
        }
        builder.finish(true)
    }

    const IOS: [(u64, u64, u32, bool); 4] =
        [(5000, 8192, 4096, true), (1000, 4096, 512, false), (3000, 0, 4096, false), (9000, 512, 512, true)];

    #[test]
    fn replay_starts_at_zero_and_alternates_threads() {
        let list = Arc::new(sample_list(true, &IOS));
        assert_eq!((list.len(), list.count(ReplayAction::Write), list.length_ns()), (4, 2, 8000));
        assert_eq!((list.bytes, list.largest, list.end), (9216, 4096, (12_288, 2)));
        let taken = |thousandths, thread, threads| {
            let mut turns = ReplayTurns::new(Arc::clone(&list), thousandths, thread, threads);
            let mut taken = Vec::new();
            while let Some((io, due)) = turns.peek() {
                taken.push((io.offset, due));
                turns.advance();
            }
            taken
        };
        let whole = [(4096, Some(0)), (0, Some(2000)), (8192, Some(4000)), (512, Some(8000))];
        assert_eq!(taken(1000, 0, 1), whole);
        assert_eq!(taken(2000, 0, 2), [(4096, Some(0)), (8192, Some(2000))]);
        assert_eq!(taken(500, 1, 2), [(0, Some(4000)), (512, Some(16_000))]);
        assert_eq!(taken(0, 2, 3), [(8192, None)]);
        assert_eq!(taken(1000, 4, 5), []);
        let mut turns = ReplayTurns::new(Arc::clone(&list), 1000, 1, 2);
        assert_eq!(
            [1999, 2000, 7999, 8000].map(|at| turns.overdue(at)),
            [None, Some((1, 2000)), Some((1, 2000)), Some((2, 2000))]
        );
        turns.advance();
        turns.advance();
        assert_eq!(turns.overdue(u64::MAX), None);
    }

    #[test]
    fn replay_skips_writes_and_reports_unaligned_io() {
        let reads = sample_list(false, &IOS);
        assert_eq!((reads.len(), reads.count(ReplayAction::Write), reads.recorded), (2, 0, [2, 2, 0]));
        let misaligned = [512, 4096].map(|bytes| reads.first_misaligned(bytes));
        assert_eq!((misaligned, reads.alignment()), ([0, 3], 512));
        let odd = sample_list(true, &[(0, 4096, 4096, false), (1, 100, 512, false)]);
        assert_eq!((odd.first_misaligned(512), odd.first_misaligned(1), odd.alignment()), (3, 3, 1));
        let refused = ReplayBuilder::new(true)
            .take(7, RecordedEvent::Issued(RecordedIo { at_ns: 1 << 48, offset: 0, bytes: 1, write: false }));
        assert!(refused.unwrap_err().to_string().contains("78 hours"));
    }
}
