//! Content of the targets: unwritten areas, and a sample of the data.

use diskspd_profile::TargetId;
use serde::{Deserialize, Serialize};

/// Content of one target. Unknown values are missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentFacts {
    pub target: TargetId,
    pub device: bool,
    /// First byte of the read part.
    pub from: u64,
    pub to: u64,
    /// Written areas of a file, or of a loop device's file.
    pub space: Option<ContentShares>,
    pub sample: Option<Sample>,
    pub data_reduction: Vec<Reducer>,
    /// Whether a block device supports discard.
    pub discards: Option<bool>,
    /// Whether a block device has rotating parts, as reported by the kernel.
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
    /// Bytes allocated, but never written.
    pub unwritten: u64,
    /// Bytes within structures of the file system.
    pub inline: u64,
    /// Bytes stored by the file system in another form: compressed (btrfs), possibly encrypted on others.
    pub compressed: u64,
    /// Bytes written, but still only in memory.
    pub pending: u64,
    /// Bytes in extents that other files or places share. A write copies them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shared: u64,
    /// Shared bytes at a device position that occurred before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated: u64,
    /// Number of pieces that are not contiguous on the device.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fragments: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl ContentShares {
    /// Returns the bytes that a write must first allocate, or mark as written.
    pub fn unallocated(&self) -> u64 {
        self.holes.saturating_add(self.unwritten).saturating_add(self.shared)
    }
}

/// Blocks read from a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    pub block_size: u64,
    pub direct: bool,
    /// Blocks read from written areas, to which all figures except the last two refer.
    pub blocks: u64,
    pub zeros: u64,
    pub duplicates: u64,
    /// Estimated bytes of these blocks after compression.
    pub compressed: u64,
    /// Blocks read from areas that the file system reports as unwritten.
    pub unwritten: u64,
    /// Number of all-zero ones among them; the others have dirty data in memory.
    pub unwritten_zeros: u64,
}

/// File system or device that stores less than was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reducer {
    /// Name such as `btrfs (compress=zstd:3)` or `zram0`.
    pub name: String,
    pub compresses: bool,
    /// Whether it deduplicates equal blocks.
    pub deduplicates: bool,
}
