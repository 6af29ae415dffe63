//! The zones of a thread (`--zoned`).

use diskspd_machine::zones::Zone;

#[derive(Debug, Clone, PartialEq)]
pub struct ZoneShare {
    pub zones: Vec<Zone>,
    pub zone_size: u32,
}
