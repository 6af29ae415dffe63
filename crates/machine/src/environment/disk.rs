//! A disk under targets: its attachment and drivers.

use super::Link;
use crate::storage::BlockDevice;
use diskspd_profile::TargetId;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Disk {
    pub device: BlockDevice,
    pub number: String,
    pub transport: Option<String>,
    /// Link of the disk or, for other buses, of its controller.
    pub link: Option<Link>,
    pub numa_node: Option<u32>,
    /// Partitions in use that do not begin on a physical block.
    pub misaligned: Vec<String>,
    /// Targets on it, possibly together with other disks; empty = none.
    pub targets: Vec<TargetId>,
}
