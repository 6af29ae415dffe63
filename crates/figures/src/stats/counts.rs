//! Counts and summed latencies in intervals of the same length, stored packed.

use super::Moments;
use super::base64::Packed;
use super::packed::{pop, push};
use crate::units::Millis;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Maximum number of intervals in a stored record; larger values indicate a damaged file.
const MAX_INTERVALS: usize = 1 << 20;

/// Numbers, one for each interval; stored as text (base64 of numbers of seven bits a byte, the lowest first).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackedCounts(pub Vec<u64>);

impl Serialize for PackedCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut packed = Vec::with_capacity(self.0.len());
        self.0.iter().for_each(|count| push(&mut packed, *count));
        Packed(packed.into()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PackedCounts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PackedCounts, D::Error> {
        let packed = Packed::deserialize(deserializer)?;
        let mut rest = packed.0.iter();
        let mut counts = Vec::new();
        while !rest.as_slice().is_empty() {
            counts.push(
                pop(&mut rest).ok_or_else(|| D::Error::custom("a list of counts ends within a number"))?,
            );
            if counts.len() > MAX_INTERVALS {
                return Err(D::Error::custom(format!("more than {MAX_INTERVALS} intervals")));
            }
        }
        Ok(PackedCounts(counts))
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LatencySums {
    pub ios: u64,
    pub sum_ns: u64,
    pub squares_us2: u64,
}

impl LatencySums {
    fn moments_between(now: &Moments, before: &Moments) -> LatencySums {
        let number = |value: u128| u64::try_from(value).unwrap_or(u64::MAX);
        LatencySums {
            ios: now.count.saturating_sub(before.count),
            sum_ns: number(now.sum.saturating_sub(before.sum)),
            squares_us2: number(now.squares.saturating_sub(before.squares) / 1_000_000),
        }
    }

    fn merge(&mut self, other: &LatencySums) {
        self.ios = self.ios.saturating_add(other.ios);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.squares_us2 = self.squares_us2.saturating_add(other.squares_us2);
    }

    /// Returns the mean latency; `None` = no I/O.
    pub fn mean(&self) -> Option<Millis> {
        (self.ios > 0).then(|| Millis::of_mean_ns(self.sum_ns as f64 / self.ios as f64))
    }

    /// Returns the mean square of the latencies in ms²; `None` = no I/O.
    pub fn mean_square_ms2(&self) -> Option<f64> {
        (self.ios > 0).then(|| self.squares_us2 as f64 / self.ios as f64 / 1e6)
    }
}

/// Latencies of a time span by interval, over all threads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LatencySeries {
    /// Length of an interval in µs.
    pub width_us: u64,
    /// Intervals from the start of the measurement; the last one may be shorter.
    pub intervals: Vec<LatencySums>,
}

#[derive(Serialize, Deserialize)]
struct StoredLatencySeries {
    width_us: u64,
    packed: PackedCounts,
}

impl Serialize for LatencySeries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let numbers = self.intervals.iter().flat_map(|sums| [sums.ios, sums.sum_ns, sums.squares_us2]);
        let packed = PackedCounts(numbers.collect());
        StoredLatencySeries { width_us: self.width_us, packed }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LatencySeries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LatencySeries, D::Error> {
        let StoredLatencySeries { width_us, packed } = StoredLatencySeries::deserialize(deserializer)?;
        let (whole, rest) = packed.0.as_chunks::<3>();
        if !rest.is_empty() {
            return Err(D::Error::custom("the course of latencies ends within an interval"));
        }
        let sums = |&[ios, sum_ns, squares_us2]: &[u64; 3]| LatencySums { ios, sum_ns, squares_us2 };
        Ok(LatencySeries { width_us, intervals: whole.iter().map(sums).collect() })
    }
}

impl LatencySeries {
    pub fn add(&mut self, log: LatencyLog) {
        self.width_us = log.width / 1000;
        if self.intervals.len() < log.intervals.len() {
            self.intervals.resize(log.intervals.len(), LatencySums::default());
        }
        self.intervals.iter_mut().zip(&log.intervals).for_each(|(sum, theirs)| sum.merge(theirs));
    }
}

/// More intervals than this are not kept: of longer time spans they are longer than a second.
const MAX_ENTRIES: u64 = 4096;

