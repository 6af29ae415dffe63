//! How little counts as a change, and as noise; how many runs show one.

/// Minimum number of runs in a level; fewer could be a burst.
pub const SHORTEST_LEVEL: usize = 8;
pub const FEWEST_RUNS: usize = 2 * SHORTEST_LEVEL;
/// Minimum difference of neighbouring levels, as a share; smaller ones are irrelevant in practice.
pub const LEAST_CHANGE: f64 = 0.02;
pub(super) const LEAST_NOISE: f64 = 0.005;
