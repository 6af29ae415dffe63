//! Choice of the next I/O: offsets, mix, distributions, random numbers. Pure code without engines or
//! files.
//!
//! ```text
//! Placement ──region()──▶ Region           which bytes a thread may touch, and whether it can start at all
//! TargetWorkload ──ThreadWorkload──▶ Next  one call per I/O, on the measured path
//! ```
//!
//! The same seed yields the same addresses as DISKSPD on Windows. That fixes the generator ([`Random`])
//! and the order of its draws, which [`ThreadWorkload`] describes.

mod assignment;
mod block_map;
mod content;
mod distribution;
mod geometry;
mod modulus;
pub mod pace;
pub mod payload;
mod portions;
mod positions;
mod random;
mod spread;
mod target;
mod thread;

pub use assignment::Assignment;
pub use content::{ReducibleContent, Unit};
pub use distribution::effective_ranges;
pub use geometry::{Grid, Placement, PlacementError, Region};
pub use modulus::Modulus;
pub use random::{FillParts, Random};
pub use target::InterlockedPosition;
pub use thread::{NextIo, ThreadWorkload};

use diskspd_profile::{AddressSpread, Distribution};

/// Workload of one thread on one target: all parameters of its addresses and directions. All positions are
/// relative to `base`, which the last step adds.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetWorkload {
    /// Bytes of an I/O, at least 1.
    pub block_size: u32,
    /// Alignment or stride in bytes, at least 1.
    pub stride: u64,
    /// First accessible byte of the target.
    pub base: u64,
    /// Accessible bytes from `base` on. At least `first + block_size`.
    pub region: u64,
    /// Starting position of the thread (thread number relative to the target x `-T`).
    pub first: u64,
    pub pattern: Pattern,
    /// Share of writes in percent.
    pub write_ratio: u32,
    pub distribution: Option<Distribution>,
    /// Alternative form of the distribution, with precedence over `distribution`.
    pub spread: Option<AddressSpread>,
    /// Each block is done once before any is done twice, in random order (`--each-once`): random positions
    /// alone, without a distribution. Portions of a target share the blocks, of the size of their stride.
    pub each_once: bool,
    /// Share of a floating pool's I/Os, at least 1. Otherwise ignored.
    pub weight: u32,
    pub portion: Option<WorkPortion>,
}

/// A portion of a thread's work on a target (`--mix`, `--bs-split`). Portions of a target are adjacent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkPortion {
    /// Whether the portion is the first of its target.
    pub is_first: bool,
    /// Number of the part of the mix, from 0.
    pub part: u32,
    /// Share of the target's I/Os; the sum is 1.
    pub share: f64,
    /// Whether it is one of several sizes of its part, which share a position.
    pub is_split: bool,
}

impl TargetWorkload {
    /// The positions at which an I/O of this workload may start.
    pub fn grid(&self) -> Grid {
        Grid { region: self.region, block_size: self.block_size, stride: self.stride }
    }

    /// Returns the number of blocks that are each done once ([`TargetWorkload::each_once`]).
    fn block_count(&self) -> u64 {
        // Of several sizes the last ones are too short for the larger ones.
        let in_region = self.region / self.stride.max(1);
        self.grid().positions().max(if self.portion.is_some() { in_region } else { 0 })
    }

    /// Bytes of memory in which a thread records accessed blocks; 0 = not recorded.
    pub fn map_bytes(&self) -> u64 {
        let further = self.portion.is_some_and(|portion| !portion.is_first);
        if self.each_once && !further { block_map::BlockMap::bytes(self.block_count()) } else { 0 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// One position per thread and target.
    Sequential,
    /// One position per target, shared by all threads (`-si`).
    Interlocked,
    /// One position per request (`-p`).
    ParallelAsync,
    /// Random position for each I/O (`-r`).
    Random,
    /// Random position with this probability in percent (1 to 99), otherwise sequential (`-rs`).
    Mixed { random: u32 },
}
