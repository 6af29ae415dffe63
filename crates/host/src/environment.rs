//! Environment of a measurement: processor settings, platform, limits of this process, and disk
//! attachment. It contains only facts; `checks` interprets them.

mod boot_parameters;
mod control_groups;
mod cpu;
mod disks;
mod link;
mod load;
mod platform;

pub use platform::container as is_container;

use super::root::Root;
use diskspd_machine::environment::*;
use diskspd_machine::storage::Storage;

/// Reads the environment of these targets. Takes a few milliseconds; missing or unusual values are not
/// errors.
pub fn read(root: &Root, targets: &[Storage]) -> Environment {
    with_disks(root, disks::find_disks(root, targets))
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
