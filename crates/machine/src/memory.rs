//! Available memory, and the distance between buffers that caches require.

use super::System;

const PAGE: u64 = 4096;

const LINE: u64 = 64;

const MAX_PAGE_BYTES: u64 = 1 << 30;

/// Size of a page directory entry in bytes.
const ENTRY: u64 = 8;

impl System {
    /// Returns the available memory in bytes, limited by control groups; 0 = unknown.
    pub fn memory_to_take(&self) -> u64 {
        let left = self.memory_allowance.as_ref().map(|allowance| allowance.left.max(1));
        match self.memory_available {
            0 => left.unwrap_or(0),
            available => available.min(left.unwrap_or(u64::MAX)),
        }
    }

    /// Returns the distance between buffers in bytes at which page directory entries do not share a cache
    /// line; 0 if it would be too large.
    pub fn buffer_separation(&self) -> u64 {
        let line = self.caches.iter().map(|cache| u64::from(cache.line)).max().unwrap_or(LINE);
        let page = if self.page_size == 0 { PAGE } else { self.page_size };
        let bytes = (line / ENTRY).saturating_mul(page / ENTRY).saturating_mul(page);
        if bytes > MAX_PAGE_BYTES { 0 } else { bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caches::{Cache, CacheKind};

    #[test]
    fn buffer_spacing_covers_a_line_of_page_directory_entries() {
        let table = [
            (4096, Some(64), 16 << 20),
            (4096, Some(128), 32 << 20),
            (4096, Some(32), 8 << 20),
            (8192, Some(128), 128 << 20),
            (16384, Some(64), 256 << 20),
            (65536, Some(128), 0),
            (4096, None, 16 << 20),
            (0, None, 16 << 20),
        ];
        for (page_size, line, expected) in table {
            let cache = |line| Cache {
                level: 1,
                kind: CacheKind::Data,
                size: 1,
                line,
                associativity: 1,
                masks: Vec::new(),
            };
            let system =
                System { page_size, caches: line.map(cache).into_iter().collect(), ..System::default() };
            assert_eq!(system.buffer_separation(), expected, "{page_size} {line:?}");
        }
    }
}
