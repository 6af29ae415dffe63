//! Completions by interval.

use super::Moments;

/// Intervals that memory is reserved for; a longer series grows while it is recorded.
const RESERVED: u64 = 1 << 20;

/// Completions by interval of equal width (`-D`). An I/O belongs entirely to the interval it completed in.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// Width of an interval, ns; 0 = never constructed, empty.
    pub(super) width: u64,
    /// Number of intervals that count.
    pub(super) allocated: u64,
    /// One more than the interval of the latest completion, counted or not.
    pub(super) last: u64,
    /// The first intervals; those missing are empty.
    pub(super) intervals: Vec<Moments>,
}

/// Equal contents, whatever is allocated.
impl PartialEq for Series {
    fn eq(&self, other: &Self) -> bool {
        (self.width, self.allocated, self.last) == (other.width, other.allocated, other.last)
            && self.valid().eq(other.valid())
    }
}

impl Eq for Series {}

impl Series {
    /// A series of intervals of `width_ms` ms (at least 1) over a configured duration of `duration_s` s. What completes
    /// after the last whole or begun interval is not counted. Memory is reserved here, so that recording
    /// doesn't allocate below a million intervals.
    pub fn new(width_ms: u32, duration_s: u32) -> Series {
        let mut series = Series::shape(width_ms, duration_s);
        // Without memory now it grows as it goes; reserved pages cost nothing until they are written.
        let _ = series.intervals.try_reserve_exact(series.allocated.min(RESERVED) as usize);
        series
    }

    /// Adds one completion `since_start` ns after measuring started (0 if it was before), with its latency (ns).
    #[inline]
    pub fn record(&mut self, since_start: u64, latency: u64) {
        let index = since_start / self.width.max(1);
        self.last = self.last.max(index.saturating_add(1));
        if index >= self.allocated {
            return;
        }
        let index = index as usize;
        if index >= self.intervals.len() {
            self.intervals.resize(index + 1, Moments::default());
        }
        self.intervals[index].record(latency);
    }

    /// Adds what `other` holds, interval by interval. Both have the same width, or one is empty by
    /// [`Series::default`].
    pub fn merge(&mut self, other: &Series) {
        self.width = self.width.max(other.width);
        self.allocated = self.allocated.max(other.allocated);
        self.last = self.last.max(other.last);
        if self.intervals.len() < other.intervals.len() {
            self.intervals.resize(other.intervals.len(), Moments::default());
        }
        for (mine, theirs) in self.intervals.iter_mut().zip(&other.intervals) {
            mine.merge(theirs);
        }
    }

    /// Whether this is a series as [`Series::new`] makes it of the same values.
    pub fn has_shape(&self, width_ms: u32, duration_s: u32) -> bool {
        let other = Series::shape(width_ms, duration_s);
        (self.width, self.allocated) == (other.width, other.allocated)
    }

    /// A series without memory.
    fn shape(width_ms: u32, duration_s: u32) -> Series {
        let width_ms = u64::from(width_ms.max(1));
        let allocated = (u64::from(duration_s) * 1000).div_ceil(width_ms);
        Series { width: width_ms * 1_000_000, allocated, ..Series::default() }
    }

    /// Width of an interval, ns.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// Number of intervals that count for statistics: up to the latest completion, empty ones included.
    pub fn valid_count(&self) -> u64 {
        self.last.min(self.allocated)
    }

    /// The intervals that count, in order: completions and their latencies (ns).
    pub fn valid(&self) -> impl Iterator<Item = Moments> + '_ {
        let missing = self.valid_count().saturating_sub(self.intervals.len() as u64);
        let empty = std::iter::repeat_n(Moments::default(), missing as usize);
        self.intervals.iter().copied().chain(empty)
    }

    /// Population standard deviation of the completions per interval, in I/Os per second. 0 if no interval counts.
    pub fn iops_std_dev(&self) -> f64 {
        let valid = self.valid_count() as f64;
        if valid == 0.0 {
            return 0.0;
        }
        let counts = || self.intervals.iter().map(|interval| interval.count as f64);
        let mean = counts().sum::<f64>() / valid;
        let missing = valid - self.intervals.len() as f64;
        let distances: f64 =
            counts().map(|count| (count - mean).powi(2)).sum::<f64>() + missing * mean * mean;
        (distances / valid).sqrt() / (self.width as f64 / 1e9)
    }
}
