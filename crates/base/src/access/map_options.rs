//! Options of mapping a file, decided before it is mapped.

use super::AccessHint;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct MapOptions {
    /// Copies go around the CPU's caches (`-Smw`); where the architecture has no such stores they are plain.
    pub non_temporal: bool,
    pub flush: Flush,
    pub hint: AccessHint,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Flush {
    /// No flush; the kernel decides about writeback.
    #[default]
    None,
    /// `msync(MS_SYNC)` of the changed pages.
    Pages,
    /// The CPU's caches are written back to persistent memory and the stores have arrived there; needs DAX.
    CacheLines,
    /// Writeback of cache lines, without a wait for the stores.
    CacheLinesWithoutDrain,
}

impl Flush {
    /// Whether the flush requires a DAX file system.
    pub fn needs_dax(self) -> bool {
        matches!(self, Flush::CacheLines | Flush::CacheLinesWithoutDrain)
    }
}
