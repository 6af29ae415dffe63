//! What figures depend on beside the target itself: how the processors are driven, what the machine runs
//! in, which limits hold for this process, how the disks are attached. Facts only; `truth` says what they
//! mean.

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

/// The surroundings of a run; what is not known is missing or empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// What of the kernel's command line matters for I/O; empty = nothing of it.
    pub kernel_command_line: Option<String>,
    pub cpu: Cpu,
    pub clock_source: Option<String>,
    /// What the kernel does about flaws of the processors, by the names of the flaws.
    pub vulnerabilities: BTreeMap<String, String>,
    pub platform: Platform,
    pub limits: Limits,
    pub load: Load,
    pub disks: Vec<Disk>,
}
