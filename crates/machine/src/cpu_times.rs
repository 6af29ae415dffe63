//! CPU times.

use serde::{Deserialize, Serialize};

/// Time that one CPU spent, over the measured window, in any unit that is the same for all CPUs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTimes {
    /// Doing nothing, waiting for I/O included.
    pub idle: u64,
    /// In the kernel, interrupts and stolen time included, **idle not included**.
    pub kernel: u64,
    pub user: u64,
}

/// Kernel time not spent for the program, over the same window and in the same unit as its [`CpuTimes`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostTimes {
    pub interrupts: u64,
    pub steal: u64,
}
