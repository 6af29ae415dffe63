//! Histogram and series: pure, mergeable by addition.

mod histogram;
mod series;

pub use histogram::Histogram;
pub use series::{Bucket, Series};
