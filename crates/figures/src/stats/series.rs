//! Completions by interval.

use super::Moments;
use super::error::StoredError;
use super::packed::{pop_moments, push_moments};
use std::borrow::Cow;

/// Number of intervals with reserved memory; a longer series grows during recording.
const RESERVED: u64 = 1 << 20;
/// Bytes reserved for each: the most that 2^32 I/Os of up to 18 minutes take. Pages that are not written
/// cost nothing.
const RESERVED_EACH: u64 = 48;

/// Completions by interval of equal width (`-D`). An I/O belongs entirely to its completion interval.
///
/// Each thread has two of these for each of its targets: 256 threads, 64 targets and an hour of seconds
/// are 118 million intervals. Only the current interval is kept in full; it is packed into a log when the
/// next interval begins.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// Width of an interval in ns; 0 = default value, empty.
    pub(super) width: u64,
    pub(super) allocated: u64,
    /// Index after the interval of the latest completion, counted or not.
    pub(super) last: u64,
    /// Start of the current interval in ns.
    pub(super) begin: u64,
    pub(super) open_width: u64,
    pub(super) open: Moments,
    /// Number of earlier counted intervals with completions, see [`push_moments`].
    log: Vec<u8>,
    /// Index after the last interval of the log.
    pub(super) next: u64,
}

impl PartialEq for Series {
    fn eq(&self, other: &Self) -> bool {
        (self.width, self.allocated, self.last) == (other.width, other.allocated, other.last)
            && self.filled().eq(other.filled())
    }
}

impl Eq for Series {}

impl Series {
    /// Creates a series of intervals of `width_ms` ms (at least 1) for a duration of `duration_s` s.
    /// Completions after the last started interval are not counted. Memory is reserved here, so recording
    /// does not allocate below a million intervals.
    pub fn new(width_ms: u32, duration_s: u32) -> Series {
        let mut series = Series::empty_series(width_ms, duration_s);
        // Without memory now it grows as it goes.
        let _ = series.log.try_reserve_exact((series.allocated.min(RESERVED) * RESERVED_EACH) as usize);
        series
    }

    /// The series of these intervals from the first one, with empty ones for missing intervals, in the
    /// minimum of memory.
    pub(super) fn pack(
        (width, allocated, last): (u64, u64, u64),
        intervals: impl IntoIterator<Item = Moments>,
    ) -> Series {
        let mut series = Series { width, allocated, last, ..Series::default() };
        for (number, moments) in (0..allocated).zip(intervals).filter(|(_, moments)| moments.count > 0) {
            push_moments(&mut series.log, number - series.next, &moments);
            series.next = number + 1;
        }
        series.log.shrink_to_fit();
        series
    }

    /// Adds one completion `since_start` ns after measuring started (0 if earlier), with its latency (ns).
    /// Completions in an earlier interval than the last one are allowed, but take time and memory.
    #[inline]
    pub fn record(&mut self, since_start: u64, latency: u64) {
        self.record_equal(since_start, latency, 1);
    }

    /// Adds `count` completions, at least one, with the same time and latency.
    #[inline]
    pub fn record_equal(&mut self, since_start: u64, latency: u64, count: u64) {
        match since_start.wrapping_sub(self.begin) < self.open_width {
            true => self.open.record_equal(latency, count),
            false => self.record_elsewhere(since_start, latency, count),
        }
    }

