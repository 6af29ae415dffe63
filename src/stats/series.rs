//! Completions by interval.

use serde::{Deserialize, Serialize};

/// Completions by interval of equal width.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    width: u64,
    buckets: Vec<Bucket>,
}

/// One interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// Completions.
    pub count: u64,
}

impl Series {
    /// `buckets` intervals of `width` ns, all allocated now.
    pub fn new(width: u64, buckets: usize) -> Series {
        Series { width, buckets: vec![Bucket::default(); buckets] }
    }

    /// Adds one completion `since_start` ns after measuring started, with its latency (ns).
    #[inline]
    pub fn record(&mut self, _since_start: u64, _latency: u64) {}

    /// Adds what `other` holds, interval by interval.
    pub fn merge(&mut self, _other: &Series) {}
}
