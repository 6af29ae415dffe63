//! Zones of a block device: areas that are written sequentially at a write pointer, and are emptied as a
//! whole by a reset.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ZoneFacts {
    /// Distance between the starts of consecutive zones in bytes.
    pub zone_size: u64,
    /// Sequential-write zones in ascending order. Conventional, offline and read-only zones are excluded.
    pub zones: Vec<Zone>,
    /// Maximum number of open zones; 0 = no limit.
    pub max_open: u32,
    /// Maximum number of active zones (open, or closed and not full); 0 = no limit.
    pub max_active: u32,
    /// Reason for missing facts; `None` = complete.
    pub unknown: Option<String>,
}

/// Zone that requires sequential writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Zone {
    /// Byte offset of the start.
    pub start: u64,
    /// Capacity in bytes; at most the distance to the next zone.
    pub capacity: u64,
    pub written: u64,
    /// Whether it counts towards the device's limit of active zones.
    pub active: bool,
}

impl Zone {
    pub fn room(&self) -> u64 {
        self.capacity.saturating_sub(self.written)
    }
}
