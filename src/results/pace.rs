//! How a time span went on, seen from outside the workers.

use serde::{Deserialize, Serialize};

/// What was done since the sample before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// When it was taken, microseconds since measuring began.
    pub end_us: u64,
    /// I/Os completed.
    pub ios: u64,
    /// Bytes transferred.
    pub bytes: u64,
}

/// A warm-up that waited for the run to be steady.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmUp {
    /// How long it took, s.
    pub seconds: u32,
    /// How long it might have taken at most, s.
    pub limit: u32,
    /// Whether the run was steady when it ended.
    pub steady: bool,
}
