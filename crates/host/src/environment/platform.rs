//! The platform of the machine from `/sys` and `/proc`.

use crate::platform::{FIRMWARE, OwnAccount, platform};
use crate::root::Root;
use diskspd_machine::environment::Platform;

pub(super) fn read(root: &Root) -> Platform {
    let value = |file| root.text(format!("/sys/class/dmi/id/{file}")).unwrap_or_default();
    let told = OwnAccount {
        firmware: FIRMWARE.map(value),
        hypervisor: root.text("/sys/hypervisor/type"),
        virtual_machine: hypervisor_flag(root),
        container: container(root),
    };
    platform(told)
}

/// Whether the processor says that a hypervisor is below; `None` = it lists no flags (not x86).
fn hypervisor_flag(root: &Root) -> Option<bool> {
    let text = root.text("/proc/cpuinfo")?;
    let flags = text.lines().find(|line| line.starts_with("flags"))?;
    Some(flags.split_ascii_whitespace().any(|flag| flag == "hypervisor"))
}

/// Whether this process is in a container, where detectable.
pub fn container(root: &Root) -> bool {
    ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"]
        .iter()
        .any(|file| root.path(file).exists())
}
