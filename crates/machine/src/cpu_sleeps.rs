//! How often processors went to sleep.

use serde::{Deserialize, Serialize};

/// Sleeps of a processor in the measured window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuSleeps {
    pub cpu: u32,
    pub states: Vec<StateSleeps>,
}

/// Entries of a processor into an idle state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateSleeps {
    /// `C1E`, `C6`, `haltpoll idle`.
    pub name: String,
    /// Wake-up latency in us, as reported to the kernel.
    pub latency: u64,
    pub entered: u64,
}