    /// Returns the non-empty counted intervals, packed as in the log.
    pub(super) fn pack_cells(&self) -> Cow<'_, [u8]> {
        match self.current_interval() {
            None => Cow::Borrowed(&self.log),
            Some((number, moments)) => {
                let mut log = self.log.clone();
                push_moments(&mut log, number - self.next, &moments);
                Cow::Owned(log)
            }
        }
    }

    /// Unpacks a series and calls `check` for each interval.
    ///
    /// # Errors
    /// Fails with the error of `check`, or if the data is not a valid series.
    pub(super) fn unpack(
        (width, allocated, last): (u64, u64, u64),
        mut log: Vec<u8>,
        check: impl Fn(&Moments) -> Result<(), StoredError>,
    ) -> Result<Series, StoredError> {
        let (mut rest, mut next) = (log.iter(), 0u64);
        while !rest.as_slice().is_empty() {
            let (distance, moments) = pop_moments(&mut rest).ok_or(StoredError::CutSeries)?;
            let number = next.saturating_add(distance);
            if number >= last.min(allocated) {
                return Err(StoredError::NoInterval(number));
            }
            check(&moments)?;
            next = number + 1;
        }
        log.shrink_to_fit();
        Ok(Series { width, allocated, last, log, next, ..Series::default() })
    }

    pub(super) fn close(&mut self) {
        if let Some((number, moments)) = self.current_interval() {
            push_moments(&mut self.log, number - self.next, &moments);
            self.next = number + 1;
        }
        self.open_width = 0;
        self.open = Moments::default();
    }

    /// Returns the current interval, if it counts.
    fn current_interval(&self) -> Option<(u64, Moments)> {
        let number = self.begin.checked_div(self.open_width)?;
        (number < self.allocated).then_some((number, self.open))
    }

    /// Returns the index after the last counted interval with completions.
    pub(super) fn end(&self) -> u64 {
        self.current_interval().map_or(self.next, |(number, _)| number + 1)
    }

    /// Returns the non-empty counted intervals with their numbers, ascending.
    pub(super) fn filled(&self) -> impl Iterator<Item = (u64, Moments)> + '_ {
        let (mut log, mut next) = (self.log.iter(), 0);
        let packed = std::iter::from_fn(move || {
            let (distance, moments) = pop_moments(&mut log)?;
            let number = next + distance;
            next = number + 1;
            Some((number, moments))
        });
        packed.chain(self.current_interval())
    }

    pub fn part(&self, first: u64, count: u64) -> Series {
        let last = self.last.saturating_sub(first).min(count);
        let skipped = usize::try_from(first).unwrap_or(usize::MAX);
        Series::pack((self.width, count, last), self.valid().skip(skipped))
    }

    /// Whether this series has the shape of [`Series::new`] with these values.
    pub fn has_shape(&self, width_ms: u32, duration_s: u32) -> bool {
        let other = Series::empty_series(width_ms, duration_s);
        (self.width, self.allocated) == (other.width, other.allocated)
    }

    fn empty_series(width_ms: u32, duration_s: u32) -> Series {
        let width_ms = u64::from(width_ms.max(1));
        let allocated = (u64::from(duration_s) * 1000).div_ceil(width_ms);
        Series { width: width_ms * 1_000_000, allocated, ..Series::default() }
    }

    pub fn width(&self) -> u64 {
        self.width
    }

    /// Returns the number of intervals for statistics: up to the latest completion, including empty ones.
    pub fn valid_count(&self) -> u64 {
        self.last.min(self.allocated)
    }

    /// Returns the number of counted intervals that begin in the first `ns` nanoseconds.
    pub fn begun_count(&self, ns: u64) -> u64 {
        if self.width > 0 { ns.div_ceil(self.width).min(self.allocated) } else { 0 }
    }

    /// Returns the counted intervals in order: completions with their latencies in ns.
    pub fn valid(&self) -> impl Iterator<Item = Moments> + '_ {
        let mut filled = self.filled().peekable();
        (0..self.valid_count()).map(move |number| {
            filled.next_if(|(next, _)| *next == number).map(|(_, moments)| moments).unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn recording_in_time_order_allocates_nothing() {
        let mut series = Series::new(1, 1);
        let capacity = series.log.capacity();
        for interval in 0..1000 {
            // As many I/Os as one interval may have, of latencies that take the most bytes.
            series.record(interval * MS, (1 << 40) - 1);
            series.open.merge(&Moments {
                count: u64::from(u32::MAX),
                min: 1 << 39,
                max: (1 << 40) - 1,
                sum: (1 << 72) - (1 << 41),
                squares: (1 << 112) - (1 << 81),
            });
        }
        series.record(1000 * MS, 1);
        assert_eq!(series.log.capacity(), capacity);
        assert!(series.log.len() as u64 > 1000 * (RESERVED_EACH - 4), "{}", series.log.len());
    }

    #[test]
    fn part_intervals_are_renumbered() {
        let mut series = Series::new(1, 1);
        [1, 3, 3, 4, 7].iter().for_each(|ms| series.record(ms * MS, 10 * ms));
        let counts = |part: &Series| part.valid().map(|interval| interval.count).collect::<Vec<_>>();
        for (first, count, expected) in
            [(0, 1000, vec![0, 1, 0, 2, 1, 0, 0, 1]), (3, 3, vec![2, 1, 0]), (7, 2, vec![1]), (9, 5, vec![])]
        {
            assert_eq!(counts(&series.part(first, count)), expected, "{first} {count}");
        }
        assert_eq!(series.part(0, 1000), series);
    }

    #[test]
    fn empty_intervals_take_no_bytes() {
        let mut series = Series::new(1, 1);
        (0..1000).for_each(|interval| series.record(interval * MS, 100_000));
        assert!(series.log.len() <= 5 * 1000, "one I/O: {}", series.log.len());
        let mut series = Series::new(1, 1);
        (0..8000).for_each(|io| series.record(io * MS / 8, 80_000 + 6007 * io % 40_000));
        assert!(series.log.len() <= 18 * 1000, "eight I/Os: {}", series.log.len());
        let mut series = Series::new(1, 1);
        [0, 999].into_iter().for_each(|interval| series.record(interval * MS, 1));
        assert!(series.log.len() <= 8, "two of a thousand intervals: {}", series.log.len());
        assert_eq!(series.valid().filter(|moments| moments.count() > 0).count(), 2);
    }
}
