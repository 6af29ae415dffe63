//! Series added up.

use super::{Moments, Series};
use crate::units::seconds_of_ns;

/// Sum of several series by interval, with all intervals.
#[derive(Debug, Clone, Default)]
pub struct SeriesSum {
    width: u64,
    allocated: u64,
    last: u64,
    /// Intervals from the start; missing ones are empty.
    intervals: Vec<Moments>,
}

impl SeriesSum {
    /// Adds a series of the same width, or an empty one of [`Series::default`].
    pub fn add(&mut self, series: &Series) {
        self.width = self.width.max(series.width);
        self.allocated = self.allocated.max(series.allocated);
        self.last = self.last.max(series.last);
        self.extend_to(series.end() as usize);
        series.filled().for_each(|(number, moments)| self.moments_mut(number).merge(&moments));
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &SeriesSum) {
        self.width = self.width.max(other.width);
        self.allocated = self.allocated.max(other.allocated);
        self.last = self.last.max(other.last);
        self.extend_to(other.intervals.len());
        self.intervals.iter_mut().zip(&other.intervals).for_each(|(mine, theirs)| mine.merge(theirs));
    }

    pub(super) fn moments_mut(&mut self, number: u64) -> &mut Moments {
        self.extend_to(number as usize + 1);
        &mut self.intervals[number as usize]
    }

    fn extend_to(&mut self, count: usize) {
        if self.intervals.len() < count {
            self.intervals.resize(count, Moments::default());
        }
    }

    pub(super) fn pack(self) -> Series {
        Series::pack((self.width, self.allocated, self.last), self.intervals)
    }

    pub fn width(&self) -> u64 {
        self.width
    }

    /// Returns the number of intervals in the configured duration.
    pub fn allocated(&self) -> u64 {
        self.allocated
    }

    /// Returns the number of intervals for statistics: up to the latest completion, including empty ones.
    pub fn valid_count(&self) -> u64 {
        self.last.min(self.allocated)
    }

    /// Returns the counted intervals in order: completions with their latencies in ns.
    pub fn valid(&self) -> impl Iterator<Item = Moments> + '_ {
        let missing = self.valid_count().saturating_sub(self.intervals.len() as u64);
        let empty = std::iter::repeat_n(Moments::default(), missing as usize);
        self.intervals.iter().copied().chain(empty)
    }

    /// Returns the population standard deviation of the I/Os per second over intervals; 0 without intervals.
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
        (distances / valid).sqrt() / seconds_of_ns(self.width)
    }
}

impl Series {
    /// Records an I/O in another interval, which becomes the current one.
    #[cold]
    pub(super) fn record_elsewhere(&mut self, since_start: u64, latency: u64, count: u64) {
        let width = self.width.max(1);
        let number = since_start / width;
        self.close();
        self.last = self.last.max(number.saturating_add(1));
        if number < self.next {
            let mut all = SeriesSum::default();
            all.add(self);
            all.moments_mut(number).record_equal(latency, count);
            *self = all.pack();
            return;
        }
        self.begin = number * width;
        self.open_width = width;
        self.open.record_equal(latency, count);
    }

    /// Adds the content of `other` by interval. Both must have the same width, unless one is empty by
    /// [`Series::default`].
    pub fn merge(&mut self, other: &Series) {
        let mut sum = SeriesSum::default();
        sum.add(self);
        sum.add(other);
        *self = sum.pack();
    }

    /// Returns the population standard deviation of the I/Os per second over intervals; 0 without intervals.
    pub fn iops_std_dev(&self) -> f64 {
        let mut alone = SeriesSum::default();
        alone.add(self);
        alone.iops_std_dev()
    }
}
