//! Results by interval (`-D`), over all targets and directions of a thread, and merged over threads. They
//! hold bytes, and with `-L` the latencies. Percentiles of an interval therefore cover all its I/Os and
//! are never averaged.
//!
//! A full histogram per interval and thread would take gigabytes. A thread therefore keeps only the
//! current interval in full (7.5 KiB, which fits in the L1 cache). When the next interval begins, it packs
//! the data into a log of fixed size, with two to three bytes for each non-empty cell.

use super::Scale;
use super::packed::{pop, push};
use crate::json_lists::CompactText;
use serde::{Deserialize, Serialize};

/// 64 cells per octave: the middle of one is at most 1/128 (0.8 %) off. Latencies are counted in units of
/// 2^5 = 32 ns: below 4 us a cell is one unit. From 2^40 ns (18 minutes) on they share the last cell.
type Cells = Scale<6, 5, 40>;
const CELLS: usize = Cells::CELLS;

/// Maximum number of stored intervals; later I/Os count only in the series.
const MAX_INTERVALS: u64 = 1 << 20;
/// Memory for the latencies of all threads together, in bytes. 256 threads and 3600 intervals have 580
/// bytes for each interval, about 240 cells: latencies that differ by a factor of 40. Untouched pages cost
/// no memory.
const BUDGET: u64 = 512 << 20;
const HEADER: u64 = 40;
/// Maximum bytes of a cell: the distance from the last one, and the count.
const PER_CELL: u64 = 2 + 5;

fn cell_middle(cell: usize) -> u64 {
    let first = Cells::first(cell);
    if cell + 1 < CELLS { first + Cells::width(cell) / 2 } else { first }
}

/// Intervals of a thread during the recording.
#[derive(Debug)]
pub struct IntervalLog {
    /// Width of an interval in ns.
    width: u64,
    kept: u64,
    /// Index of the current interval.
    current: u64,
    end: u64,
    /// Bytes read and written in it.
    bytes: [u64; 2],
    /// Latencies in it by [`Cells`]; empty = not measured.
    cells: Vec<u32>,
    /// The intervals before it: number (as distance), bytes read, bytes written, cells + 1 (0 = no room for
    /// latencies), and for each cell its distance from the last one and its count.
    log: Vec<u8>,
    /// Maximum length of the log in bytes.
    limit: u64,
    /// Index of the last interval in the log, plus 1.
    next: u64,
}

impl IntervalLog {
    /// An empty log for one of `threads` threads, of intervals of `width_ms` ms (at least 1) over
    /// `duration_s` s. All memory is reserved here.
    pub fn new(width_ms: u32, duration_s: u32, latencies: bool, threads: usize) -> IntervalLog {
        let width_ms = u64::from(width_ms.max(1));
        let kept = (u64::from(duration_s) * 1000).div_ceil(width_ms).min(MAX_INTERVALS);
        let latency_bytes = match latencies {
            true => (BUDGET / threads.max(1) as u64).min(kept * CELLS as u64 * PER_CELL),
            false => 0,
        };
        let limit = kept * HEADER + latency_bytes;
        let mut log = Vec::new();
        let limit = if log.try_reserve_exact(limit as usize).is_ok() { limit } else { 0 };
        let cells = if latencies { vec![0; CELLS] } else { Vec::new() };
        IntervalLog {
            width: width_ms * 1_000_000,
            kept,
            current: 0,
            end: 0,
            bytes: [0; 2],
            cells,
            log,
            limit,
            next: 0,
        }
    }

    /// Counts one I/O that completed `since_start` ns after measuring began, with its latency (ns). Time
    /// does not go back.
    #[inline]
    pub fn record(&mut self, since_start: u64, latency: u64, bytes: u64, write: bool) {
        self.record_equal(since_start, latency, 1, bytes, write);
    }

    /// Adds `count` I/Os, at least one, with the same time and latency; `bytes` is the size of each I/O.
    #[inline]
    pub fn record_equal(&mut self, since_start: u64, latency: u64, count: u32, bytes: u64, write: bool) {
        if since_start >= self.end {
            self.start_interval(since_start);
        }
        debug_assert!(
            since_start >= self.end.saturating_sub(self.width),
            "time went back to {since_start} ns"
        );
        self.bytes[usize::from(write)] += u64::from(count) * bytes;
        if let Some(counted) = self.cells.get_mut(Cells::cell(latency)) {
            *counted = counted.saturating_add(count);
        }
    }

