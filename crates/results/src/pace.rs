//! Progress of a time span, observed outside the workers.

use diskspd_figures::stats::PackedCounts;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Time of the sample in us since the start of measuring.
    pub end_us: u64,
    pub ios: u64,
    /// Bytes transferred.
    pub bytes: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickCounts {
    /// Length of a tick in us.
    pub width_us: u64,
    /// I/Os completed in each, from the beginning of measuring on.
    pub ios: PackedCounts,
}

/// A warm-up that waited for the run to be steady.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmUp {
    pub seconds: u32,
    /// Maximum possible duration in s.
    pub limit: u32,
    pub steady: bool,
}
