//! The CPUs that handled a device's interrupts.

use serde::{Deserialize, Serialize};

/// Interrupts of a disk's controller during the measured window, by CPU. A controller with several disks
/// counts all of them together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInterrupts {
    /// Kernel name of the disk: `nvme0n1`, `vda`.
    pub device: String,
    /// CPUs with interrupts by number; empty = none.
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
