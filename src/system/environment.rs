//! What figures depend on beside the target itself: how the processors are driven, what the machine runs
//! in, which limits hold for this process, how the disks are attached. Facts only; `truth` says what they
//! mean.

mod boot_parameters;
mod control_groups;
mod cpu;
mod disks;
mod link;
mod load;
mod platform;

pub use control_groups::Limits;
pub use cpu::{Cpu, Frequency, IdleState};
pub use disks::Disk;
pub use link::Link;
pub use load::Load;
pub use platform::Platform;
pub use platform::container as is_container;

use super::root::Root;
use super::storage::Storage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The surroundings of a run; what is not known is missing or empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// What of the kernel's command line matters for I/O; empty = nothing of it.
    pub kernel_command_line: Option<String>,
    /// How the processors are driven.
    pub cpu: Cpu,
    /// Where the kernel takes time from: `tsc`, `hpet`.
    pub clock_source: Option<String>,
    /// What the kernel does about flaws of the processors, by the names of the flaws.
    pub vulnerabilities: BTreeMap<String, String>,
    /// What the machine is, or pretends to be.
    pub platform: Platform,
    /// What the control groups of this process permit.
    pub limits: Limits,
    /// What went on at the moment of looking.
    pub load: Load,
    /// The disks beneath the targets, each once.
    pub disks: Vec<Disk>,
}

/// What is around these targets. Takes a few milliseconds; nothing that is missing or odd is an error.
#[cfg(target_os = "linux")]
pub fn read(root: &Root, targets: &[Storage]) -> Environment {
    with_disks(root, disks::beneath(root, targets))
}

/// What is around all disks of the machine.
#[cfg(target_os = "linux")]
pub fn read_all(root: &Root) -> Environment {
    with_disks(root, disks::hardware(root))
}

fn with_disks(root: &Root, disks: Vec<Disk>) -> Environment {
    let flaws = "/sys/devices/system/cpu/vulnerabilities";
    let vulnerabilities = root.names(flaws).into_iter();
    Environment {
        kernel_command_line: root.text("/proc/cmdline").map(|line| boot_parameters::for_io(&line)),
        cpu: cpu::read(root),
        clock_source: root.text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        vulnerabilities: vulnerabilities
            .filter_map(|name| Some((root.text(format!("{flaws}/{name}"))?, name)))
            .map(|(state, name)| (name, state))
            .collect(),
        platform: platform::read(root),
        limits: control_groups::read(root),
        load: load::read(root),
        disks,
    }
}
