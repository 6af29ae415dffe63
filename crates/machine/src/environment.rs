//! Environment of a measurement: processor settings, platform, limits of this process, and disk
//! attachment. It contains only facts; `checks` interprets them.

mod cpu;
mod disk;
mod limits;
mod link;
mod load;
mod platform;

pub use cpu::{Cpu, Frequency, IdleState};
pub use disk::Disk;
pub use limits::Limits;
pub use link::Link;
pub use load::Load;
pub use platform::Platform;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Environment of a run; unknown values are missing or empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// Part of the kernel's command line relevant for I/O; empty without such parameters.
    pub kernel_command_line: Option<String>,
    pub cpu: Cpu,
    pub clock_source: Option<String>,
    /// Kernel mitigations by processor vulnerability.
    pub vulnerabilities: BTreeMap<String, String>,
    pub platform: Platform,
    pub limits: Limits,
    pub load: Load,
    pub disks: Vec<Disk>,
}