    /// Starts the next interval with an I/O.
    #[cold]
    fn start_interval(&mut self, since_start: u64) {
        self.pack();
        self.current = since_start / self.width;
        self.end = self.current.saturating_add(1).saturating_mul(self.width);
        self.bytes = [0; 2];
        self.cells.fill(0);
    }

    /// Packs the current interval into the log.
    fn pack(&mut self) {
        if self.end == 0 || self.current >= self.kept {
            return;
        }
        let filled = self.cells.iter().filter(|count| **count > 0).count() as u64;
        // The headers of all that may follow have their place in any case.
        let others = (self.kept - self.current) * HEADER;
        let fits = self.log.len() as u64 + others + filled * PER_CELL <= self.limit;
        if self.log.len() as u64 + HEADER > self.limit {
            return;
        }
        push(&mut self.log, self.current - self.next);
        push(&mut self.log, self.bytes[0]);
        push(&mut self.log, self.bytes[1]);
        push(&mut self.log, if fits { filled + 1 } else { 0 });
        self.next = self.current + 1;
        if !fits {
            return;
        }
        let mut last = 0;
        for (cell, count) in self.cells.iter().enumerate().filter(|(_, count)| **count > 0) {
            push(&mut self.log, (cell - last) as u64);
            push(&mut self.log, u64::from(*count));
            last = cell;
        }
    }
}

/// Intervals of a time span, merged over all threads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intervals {
    intervals: Vec<Interval>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    pub read_bytes: u64,
    pub write_bytes: u64,
    /// Latencies as (cell, count), ascending; `None` if a thread had no memory for them. Cell c below 128
    /// begins at 32 c ns; above, each octave has 64 cells.
    latencies: Option<Vec<(u16, u64)>>,
}

impl Default for Interval {
    fn default() -> Self {
        Interval { read_bytes: 0, write_bytes: 0, latencies: Some(Vec::new()) }
    }
}

impl From<Vec<Interval>> for Intervals {
    fn from(intervals: Vec<Interval>) -> Intervals {
        Intervals { intervals }
    }
}

impl Intervals {
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    pub fn add(&mut self, mut thread: IntervalLog) {
        thread.pack();
        let mut log = thread.log.iter();
        let mut number = 0;
        while let Some(distance) = pop(&mut log) {
            number += distance;
            let (Some(read_bytes), Some(write_bytes), Some(cells)) =
                (pop(&mut log), pop(&mut log), pop(&mut log))
            else {
                return;
            };
            let mut cell = 0;
            let latencies = cells.checked_sub(1).map(|cells| {
                let one = |_| {
                    cell += pop(&mut log).unwrap_or(0) as u16;
                    (cell, pop(&mut log).unwrap_or(0))
                };
                (0..cells).map(one).collect()
            });
            self.interval_at(number as usize).merge(&Interval { read_bytes, write_bytes, latencies });
            number += 1;
        }
    }

    /// Adds the intervals of another part of the same run.
    pub fn merge(&mut self, other: &Intervals) {
        self.merge_at(0, other);
    }

    /// Adds `other`, with its intervals moved to index `first`.
    pub fn merge_at(&mut self, first: usize, other: &Intervals) {
        for (number, theirs) in (first..).zip(&other.intervals) {
            self.interval_at(number).merge(theirs);
        }
    }

    pub fn all(&self) -> Interval {
        let mut all = Interval::default();
        self.intervals.iter().for_each(|interval| all.merge(interval));
        all
    }

    pub fn put_before(&mut self, count: usize) {
        self.intervals.splice(..0, std::iter::repeat_n(Interval::default(), count));
    }

    /// Keeps `count` intervals from `first` on.
    pub fn keep(&mut self, first: usize, count: usize) {
        self.intervals.drain(..first.min(self.intervals.len()));
        self.intervals.truncate(count);
    }

    /// Returns an interval, from 0; `None` = no I/O in it or later.
    pub fn get(&self, number: usize) -> Option<&Interval> {
        self.intervals.get(number)
    }

