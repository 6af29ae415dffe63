//! Results of each part of a mix.

use crate::DirectionResults;
use serde::{Deserialize, Serialize};

/// Results of a thread for one part with one I/O size, on a target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PartResults {
    /// Number of the part in the mix, from 0.
    pub part: u32,
    /// Size of an I/O in bytes.
    pub block_size: u32,
    pub read: DirectionResults,
    pub write: DirectionResults,
}
