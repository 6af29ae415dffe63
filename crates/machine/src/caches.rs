//! The caches of the processors.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    pub level: u32,
    pub kind: CacheKind,
    pub size: u64,
    pub line: u32,
    /// Associativity; 255 = fully associative.
    pub associativity: u32,
    /// (group, mask) of the active CPUs that share it, ascending by group.
    pub masks: Vec<(u16, u64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheKind {
    Unified,
    Instruction,
    Data,
    Unknown,
}
