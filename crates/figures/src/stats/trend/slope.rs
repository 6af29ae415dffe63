//! A level that drifts.

/// A line through all runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    pub from: f64,
    pub to: f64,
}
