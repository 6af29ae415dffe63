//! The used part of a target.

use serde::{Deserialize, Serialize};

/// Range of an effective random distribution, in bytes relative to the base offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EffectiveRange {
    /// First percentage point of I/O in this range.
    pub io_base: u32,
    /// Percentage points of I/O in this range.
    pub io_span: u32,
    pub start: u64,
    pub length: u64,
}
