//! A level that drifts.

/// A line through all runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}
