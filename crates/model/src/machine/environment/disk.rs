//! A disk beneath targets: how it is attached and driven.

use super::Link;
use crate::machine::storage::BlockDevice;
use crate::profile::TargetId;
use serde::{Deserialize, Serialize};

/// A disk with nothing beneath it that the kernel knows of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Disk {
    /// What it is, and how the kernel queues for it.
    pub device: BlockDevice,
    /// Its number, `259:0`, as limits of control groups name it.
    pub number: String,
    /// `pcie`, `tcp`, `sata`, `sas`, `usb`, `virtio`, `loop`; `None` = not known.
    pub transport: Option<String>,
    /// The link of the disk or, beyond PCI Express, of its controller.
    pub link: Option<Link>,
    /// The NUMA node it's attached to.
    pub numa_node: Option<u32>,
    /// Partitions in use that don't begin on a physical block.
    pub misaligned: Vec<String>,
    /// The targets that lie on it, alone or with other disks; empty = none was asked for.
    pub targets: Vec<TargetId>,
}
