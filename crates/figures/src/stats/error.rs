//! Errors in stored statistics.

use super::histogram::BUCKETS;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum StoredError {
    /// Impossible moments: count, minimum, maximum, sum, sum of squares.
    #[error("count {0}, minimum {1}, maximum {2}, sum {3} and sum of squares {4} contradict each other")]
    Moments(u64, u64, u64, u128, u128),
    #[error("the histogram ends within a bucket")]
    CutHistogram,
    #[error("there is no histogram bucket {bucket}, the last one is {}", BUCKETS - 1)]
    NoBucket { bucket: usize },
    /// Bucket that is never stored.
    #[error("histogram bucket {0} is empty or out of order")]
    Bucket(usize),
    /// Counts exceed 64 bits.
    #[error("the histogram's counts are too large")]
    LargeCounts,
    #[error("the histogram's buckets hold {found} latencies, not {expected}")]
    Count { found: u64, expected: u64 },
    #[error("the histogram's first and last bucket are not the buckets of its minimum and maximum")]
    Ends,
    /// Sum in ns that contradicts the buckets.
    #[error("the histogram's buckets cannot add up to {0} ns")]
    Sum(u128),
    #[error("the series ends within an interval")]
    CutSeries,
    #[error("the series has no interval {0}")]
    NoInterval(u64),
}
