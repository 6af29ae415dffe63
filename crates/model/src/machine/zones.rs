//! Zones of a block device: parts that are written in order only, each at its write pointer, and given back
//! as a whole (a reset).

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ZoneFacts {
    /// From the start of one zone to that of the next, bytes.
    pub zone_size: u64,
    /// The zones that are written in order, ascending. Conventional zones, and those that can't be both read
    /// and written any more, are not among them.
    pub zones: Vec<Zone>,
    /// How many zones may be open at a time; 0 = as many as there are.
    pub max_open: u32,
    /// How many may be active (open, or closed and not full); 0 = as many as there are.
    pub max_active: u32,
    /// Why nothing else is known of them; `None` = it is.
    pub unknown: Option<String>,
}

/// A zone that is written in order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Zone {
    /// Where it begins, bytes.
    pub start: u64,
    /// How much it holds, bytes; never more than the distance to the next one.
    pub capacity: u64,
    pub written: u64,
    /// Whether it takes one of those that the device may have active.
    pub active: bool,
}

impl Zone {
    /// How much can be written before it is full, bytes.
    pub fn room(&self) -> u64 {
        self.capacity.saturating_sub(self.written)
    }
}