/// Latencies of one thread over time. The sums are evaluated at the end of an interval, not after each
/// I/O.
#[derive(Debug)]
pub struct LatencyLog {
    /// Length of an interval in ns.
    width: u64,
    end: u64,
    before: Moments,
    intervals: Vec<LatencySums>,
}

impl LatencyLog {
    /// Creates a log for a time span of `duration_s` s, with all its memory.
    pub fn new(duration_s: u32) -> LatencyLog {
        let seconds = u64::from(duration_s).div_ceil(MAX_ENTRIES).max(1);
        let width = seconds * 1_000_000_000;
        // Late values are counted in an additional interval.
        let kept = u64::from(duration_s).div_ceil(seconds) + 1;
        LatencyLog {
            width,
            end: width,
            before: Moments::default(),
            intervals: Vec::with_capacity(kept as usize),
        }
    }

    /// Whether the current interval has ended at `since_start` ns after the start of the measurement.
    #[inline(always)]
    pub fn is_over(&self, since_start: u64) -> bool {
        since_start >= self.end
    }

    /// Closes the current interval; `all` contains all latencies before `since_start`.
    pub fn close(&mut self, since_start: u64, all: &Moments) {
        self.put_interval(all);
        // Nothing was completed in those between. What comes behind the last one belongs to it.
        while self.end <= since_start && self.intervals.len() < self.intervals.capacity() {
            self.end += self.width;
            if self.end <= since_start {
                self.put_interval(all);
            }
        }
        if self.end <= since_start {
            self.end = u64::MAX;
        }
    }

    pub fn finish(mut self, all: &Moments) -> LatencyLog {
        self.put_interval(all);
        self
    }

    fn put_interval(&mut self, all: &Moments) {
        if self.intervals.len() < self.intervals.capacity() {
            self.intervals.push(LatencySums::moments_between(all, &self.before));
            self.before = *all;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn sample_moments(latencies: &[u64]) -> Moments {
        let mut all = Moments::default();
        latencies.iter().for_each(|latency| all.record(*latency));
        all
    }

    #[test]
    fn ios_are_counted_in_their_interval() {
        let mut log = LatencyLog::new(5);
        assert!(!log.is_over(SECOND - 1) && log.is_over(SECOND));
        log.close(SECOND, &sample_moments(&[1_000_000]));
        assert!(!log.is_over(2 * SECOND - 1));
        // Nothing for two seconds and more.
        log.close(4 * SECOND + 1, &sample_moments(&[1_000_000, 3_000_000, 5_000_000]));
        let log = log.finish(&sample_moments(&[1_000_000, 3_000_000, 5_000_000, 7_000_000]));
        let sums = |ios, sum_ns, squares_us2| LatencySums { ios, sum_ns, squares_us2 };
        let expected = [
            sums(1, 1_000_000, 1_000_000),
            sums(2, 8_000_000, 34_000_000),
            sums(0, 0, 0),
            sums(0, 0, 0),
            sums(1, 7_000_000, 49_000_000),
        ];
        assert_eq!(log.intervals, expected);
        let mut course = LatencySeries::default();
        course.add(log);
        course.add(LatencyLog::new(5).finish(&sample_moments(&[1_000_000])));
        assert_eq!(course.intervals[0], sums(2, 2_000_000, 2_000_000));
        let stored = serde_json::to_string(&course).unwrap();
        assert_eq!(serde_json::from_str::<LatencySeries>(&stored).unwrap(), course);
        assert!(serde_json::from_str::<LatencySeries>(r#"{"width_us":1,"packed":"AQI="}"#).is_err());
        assert!(serde_json::from_str::<PackedCounts>(r#""gA==""#).is_err());
    }

    #[test]
    fn latency_log_stays_within_reserved_memory() {
        for (duration, width) in [(0, 1), (1, 1), (4096, 1), (4097, 2), (u32::MAX, 1_048_576)] {
            let mut log = LatencyLog::new(duration);
            let capacity = log.intervals.capacity();
            assert_eq!(log.width, width * SECOND);
            assert!((1..=4098).contains(&capacity), "{duration}: {capacity}");
            log.close(u64::MAX / 2, &sample_moments(&[5]));
            assert!(log.intervals.len() <= capacity && !log.is_over(u64::MAX - 1));
            assert_eq!(log.finish(&sample_moments(&[5])).intervals.capacity(), capacity);
        }
    }
}
