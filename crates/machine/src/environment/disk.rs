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
    /// The link of the disk or, beyond PCI Express, of its controller.
    pub link: Option<Link>,
    pub numa_node: Option<u32>,
    /// Partitions in use that don't begin on a physical block.
    pub misaligned: Vec<String>,
    /// Targets on it, alone or with other disks; empty without targets.
    pub targets: Vec<TargetId>,
}
