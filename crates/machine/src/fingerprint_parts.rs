//! Collection of the fingerprint's parts.

use super::System;
use super::fingerprint::Fingerprint;
use super::storage::{BlockDevice, chosen_word};
use std::collections::BTreeMap;

const QUEUE: [&str; 11] = [
    "fua",
    "io_poll",
    "logical_block_size",
    "max_sectors_kb",
    "nomerges",
    "nr_requests",
    "read_ahead_kb",
    "rotational",
    "rq_affinity",
    "wbt_lat_usec",
    "write_cache",
];

impl Fingerprint {
    pub fn from_system(system: &System) -> Fingerprint {
        let mut parts = Parts::default();
        parts.add("program", Some(env!("CARGO_PKG_VERSION")));
        parts.add("kernel", Some(&system.kernel));
        parts.add("cpu model", Some(&system.cpu_model));
        parts.add("cpus", Some(system.topology.active_cpus().count()));
        parts.add("memory", memory_class(system.memory_total));
        parts.add("cpu governor", system.power_scheme.name.as_deref());
        add_environment(&mut parts, system);
        let mut file_systems = Vec::new();
        for found in system.targets.iter().filter_map(|target| target.file_system.as_ref()) {
            let described = (&found.kind, &found.options);
            if !file_systems.contains(&described) {
                file_systems.push(described);
            }
        }
        for (number, (kind, options)) in (1..).zip(file_systems) {
            parts.add(format!("file system {number} type"), Some(kind));
            parts.add(format!("file system {number} options"), Some(options));
        }
        Fingerprint::of_parts(parts.0)
    }
}

#[derive(Default)]
struct Parts(BTreeMap<String, String>);

impl Parts {
    fn add(&mut self, name: impl Into<String>, value: Option<impl ToString>) {
        // A line feed in a value could make it look like two parts.
        let value = value.map(|value| value.to_string().replace('\n', " "));
        self.0.extend(value.filter(|value| !value.is_empty()).map(|value| (name.into(), value)));
    }
}

fn add_environment(parts: &mut Parts, system: &System) {
    let Some(environment) = &system.environment else { return };
    let frequency = environment.cpu.frequency.as_ref();
    parts.add("cpu frequency", frequency.and_then(|frequency| frequency.max));
    parts.add("cpu boost", environment.cpu.boost);
    parts.add("smt", environment.cpu.smt.as_deref());
    parts.add("clock source", environment.clock_source.as_deref());
    let deepest = environment.cpu.idle_states.iter().rev().find(|state| state.enabled);
    parts.add("deepest idle state", deepest.map(|state| &state.name));
    for (name, state) in &environment.vulnerabilities {
        parts.add(format!("mitigation {name}"), Some(state));
    }
    parts.add("platform", environment.platform.product.as_deref());
    parts.add("hypervisor", environment.platform.hypervisor.as_deref());
    parts.add("cloud", environment.platform.cloud.as_deref());
    parts.add("cpu limit", environment.limits.cpu);
    parts.add("cpu set", environment.limits.cpus.as_deref());
    parts.add("memory limit", environment.limits.memory);
    for (number, disk) in (1..).zip(&environment.disks) {
        let link = disk.link.map(|link| format!("{} MT/s x{}", link.speed, link.width));
        add_device(parts, number, &disk.device);
        parts.add(format!("disk {number} transport"), disk.transport.as_deref());
        parts.add(format!("disk {number} link"), link);
        parts.add(format!("disk {number} I/O limit"), environment.limits.io.get(&disk.number));
    }
}

fn add_device(parts: &mut Parts, number: u32, device: &BlockDevice) {
    parts.add(format!("disk {number} model"), device.model.as_deref());
    parts.add(format!("disk {number} firmware"), device.firmware.as_deref());
    parts.add(format!("disk {number} size"), device.size);
    // The others of the list are those that could be chosen.
    parts
        .add(format!("disk {number} scheduler"), device.queue.get("scheduler").map(|list| chosen_word(list)));
    for setting in QUEUE {
        parts.add(format!("disk {number} {setting}"), device.queue.get(setting));
    }
}

/// Returns the size rounded up to a power of two in GiB, because the kernel's reserved memory varies
/// between releases.
fn memory_class(bytes: u64) -> Option<String> {
    let gib = bytes.div_ceil(1 << 30).checked_next_power_of_two()?;
    (bytes > 0).then(|| format!("{gib} GiB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_size_is_grouped_by_class() {
        for (bytes, expected) in [
            (0, None),
            (1, Some("1 GiB")),
            ((15 << 30) + 5, Some("16 GiB")),
            (16 << 30, Some("16 GiB")),
            (u64::MAX, Some("17179869184 GiB")),
        ] {
            assert_eq!(memory_class(bytes).as_deref(), expected, "{bytes}");
        }
    }
}
