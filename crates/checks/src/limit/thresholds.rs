//! Thresholds for limiting factors.

/// A thread that was on a CPU, or ready to be, for so long had no time left to wait for the storage.
pub(super) const SATURATED: f64 = 0.95;
/// Minimum share of user time that makes the program the limit.
pub(super) const MAJORITY_SHARE: f64 = 0.5;
/// Minimum relevant share of throttled time.
pub(super) const STOPPED: f64 = 0.05;
/// Minimum relevant share of throttled periods.
pub(super) const STOPPED_PERIODS: f64 = 0.1;
pub(super) const REACHED_SHARES: std::ops::RangeInclusive<f64> = 0.95..=1.1;
/// Minimum window in ns for CPU times.
pub(super) const MIN_WINDOW: u64 = 500_000_000;
