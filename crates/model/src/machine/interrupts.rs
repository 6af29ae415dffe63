//! On which CPUs the interrupts of a device arrived.

use serde::{Deserialize, Serialize};

/// The interrupts of a disk's controller over the measured window, by the CPU that took them. A controller
/// that has several disks counts those of all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInterrupts {
    /// The kernel's name of the disk: `nvme0n1`, `vda`.
    pub device: String,
    /// The CPUs that took any, in the order of their numbers; empty = there were none.
    pub cpus: Vec<CpuInterrupts>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuInterrupts {
    pub cpu: u32,
    pub count: u64,
}

impl DeviceInterrupts {
    pub fn total(&self) -> u64 {
        self.cpus.iter().map(|cpu| cpu.count).fold(0, u64::saturating_add)
    }
}
