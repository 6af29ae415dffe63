//! The zones of a thread (`--zoned`).

use crate::machine::zones::Zone;

#[derive(Debug, Clone, PartialEq)]
pub struct ZoneShare {
    pub zones: Vec<Zone>,
    /// From the start of one zone of the device to that of the next, bytes.
    pub zone_size: u32,
}
