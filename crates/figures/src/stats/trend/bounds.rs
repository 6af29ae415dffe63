//! Bounds of a trend: the smallest change, the noise, and the number of runs that show a change.

/// Minimum number of runs in a level; fewer could be a burst.
pub const MIN_LEVEL: usize = 8;
pub const MIN_RUNS: usize = 2 * MIN_LEVEL;
/// Minimum difference of neighbouring levels, as a share; smaller ones are irrelevant in practice.
pub const MIN_CHANGE: f64 = 0.02;
pub(super) const MIN_NOISE: f64 = 0.005;
