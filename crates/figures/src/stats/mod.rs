//! Moments, histogram and series. They are pure, have exact sums, and merge by addition.
//!
//! Latencies are in nanoseconds throughout; reports convert them. "Total" figures are never averages of
//! averages, but are computed from the merged raw data of both directions.

mod base64;
mod counts;
mod error;
mod histogram;
mod interruptions;
mod intervals;
mod median;
mod moments;
mod noise;
pub mod normal;
pub mod outages;
mod packed;
mod periods;
pub mod ranks;
mod relative;
pub mod replicates;
mod scale;
mod segments;
mod series;
mod series_sum;
pub mod shift;
pub mod stalls;
mod steady;
mod stored;
pub mod trend;

pub use counts::{LatencyLog, LatencySeries, LatencySums, PackedCounts};
pub use histogram::Histogram;
pub use interruptions::Interruptions;
pub use intervals::{Interval, IntervalLog, Intervals};
pub use median::median;
pub use moments::Moments;
pub use periods::Periodic;
pub use relative::{change_in_parentheses, relative_change};
pub use scale::Scale;
pub use series::Series;
pub use series_sum::SeriesSum;
pub use steady::{Level, MAX_EXCURSION, MIN_INTERVALS, SeriesShape, Shape, beyond_window, is_flat};

/// Maximum change of the regression line over the rounds of a steady window, as a share of their mean
/// (SNIA PTS). Smaller changes of level, and interruptions with a smaller effect on the mean, are ignored
/// regardless of significance.
pub const MAX_SLOPE: f64 = 0.10;
