//! The used part of a target.

use serde::{Deserialize, Serialize};

/// One range of an effective random distribution. Offsets are relative to the base offset, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EffectiveRange {
    /// First I/O percentage point that goes here.
    pub io_base: u32,
    /// Number of I/O percentage points.
    pub io_span: u32,
    pub start: u64,
    /// Bytes.
    pub length: u64,
}
