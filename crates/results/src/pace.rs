//! Progress of a time span, observed outside the workers.

use diskspd_figures::stats::PackedCounts;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Time of the sample in µs since the start of the measurement.
    pub end_us: u64,
    pub ios: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickCounts {
    /// Length of a tick in µs.
    pub width_us: u64,
    /// Completed I/Os of each tick since the start of the measurement.
    pub ios: PackedCounts,
}

/// Warm-up that waited for a steady state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmUp {
    pub seconds: u32,
    /// Maximum duration in s.
    pub limit: u32,
    pub steady: bool,
}