    fn interval_at(&mut self, number: usize) -> &mut Interval {
        if number >= self.intervals.len() {
            self.intervals.resize(number + 1, Interval::default());
        }
        &mut self.intervals[number]
    }
}

impl Interval {
    /// Reads an interval from JSON as the program writes it; `None` if it is laid out otherwise.
    pub fn from_compact_json(text: &[u8]) -> Option<Interval> {
        let mut text = CompactText(text);
        text.skip(b"{\"read_bytes\":")?;
        let read_bytes = text.number()?;
        text.skip(b",\"write_bytes\":")?;
        let write_bytes = text.number()?;
        text.skip(b",\"latencies\":[")?;
        let mut latencies = Vec::with_capacity(text.0.len() / 8);
        while !text.0.starts_with(b"]") {
            if !latencies.is_empty() {
                text.skip(b",")?;
            }
            text.skip(b"[")?;
            let cell = u16::try_from(text.number()?).ok()?;
            text.skip(b",")?;
            latencies.push((cell, text.number()?));
            text.skip(b"]")?;
        }
        latencies.shrink_to_fit();
        (text.0 == b"]}").then_some(Interval { read_bytes, write_bytes, latencies: Some(latencies) })
    }

    /// (latency in ns, I/Os that took so long), ascending, each latency at most 0.8 % off; nothing where
    /// latencies were not kept.
    pub fn latencies(&self) -> impl Iterator<Item = (u64, u64)> {
        let kept = self.latencies.iter().flatten();
        kept.map(|(cell, ios)| (cell_middle(usize::from(*cell).min(CELLS - 1)), *ios))
    }

    fn merge(&mut self, other: &Interval) {
        self.read_bytes = self.read_bytes.saturating_add(other.read_bytes);
        self.write_bytes = self.write_bytes.saturating_add(other.write_bytes);
        self.latencies = match (self.latencies.take(), &other.latencies) {
            (Some(mine), Some(theirs)) => Some(merge_cells(mine, theirs)),
            _ => None,
        };
    }

    /// Returns the smallest latency (ns) not exceeded by at least the share `p` of the interval's I/Os, with
    /// an error of at most 0.8 %. `None` = no I/O, or its latencies were not kept.
    pub fn percentile(&self, p: f64) -> Option<u64> {
        let latencies = self.latencies.as_ref()?;
        let total: u64 = latencies.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
        let wanted = p * total as f64;
        let mut cumulated = 0u64;
        let reached = latencies.iter().find(|(_, count)| {
            cumulated = cumulated.saturating_add(*count);
            cumulated as f64 >= wanted
        });
        reached.or(latencies.last()).map(|(cell, _)| cell_middle(usize::from(*cell).min(CELLS - 1)))
    }
}

