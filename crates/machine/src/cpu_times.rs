//! CPU times.

use serde::{Deserialize, Serialize};

/// Time that one CPU spent, over the measured window, in any unit that is the same for all CPUs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTimes {
    /// Idle time, including waits for I/O.
    pub idle: u64,
    /// Kernel time, including interrupts and stolen time, **excluding idle time**.
    pub kernel: u64,
    pub user: u64,
}

/// Kernel time not spent for the program, over the same window and in the same unit as its [`CpuTimes`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostTimes {
    pub interrupts: u64,
    pub steal: u64,
}
