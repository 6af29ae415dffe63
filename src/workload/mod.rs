//! What is the next I/O: offsets, mix, distributions, random numbers. Pure; knows neither engines nor files.

use crate::profile::Distribution;
use crate::results::EffectiveRange;

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

/// The effective ranges of a distribution, for the report.
pub type Effective = Vec<EffectiveRange>;