/// Merges two ascending lists of (cell, count).
fn merge_cells(mine: Vec<(u16, u64)>, theirs: &[(u16, u64)]) -> Vec<(u16, u64)> {
    if mine.is_empty() {
        return theirs.to_vec();
    }
    let mut both = Vec::with_capacity(mine.len().max(theirs.len()));
    let (mut mine, mut theirs) = (mine.into_iter().peekable(), theirs.iter().copied().peekable());
    loop {
        both.push(match (mine.peek().copied(), theirs.peek().copied()) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                mine.next();
                theirs.next();
                (a.0, a.1.saturating_add(b.1))
            }
            (Some(a), b) if b.is_none_or(|b| a.0 < b.0) => {
                mine.next();
                a
            }
            (_, Some(b)) => {
                theirs.next();
                b
            }
            _ => return both,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn compact_and_spaced_json_read_alike() {
        let whole = r#"{"read_bytes":1,"write_bytes":20,"latencies":[[3,4],[65535,18446744073709551615]]}"#;
        let none = r#"{"read_bytes":0,"write_bytes":0,"latencies":[]}"#;
        for text in [whole, none] {
            let expected: Interval = serde_json::from_str(text).unwrap();
            assert_eq!(Interval::from_compact_json(text.as_bytes()), Some(expected), "{text}");
        }
        for (from, to) in
            [("[3,4]", "[3, 4]"), ("65535", "65536"), ("4],", "4],,"), ("]]", "],]"), ("20", "020")]
        {
            let other = whole.replace(from, to);
            assert_eq!(Interval::from_compact_json(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn latency_reads_back_within_a_128th_or_32_ns() {
        for nanos in (0..200_000).chain((17..40).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1])) {
            let read = cell_middle(Cells::cell(nanos));
            assert!(read.abs_diff(nanos) <= (nanos / 128).max(32), "{nanos} reads as {read}");
        }
        assert_eq!(Cells::cell(u64::MAX), CELLS - 1);
        assert_eq!(Cells::cell((1 << 40) - 1), CELLS - 1);
    }

    proptest::proptest! {
        #[test]
        fn merged_threads_equal_one_thread(
            mut ios: Vec<(u32, u64, u16, bool, u8)>
        ) {
            ios.iter_mut().for_each(|io| io.0 %= 12_000_000);
            ios.extend_from_within(..ios.len() / 2);
            ios.sort_unstable();
            let new = || IntervalLog::new(1, 1, true, 3);
            let (mut one, mut threads) = (new(), [new(), new(), new()]);
            for (at, latency, bytes, write, thread) in &ios {
                one.record(u64::from(*at), *latency, u64::from(*bytes), *write);
                threads[usize::from(thread % 3)].record(u64::from(*at), *latency, u64::from(*bytes), *write);
            }
            // Equal ones may be counted together.
            let mut together = new();
            for alike in ios.chunk_by(|a, b| (a.0, a.1, a.2, a.3) == (b.0, b.1, b.2, b.3)) {
                let (at, latency, bytes, write, _) = alike[0];
                together.record_equal(u64::from(at), latency, alike.len() as u32, u64::from(bytes), write);
            }
            let (mut alone, mut merged) = (Intervals::default(), Intervals::default());
            alone.add(one);
            let mut counted_together = Intervals::default();
            counted_together.add(together);
            proptest::prop_assert_eq!(&counted_together, &alone);
            threads.into_iter().for_each(|thread| merged.add(thread));
            proptest::prop_assert_eq!(&merged, &alone);
            for number in 0..12 {
                let of: Vec<_> = ios.iter().filter(|io| u64::from(io.0) / MS == number).collect();
                let Some(interval) = alone.get(number as usize) else { continue };
                let count: u64 = interval.latencies.iter().flatten().map(|(_, n)| n).sum();
                proptest::prop_assert_eq!(count, of.len() as u64);
                let read: u64 = of.iter().filter(|io| !io.3).map(|io| u64::from(io.2)).sum();
                proptest::prop_assert_eq!(interval.read_bytes, read);
            }
        }
    }

    #[test]
    fn full_log_drops_latencies_and_keeps_bytes() {
        let mut log = IntervalLog::new(1, 1, true, 1);
        log.limit = 1000 * HEADER + 5000;
        for interval in 0..1000 {
            for step in 0..100 {
                log.record(interval * MS, 1000 << (step / 10), 4096, false);
                log.record(interval * MS, 1000 + step * 100, 4096, false);
            }
        }
        let mut all = Intervals::default();
        let limit = log.limit;
        let capacity = log.log.capacity();
        assert!(log.log.len() as u64 <= limit && log.log.capacity() == capacity);
        all.add(log);
        assert!(all.get(0).unwrap().percentile(0.5).is_some());
        assert_eq!(all.get(999).unwrap().read_bytes, 200 * 4096);
        let kept = (0..1000).filter(|i| all.get(*i).unwrap().percentile(0.5).is_some()).count();
        assert!((1..1000).contains(&kept), "{kept}");
    }

    #[test]
    fn completions_after_last_interval_are_dropped() {
        let mut log = IntervalLog::new(500, 1, true, 1);
        for at in [0, 499, 500, 999, 1000, 5000] {
            log.record(at * MS, 1000, 1, true);
        }
        let mut all = Intervals::default();
        all.add(log);
        assert_eq!(all.get(0).map(|i| i.write_bytes), Some(2));
        assert_eq!(all.get(1).map(|i| i.write_bytes), Some(2));
        assert_eq!(all.get(2), None);
    }
}
