//! A bounded latency histogram with exact moments.

use super::packed::{pop, push};
use super::{Moments, Scale};

/// 512 buckets per octave: the middle of one is at most 1/1024 off. Latencies from 2^40 ns (18 minutes) on
/// share the last.
type Buckets = Scale<9, 0, 40>;

pub(super) const BUCKETS: usize = Buckets::CELLS;

/// Latencies in nanoseconds, log-linear, with each octave divided into 512 buckets of equal width.
///
/// Below 1024 ns every latency has a separate bucket. Above, a latency reads back as the middle of its
/// bucket, at most 0.1 % off. Count, sums, minimum and maximum are exact. Latencies from 18 minutes share
/// the last bucket, which reads back as the maximum. The size is fixed, 128 KiB. Pages without latencies
/// are never touched, which matters for hundreds of threads and targets with two histograms each.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    /// Counts by [`index`]; all buckets or none.
    counts: Vec<u64>,
    pub(super) moments: Moments,
    /// The buckets in their stored form (`pack_cells`), if there are no `counts`. A record with thousands of
    /// histograms that is read for a report therefore takes no more memory than its text.
    stored: Box<[u8]>,
}

/// Compares contents, whether or not memory is allocated.
impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.moments == other.moments && self.filled().eq(other.filled())
    }
}

impl Eq for Histogram {}

impl Histogram {
    /// Creates an empty histogram with all its memory, so that recording never allocates;
    /// [`Histogram::default`] allocates on the first value.
    pub fn new() -> Histogram {
        Histogram { counts: vec![0; BUCKETS], ..Histogram::default() }
    }

    /// Adds one latency in ns.
    #[inline]
    pub fn record(&mut self, nanos: u64) {
        self.moments.record(nanos);
        self.count(nanos, 1);
    }

    /// Adds `count` equal latencies, at least one, in ns.
    #[inline]
    pub fn record_equal(&mut self, nanos: u64, count: u64) {
        self.moments.record_equal(nanos, count);
        self.count(nanos, count);
    }

    #[inline]
    fn count(&mut self, nanos: u64, count: u64) {
        match self.counts.get_mut(index(nanos)) {
            Some(counted) => *counted += count,
            None => self.allocate_and_count(nanos, count),
        }
    }

    #[cold]
    fn allocate_and_count(&mut self, nanos: u64, count: u64) {
        self.allocate_buckets();
        self.counts[index(nanos)] += count;
    }

    /// Allocates all buckets.
    fn allocate_buckets(&mut self) {
        if self.counts.is_empty() {
            let stored = std::mem::take(&mut self.stored);
            self.counts = vec![0; BUCKETS];
            unpack_buckets(&stored).for_each(|(bucket, count)| self.counts[bucket] = count);
        }
    }

    /// Restores a stored histogram after checks of its buckets.
    pub(super) fn of_stored(moments: Moments, stored: Vec<u8>) -> Histogram {
        Histogram { moments, stored: stored.into(), ..Histogram::default() }
    }

    /// Returns the non-empty buckets, ascending, as pairs of distance and count.
    pub(super) fn pack_cells(&self) -> Vec<u8> {
        pack(self.filled())
    }

    /// Adds the content of `other`, with the same result as recording its latencies here.
    pub fn merge(&mut self, other: &Histogram) {
        if other.moments.count == 0 {
            return;
        }
        if self.moments.count == 0 && self.counts.is_empty() && other.counts.is_empty() {
            *self = other.clone();
            return;
        }
        self.allocate_buckets();
        for (index, count) in other.filled() {
            self.counts[index] = self.counts[index].saturating_add(count);
        }
        self.moments.merge(&other.moments);
    }

