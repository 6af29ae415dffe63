//! What is the next I/O: offsets, mix, distributions, random numbers. Pure; knows neither engines nor files.
//!
//! ```text
//! Placement ──region()──▶ Region           which bytes a thread may touch, and whether it can start at all
//! TargetWorkload ──ThreadWorkload──▶ Next  one call per I/O, on the measured path
//! ```
//!
//! The same seed yields the same addresses as DISKSPD on Windows. That fixes the generator ([`Random`]) and
//! the order in which it is drawn from, which [`ThreadWorkload`] describes.

mod distribution;
mod geometry;
mod modulus;
pub mod pace;
pub mod payload;
mod positions;
mod random;
mod target;
mod thread;

pub use distribution::effective_ranges;
pub use geometry::{Grid, Placement, PlacementError, Region};
pub use modulus::Modulus;
pub use random::{FillParts, Random};
pub use target::InterlockedPosition;
pub use thread::{Assignment, Next, ThreadWorkload};

use crate::profile::Distribution;

/// How one thread works on one target: everything that decides its addresses and directions.
/// All positions are relative to `base` until the last step, which adds it.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetWorkload {
    /// Bytes of each I/O; at least 1.
    pub block_size: u32,
    /// Alignment or stride, bytes; at least 1.
    pub stride: u64,
    /// First byte of the target that I/O may touch.
    pub base: u64,
    /// Bytes that may be touched from `base` on. At least `first + block_size`.
    pub region: u64,
    /// Starting position of the thread (thread number relative to the target x `-T`).
    pub first: u64,
    /// Sequential, random, ...
    pub pattern: Pattern,
    /// Share of writes, percent.
    pub write_ratio: u32,
    /// Where random positions go; `None` = uniform.
    pub distribution: Option<Distribution>,
    /// Share of a floating pool's I/Os; at least 1. Others ignore it.
    pub weight: u32,
}

impl TargetWorkload {
    /// The positions at which an I/O of this workload may start.
    pub fn grid(&self) -> Grid {
        Grid { region: self.region, block_size: self.block_size, stride: self.stride }
    }
}

/// Order of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// One position per thread and target.
    Sequential,
    /// One position per target, shared by all threads (`-si`).
    Interlocked,
    /// One position per request (`-p`).
    ParallelAsync,
    /// Every position drawn (`-r`).
    Random,
    /// A position is drawn with this chance in percent, 1 to 99; else the next one follows the last (`-rs`).
    Mixed {
        /// Percent.
        random: u32,
    },
}
