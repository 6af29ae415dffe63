//! Activity of the machine at the time of the check.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Load {
    /// Runnable threads except this one.
    pub running: Option<u64>,
    /// Mean number of threads that ran, waited for a processor or for I/O in the last minute, hundredths.
    pub average: Option<u64>,
    /// Share of the last 10 s in which some thread waited for a processor, hundredths of a percent.
    pub cpu_pressure: Option<u64>,
    /// I/O pressure, in the same unit.
    pub io_pressure: Option<u64>,
    /// Swap space in use in bytes.
    pub swap_used: Option<u64>,
}
