//! Name, software and hardware of the machine.

use super::cgroup::Groups;
use super::environment;
use super::root::{Root, text};
use super::topology;
use super::unread_facts::unread_facts;
use diskspd_machine::fingerprint::Fingerprint;
use diskspd_machine::numbers::CONTAINER;
use diskspd_machine::storage::Storage;
use diskspd_machine::{PowerScheme, System};

/// Returns a snapshot of this machine. Take it once, before threads are bound to CPUs.
///
/// Missing or unusual values are not errors, but are reported as unknown.
pub fn snapshot() -> System {
    let root = Root::live_system();
    System { unreadable: unread_facts(&root), ..read(&root) }
}

pub fn name() -> String {
    name_in(&Root::live_system())
}

fn name_in(root: &Root) -> String {
    root.text("/proc/sys/kernel/hostname").unwrap_or_default()
}

pub fn read(root: &Root) -> System {
    let topology = topology::read(root);
    let governors = topology
        .kernel_cpus()
        .map(|cpu| text(&root.path(format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"))));
    System {
        computer_name: name_in(root),
        start_time: start_time(root),
        machine: model_number(root),
        power_scheme: PowerScheme { name: common_governor(governors), guid: None },
        topology,
        kernel: root.text("/proc/sys/kernel/osrelease").unwrap_or_default(),
        memory_available: read_memory(root, "MemAvailable:").unwrap_or(0),
        memory_total: read_memory(root, "MemTotal:").unwrap_or(0),
        memory_allowance: Groups::find(root).memory_allowance(),
        cpu_model: cpu_model(root).unwrap_or_default(),
        ..System::default()
    }
}

/// Returns an identifier of this machine, a one-way hash of `machine-id(5)`. A container has no
/// identifier, or its image's.
fn model_number(root: &Root) -> Option<String> {
    if environment::is_container(root) {
        return None;
    }
    let known = ["/etc/machine-id", "/var/lib/dbus/machine-id"].into_iter().find_map(|file| {
        root.text(file).filter(|id| id.len() == 32 && id.bytes().all(|digit| digit.is_ascii_hexdigit()))
    })?;
    Some(Fingerprint::of_parts([("diskspd machine".into(), known)].into()).hash)
}

/// Returns an identifier of the hardware under a container; identical machines of a fleet share it.
fn container_number(system: &System, fingerprint: &Fingerprint) -> Option<String> {
    let is_container = system.environment.as_ref().is_some_and(|around| around.platform.container);
    let hardware = ["cpu model", "cpus", "memory", "platform", "cloud"];
    let is_hardware = |name: &str| {
        hardware.contains(&name)
            || name.starts_with("disk ") && (name.ends_with(" model") || name.ends_with(" size"))
    };
    let parts = fingerprint.parts.iter().filter(|(name, _)| is_hardware(name));
    let parts = parts.map(|(name, value)| (name.clone(), value.clone())).collect();
    is_container.then(|| format!("{CONTAINER}{}", Fingerprint::of_parts(parts).hash))
}

/// Returns an identifier of the running kernel, which containers share; `None` if unavailable.
pub fn boot(root: &Root) -> Option<String> {
    root.text("/proc/sys/kernel/random/boot_id").filter(|id| !id.is_empty())
}

/// Reads the environment of a run's targets on this machine, or of all its disks without targets. Takes
/// milliseconds.
pub fn read_environment(system: &mut System, targets: Vec<Storage>) {
    look_around_at(system, &Root::live_system(), targets);
}

pub fn look_around_at(system: &mut System, root: &Root, targets: Vec<Storage>) {
    system.environment = Some(match targets.as_slice() {
        [] => environment::read_all(root),
        targets => environment::read(root, targets),
    });
    system.boot = boot(root);
    system.targets = targets;
    let fingerprint = Fingerprint::from_system(system);
    system.machine = container_number(system, &fingerprint).or(system.machine.take());
    system.fingerprint = Some(fingerprint);
}

/// Returns the governor of all CPUs that have one; `mixed` if they differ.
fn common_governor(governors: impl Iterator<Item = Option<String>>) -> Option<String> {
    let mut governors = governors.flatten().filter(|name| !name.is_empty());
    let first = governors.next()?;
    Some(if governors.all(|other| other == first) { first } else { "mixed".to_owned() })
}

/// Returns the boot time plus the start of the process after it (field 22 of its `stat`, in clock ticks).
fn start_time(root: &Root) -> Option<i64> {
    let system = root.text("/proc/stat")?;
    let booted: i64 = system.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    let process = root.text("/proc/self/stat")?;
    // The name, field 2, is in parentheses and can hold anything, even more parentheses and blanks.
    let (_, fields) = process.rsplit_once(')')?;
    let ticks: u64 = fields.split_ascii_whitespace().nth(22 - 3)?.parse().ok()?;
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    booted.checked_add((ticks / per_second).try_into().ok()?)
}

/// Reads a line of `/proc/meminfo` in bytes.
fn read_memory(root: &Root, name: &str) -> Option<u64> {
    let text = root.text("/proc/meminfo")?;
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = value.split_ascii_whitespace().next()?.parse().ok()?;
    kib.checked_mul(1024)
}

/// Returns the CPU model: `model name` on x86, `Model`, `cpu model` or nothing on other architectures.
fn cpu_model(root: &Root) -> Option<String> {
    let text = root.text("/proc/cpuinfo")?;
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let is_model = |name: &str| ["model name", "cpu model", "model", "cpu"].contains(&name);
    let (_, model) = lines.find(|(name, value)| {
        is_model(name.trim().to_lowercase().as_str()) && value.trim().parse::<u32>().is_err()
    })?;
    Some(model.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_governors_are_mixed_and_missing_are_ignored() {
        let of = |names: &[Option<&str>]| common_governor(names.iter().map(|name| name.map(str::to_owned)));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[None, None]), None);
        assert_eq!(of(&[Some("performance"), None, Some("performance")]), Some("performance".into()));
        assert_eq!(of(&[Some("performance"), Some("powersave")]), Some("mixed".into()));
    }
}
