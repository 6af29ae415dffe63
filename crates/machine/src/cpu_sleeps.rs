//! Number of processor sleeps.

use serde::{Deserialize, Serialize};

/// Entries of a CPU into idle states during the measurement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuSleeps {
    pub cpu: u32,
    pub states: Vec<StateSleeps>,
}

/// Entries of a CPU into one idle state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateSleeps {
    /// Name: `C1E`, `C6`, `haltpoll idle`.
    pub name: String,
    /// Exit latency in µs, as known to the kernel.
    pub latency: u64,
    pub entered: u64,
}
