//! How often processors went to sleep.

use serde::{Deserialize, Serialize};

/// How often one processor went to sleep over the measured window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuSleeps {
    pub cpu: u32,
    /// Its idle states but those in which it waits in a loop, in the kernel's order: the shallowest first.
    pub states: Vec<StateSleeps>,
}

/// How often a processor went to one idle state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateSleeps {
    /// `C1E`, `C6`, `haltpoll idle`.
    pub name: String,
    /// What it takes to wake up, as the kernel has been told, us.
    pub latency: u64,
    pub entered: u64,
}
