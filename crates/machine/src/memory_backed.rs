//! Block devices that keep their content in memory.

use serde::{Deserialize, Serialize};

/// Block device that keeps its content in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InMemory {
    RamDisk,
    /// null_blk: data is discarded, or kept in memory.
    NullBlk,
    ScsiDebug,
    File,
    /// zram: compressed memory, without blocks of zeros or of one repeated word.
    Zram,
}

impl InMemory {
    pub fn describe(self) -> &'static str {
        match self {
            InMemory::RamDisk => "a RAM disk",
            InMemory::NullBlk => "null_blk, which stores nothing, or all in memory",
            InMemory::ScsiDebug => "a simulated disk in memory (scsi_debug)",
            InMemory::File => "a loop device over a file in memory",
            InMemory::Zram => "compressed memory (zram)",
        }
    }
}
