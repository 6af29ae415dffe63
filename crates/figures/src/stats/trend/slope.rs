//! A level that drifts.

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    pub from: f64,
    pub to: f64,
}
