//! Count, sums and extremes of a set of latencies, in exact integers.

/// Summary of a set of latencies. All times are nanoseconds.
///
/// Sums are integers, so merging is exact in any order and the deviation has no cancellation error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moments {
    pub(super) count: u64,
    pub(super) min: u64,
    pub(super) max: u64,
    pub(super) sum: u128,
    pub(super) squares: u128,
}

impl Default for Moments {
    fn default() -> Self {
        // An empty set's minimum is the neutral element of `min`: recording needs no branch.
        Moments { count: 0, min: u64::MAX, max: 0, sum: 0, squares: 0 }
    }
}

impl Moments {
    /// Adds one latency in ns.
    #[inline]
    pub fn record(&mut self, nanos: u64) {
        let wide = u128::from(nanos);
        self.count += 1;
        self.min = self.min.min(nanos);
        self.max = self.max.max(nanos);
        self.sum += wide;
        self.squares = self.squares.saturating_add(wide * wide);
    }

    /// Adds `count` equal latencies, at least one, in ns.
    #[inline]
    pub fn record_equal(&mut self, nanos: u64, count: u64) {
        let (wide, many) = (u128::from(nanos), u128::from(count));
        self.count += count;
        self.min = self.min.min(nanos);
        self.max = self.max.max(nanos);
        self.sum += wide * many; // 2^64 latencies of 2^64 ns fit
        self.squares = self.squares.saturating_add((wide * wide).saturating_mul(many));
    }

    /// Adds the content of `other`. An empty `other` has no effect, also not on the extremes.
    pub fn merge(&mut self, other: &Moments) {
        self.count = self.count.saturating_add(other.count);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum = self.sum.saturating_add(other.sum);
        self.squares = self.squares.saturating_add(other.squares);
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the minimum in ns; `None` = empty.
    pub fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// Returns the maximum in ns; `None` = empty.
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// Returns the arithmetic mean in ns; `None` = empty.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Returns the population standard deviation in ns; `None` if empty.
    ///
    /// With `S` the sum, `Q` the sum of squares and `S = n m + r`, the squared distances from the whole
    /// number `m` add up to `D = Q - m (S + r)`. The squared distances from the true mean add up to `D -
    /// r^2 / n`. All of it is exact. `Q / n - mean^2` in floating point would lose every digit of a small
    /// deviation of long latencies.
    pub fn std_dev(&self) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        let n = u128::from(self.count);
        let (m, r) = (self.sum / n, self.sum % n);
        let distances = self.squares.saturating_sub(m.saturating_mul(self.sum.saturating_add(r)));
        let variance = match distances.checked_mul(n) {
            Some(scaled) => scaled.saturating_sub(r * r) as f64 / (n * n) as f64,
            // So large that the fraction of a nanosecond in the mean no longer matters.
            None => distances as f64 / n as f64,
        };
        Some(variance.sqrt())
    }
}
