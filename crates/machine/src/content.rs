//! Content of the targets: unwritten areas, and a sample of the data.

use diskspd_profile::TargetId;
use serde::{Deserialize, Serialize};

/// Content of one target. Unknown values are missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentFacts {
    pub target: TargetId,
    /// Whether it is a block device.
    pub device: bool,
    /// First byte of the part that is read.
    pub from: u64,
    pub to: u64,
    /// Written areas of a file, or of a loop device's file.
    pub space: Option<ContentShares>,
    pub sample: Option<Sample>,
    pub data_reduction: Vec<Reducer>,
    /// Whether a block device supports discard.
    pub discards: Option<bool>,
    /// Whether a block device has rotating parts, according to the kernel.
    pub rotational: Option<bool>,
    /// Duration of the check in ns.
    pub nanos: u64,
}

/// Composition of the read part of a file in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentShares {
    /// Examined bytes; less than the whole if the time ran out.
    pub examined: u64,
    pub holes: u64,
    /// Allocated, but never written.
    pub unwritten: u64,
    /// Within the file system's own structures.
    pub inline: u64,
    /// Stored in another form by the file system: compressed (btrfs), on others maybe encrypted.
    pub compressed: u64,
    /// Written, but still in memory only.
    pub pending: u64,
    /// In extents that occur in other files or places, too. A write copies them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shared: u64,
    /// Shared bytes at a place on the device that occurred before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated: u64,
    /// Pieces that don't follow each other on the device.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fragments: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl ContentShares {
    /// Bytes that a write has to allocate, or to mark as written, first.
    pub fn unallocated(&self) -> u64 {
        self.holes.saturating_add(self.unwritten).saturating_add(self.shared)
    }
}

/// Blocks that were read from a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Size of a block in bytes.
    pub block_size: u64,
    pub direct: bool,
    /// Blocks read where something was written. All other figures but the last two are about them.
    pub blocks: u64,
    pub zeros: u64,
    pub duplicates: u64,
    /// Bytes that compression would leave of them, estimated.
    pub compressed: u64,
    /// Blocks read from areas that are unwritten according to the file system.
    pub unwritten: u64,
    /// All-zero blocks among them; the others have dirty data in memory.
    pub unwritten_zeros: u64,
}

/// A file system or device that stores less than was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reducer {
    /// `btrfs (compress=zstd:3)`, `zram0`
    pub name: String,
    pub compresses: bool,
    /// Whether it deduplicates equal blocks.
    pub deduplicates: bool,
}
