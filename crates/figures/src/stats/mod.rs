//! Moments, histogram and series: pure, exact in what they add up, mergeable by addition.
//!
//! Latencies are nanoseconds throughout; reports convert. "Total" figures are never averages of averages:
//! the raw data of both directions are merged and the figure is derived anew.

mod base64;
mod counts;
mod fault;
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

pub use counts::{LatencyCourse, LatencyLog, LatencySums, PackedCounts};
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
pub use steady::{Course, FEWEST, LARGEST_EXCURSION, Level, Shape, beyond_window, is_flat};

/// Largest change of the line through the rounds of a steady window, share of their mean (SNIA PTS).
/// Smaller changes of level, and interruptions that change the mean by less, are none here either, however
/// sure they are.
pub const LARGEST_SLOPE: f64 = 0.10;
