//! The zones of a thread (`--zoned`).

use crate::machine::zones::Zone;

/// Which zones one thread works on.
#[derive(Debug, Clone, PartialEq)]
pub struct ZoneShare {
    /// The zones, ascending; nobody else of the run writes there.
    pub zones: Vec<Zone>,
    /// From the start of one zone of the device to that of the next, bytes.
    pub zone_size: u32,
}
