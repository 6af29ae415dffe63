//! How little counts as a change, and as noise; how many runs show one.

/// Fewer runs than this are no level: they could be a burst.
pub const SHORTEST_LEVEL: usize = 8;
pub const FEWEST_RUNS: usize = 2 * SHORTEST_LEVEL;
/// Neighbouring levels nearer than this, as a share, are one: nobody would act on the difference.
pub const LEAST_CHANGE: f64 = 0.02;
/// Noise below this share of the level is taken for so much.
pub(super) const LEAST_NOISE: f64 = 0.005;
