//! Rules about the limits of control groups.

use super::{HostFacts, new_finding};
use crate::{Finding, Severity};
use diskspd_figures::units::Size;

/// Reports an I/O limit on a disk under a target, which determines the figures regardless of the disk.
pub(super) fn io(seen: &HostFacts) -> Vec<Finding> {
    let limits = &seen.environment.limits.io;
    let limited = seen.environment.disks.iter().filter_map(|disk| Some((disk, limits.get(&disk.number)?)));
    limited
        .map(|(disk, values)| {
            let finding = new_finding(
                Severity::Warning,
                format!("a control group limits the I/O of this process to {}", disk.device.name),
            )
            .shown_by(format!("{} {values}", disk.number));
            seen.on_disk(disk, finding)
        })
        .collect()
}

/// Reports a CPU quota. Less than one processor stops even a single thread; a larger quota affects only
/// higher use.
pub(super) fn cpu(seen: &HostFacts) -> Vec<Finding> {
    let cpus = seen.system.topology.allowed_cpus().count() as u64;
    let Some(quota) = seen.environment.limits.cpu.filter(|&quota| quota < cpus * 1000) else {
        return Vec::new();
    };
    let severity = if quota < 1000 { Severity::Warning } else { Severity::Note };
    let message = "a control group throttles this process when its CPU quota is used up";
    vec![new_finding(severity, message).shown_by(format!(
        "{}.{:02} CPUs of the {cpus} that it may run on",
        quota / 1000,
        quota % 1000 / 10
    ))]
}

pub(super) fn cpu_set(seen: &HostFacts) -> Vec<Finding> {
    let possible: u64 = seen.system.topology.groups.iter().map(|group| u64::from(group.maximum)).sum();
    let allowed = seen.system.topology.allowed_cpus().count();
    let Some(list) = &seen.environment.limits.cpus else { return Vec::new() };
    let listed = diskspd_machine::cpu_list(list).len();
    if listed == 0 || listed > allowed || allowed as u64 >= possible {
        return Vec::new();
    }
    vec![
        new_finding(Severity::Note, "this process may use only some of the CPUs")
            .shown_by(format!("{list}: {allowed} of {possible}")),
    ]
}

/// Reports an affinity mask of the process, separate from the control group's set ([`cpu_set`]).
pub(super) fn affinity(seen: &HostFacts) -> Vec<Finding> {
    let topology = &seen.system.topology;
    let allowed = topology.allowed_cpus().count();
    let online = topology.active_cpus().count();
    let listed = seen.environment.limits.cpus.as_ref().map(|list| diskspd_machine::cpu_list(list).len());
    if allowed >= online.min(listed.unwrap_or(online)) {
        return Vec::new();
    }
    vec![
        new_finding(Severity::Note, "the affinity mask of this process keeps it from some of the CPUs")
            .shown_by(format!("{allowed} of the {online} that are online")),
    ]
}

pub(super) fn memory(seen: &HostFacts) -> Vec<Finding> {
    let total = seen.system.memory_total;
    let Some(limit) = seen.environment.limits.memory.filter(|&limit| limit < total) else {
        return Vec::new();
    };
    vec![
        new_finding(Severity::Note, "a control group limits memory, and with it the page cache")
            .shown_by(format!("{} of {}", Size(limit), Size(total))),
    ]
}
