//! Results of each part of a mix.

use crate::DirectionResults;
use serde::{Deserialize, Serialize};

/// Results of a thread on a target, for one part and I/O size.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PartResults {
    /// Number of the part in the mix, from 0.
    pub part: u32,
    pub block_size: u32,
    pub read: DirectionResults,
    pub write: DirectionResults,
}