    /// Returns the exact count, mean, deviation, minimum and maximum.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Returns the smallest latency (ns) not exceeded by at least the share `p` of all latencies. This is
    /// the first bucket with a cumulated count of at least `p * count`, compared as doubles, without
    /// interpolation. 0 is the minimum, 1 the maximum. `None` if empty.
    pub fn percentile(&self, p: f64) -> Option<u64> {
        let (min, max) = (self.moments.min()?, self.moments.max()?);
        if p <= 0.0 {
            return Some(min);
        }
        let wanted = p * self.moments.count as f64;
        let mut cumulated = 0u64;
        for (index, count) in self.filled() {
            cumulated = cumulated.saturating_add(count);
            if p < 1.0 && cumulated as f64 >= wanted {
                return Some(bucket_middle(index).clamp(min, max));
            }
        }
        debug_assert_eq!(cumulated, self.moments.count, "the buckets hold all that was counted");
        Some(max)
    }

    /// Returns the number of latencies longer than `nanos`, except those in the same bucket.
    pub fn longer_than(&self, nanos: u64) -> u64 {
        let longer = self.filled().filter(|(bucket, _)| *bucket > index(nanos));
        longer.fold(0, |sum, (_, count)| sum.saturating_add(count))
    }

    /// Returns the number of distinct latencies in units of 100 ns, DISKSPD's clock. It is exact below 51
    /// us, where buckets are narrower than a unit. Above, latencies in the same bucket count once, so it
    /// is a lower bound.
    pub fn distinct(&self) -> usize {
        let mut ticks: Vec<u64> = self.filled().map(|(index, _)| (bucket_middle(index) + 50) / 100).collect();
        ticks.dedup();
        ticks.len()
    }

    /// (bucket, count) of every bucket that holds something, ascending. Looks only where something can be:
    /// reading an untouched page costs a page fault.
    pub(super) fn filled(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let (first, last) = (index(self.moments.min), index(self.moments.max));
        // Empty: the minimum is above the maximum, and that's no range.
        let counts = self.counts.get(first..=last).unwrap_or_default();
        let counted = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        unpack_buckets(&self.stored).chain(counted.map(move |(i, count)| (first + i, *count)))
    }
}

/// Packs ascending buckets with their counts for storage.
pub(super) fn pack(buckets: impl Iterator<Item = (usize, u64)>) -> Vec<u8> {
    let (mut packed, mut next) = (Vec::new(), 0);
    for (bucket, count) in buckets {
        push(&mut packed, (bucket - next) as u64);
        push(&mut packed, count);
        next = bucket + 1;
    }
    packed
}

/// Unpacks (bucket, count) of stored buckets that were checked.
fn unpack_buckets(stored: &[u8]) -> impl Iterator<Item = (usize, u64)> + '_ {
    let (mut rest, mut next) = (stored.iter(), 0);
    std::iter::from_fn(move || {
        let bucket = next + pop(&mut rest)? as usize;
        next = bucket + 1;
        Some((bucket, pop(&mut rest)?))
    })
}

#[inline]
pub(super) fn index(nanos: u64) -> usize {
    Buckets::cell(nanos)
}

/// Returns the first and the last latency of a bucket in ns.
pub(super) fn bounds(index: usize) -> (u64, u64) {
    let first = Buckets::first(index);
    let last = if index + 1 < BUCKETS { first + (Buckets::width(index) - 1) } else { u64::MAX };
    (first, last)
}

fn bucket_middle(index: usize) -> u64 {
    let (first, last) = bounds(index);
    first + (last - first) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_below_1024_ns_is_exact() {
        for nanos in 0..1024 {
            assert_eq!(bounds(index(nanos)), (nanos, nanos));
        }
        assert_eq!(bounds(index(1024)), (1024, 1025));
    }

    #[test]
    fn the_last_bucket_begins_below_18_minutes() {
        assert_eq!(index(1 << 40), BUCKETS - 1);
        assert_eq!(index((1 << 40) - 1), BUCKETS - 1);
        assert_eq!(index((1 << 40) - (1 << 30)), BUCKETS - 1);
        assert_eq!(index((1 << 40) - (1 << 30) - 1), BUCKETS - 2);
        assert_eq!(bounds(BUCKETS - 1).1, u64::MAX);
        assert_eq!(BUCKETS * size_of::<u64>(), 128 * 1024);
    }
}
