//! What file system and device offer beside plain reads and writes.

use serde::{Deserialize, Serialize};

/// What is guaranteed of atomic writes (`RWF_ATOMIC`), by statx(2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AtomicWrites {
    /// The smallest write, bytes.
    pub unit_min: u32,
    /// The largest write, bytes; 0 = there are none.
    pub unit_max: u32,
    /// Pieces of memory that one write may be made of.
    pub segments_max: u32,
    /// The largest write that the device itself does as one, bytes
    /// (`queue/atomic_write_unit_max_bytes` in /sys); 0 = none: what the file system
    /// guarantees it does by itself, by writing elsewhere first. Missing = not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_max: Option<u64>,
}

/// What was found about a target.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WayFacts {
    /// Its atomic writes; `None` = the kernel knows none (before Linux 6.11).
    pub atomic: Option<AtomicWrites>,
    /// Why it can't be used through the page cache without staying there (`RWF_DONTCACHE`); `None` = it
    /// can, or it isn't known yet.
    pub no_dont_cache: Option<String>,
}
