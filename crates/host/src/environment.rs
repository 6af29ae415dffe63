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

pub use platform::container as is_container;

use super::root::Root;
use diskspd_model::machine::environment::*;
use diskspd_model::machine::storage::Storage;

/// What is around these targets. Takes a few milliseconds; nothing that is missing or odd is an error.
pub fn read(root: &Root, targets: &[Storage]) -> Environment {
    with_disks(root, disks::beneath(root, targets))
}

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
