//! What two runs must share to be comparable, and a number for all of it.

use super::System;
use super::storage::BlockDevice;
use super::storage::chosen;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The machine, the file systems and the disks of a run, as far as figures depend on them and as far as
/// they stay the same from run to run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// FNV-1a of 64 bits over the lines `<name>=<value>\n` of all parts in the order of their names, as 16
    /// hexadecimal digits. Equal = comparable, as far as the machine goes.
    pub hash: String,
    /// What it was made of: `disk 1 firmware` and its value. What is not known is not in it.
    pub parts: BTreeMap<String, String>,
}

/// One part that two fingerprints don't share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Name of the part.
    pub part: String,
    /// In the first one; `None` = not known there.
    pub first: Option<String>,
    /// In the other one.
    pub other: Option<String>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not known".into());
        write!(f, "{} {} -> {}", self.part, value(&self.first), value(&self.other))
    }
}

/// Differences in a line, the kernel first; at most so many are named.
pub fn told(differences: &[Difference], most: usize) -> String {
    let mut sorted: Vec<&Difference> = differences.iter().collect();
    // The names of the others begin in lower case, too: mitigations and settings of disks stay in order.
    sorted.sort_by_key(|difference| (difference.part != "kernel", difference.part.starts_with("mitigation")));
    let named: Vec<String> = sorted.iter().take(most).map(ToString::to_string).collect();
    match differences.len().saturating_sub(most) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Settings of a disk's queue that figures depend on.
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
    /// The fingerprint of a machine whose targets and environment were looked at.
    pub fn of(system: &System) -> Fingerprint {
        let mut parts = Parts::default();
        parts.add("program", Some(env!("CARGO_PKG_VERSION")));
        parts.add("kernel", Some(&system.kernel));
        parts.add("cpu model", Some(&system.cpu_model));
        parts.add("cpus", Some(system.topology.active_cpus().count()));
        parts.add("memory", memory_class(system.memory_total));
        parts.add("cpu governor", system.power_scheme.name.as_deref());
        environment(&mut parts, system);
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

    /// The fingerprint that is made of these parts.
    pub fn of_parts(parts: BTreeMap<String, String>) -> Fingerprint {
        Fingerprint { hash: hash(&parts), parts }
    }

    /// The parts that two don't share, by name.
    pub fn differences(&self, other: &Fingerprint) -> Vec<Difference> {
        let mut names: Vec<&String> = self.parts.keys().chain(other.parts.keys()).collect();
        names.sort();
        names.dedup();
        let pairs = names.into_iter().map(|name| (name, self.parts.get(name), other.parts.get(name)));
        pairs
            .filter(|(_, first, other)| first != other)
            .map(|(name, first, other)| Difference {
                part: name.clone(),
                first: first.cloned(),
                other: other.cloned(),
            })
            .collect()
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

fn environment(parts: &mut Parts, system: &System) {
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
        device(parts, number, &disk.device);
        parts.add(format!("disk {number} transport"), disk.transport.as_deref());
        parts.add(format!("disk {number} link"), link);
        parts.add(format!("disk {number} I/O limit"), environment.limits.io.get(&disk.number));
    }
}

fn device(parts: &mut Parts, number: u32, device: &BlockDevice) {
    parts.add(format!("disk {number} model"), device.model.as_deref());
    parts.add(format!("disk {number} firmware"), device.firmware.as_deref());
    parts.add(format!("disk {number} size"), device.size);
    // The others of the list are those that could be chosen.
    parts.add(format!("disk {number} scheduler"), device.queue.get("scheduler").map(|list| chosen(list)));
    for setting in QUEUE {
        parts.add(format!("disk {number} {setting}"), device.queue.get(setting));
    }
}

/// The next power of two, GiB: what the kernel keeps for itself changes from one release to the next.
fn memory_class(bytes: u64) -> Option<String> {
    let gib = bytes.div_ceil(1 << 30).checked_next_power_of_two()?;
    (bytes > 0).then(|| format!("{gib} GiB"))
}

fn hash(parts: &BTreeMap<String, String>) -> String {
    let text: String = parts.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(hash(&BTreeMap::new()), "cbf29ce484222325");
        let parts: BTreeMap<_, _> = [("a".to_string(), "b".to_string())].into();
        // FNV-1a of "a=b\n", worked out by hand.
        let expected = [0x61u64, 0x3d, 0x62, 0x0a]
            .iter()
            .fold(14_695_981_039_346_656_037, |h: u64, b| (h ^ b).wrapping_mul(1_099_511_628_211));
        assert_eq!(hash(&parts), format!("{expected:016x}"));
    }

    #[test]
    fn memory_is_told_by_its_class() {
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
