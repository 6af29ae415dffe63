//! Name, software and hardware of the machine.

use super::root::Root;
use crate::windows::processors::{ProcessorFacts, caches as processor_caches, topology};
use diskspd_machine::fingerprint::Fingerprint;
use diskspd_machine::{Core, CpuNode, Group, PowerScheme, System, Topology};
use diskspd_sys::clock;
use diskspd_sys::machine_answers::{self, Relation, processors};
use diskspd_sys::registry;

const GROUP: u32 = 64;

const VERSION: &str = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";

/// Returns a snapshot of this machine. Take it once, before threads are bound to CPUs.
///
/// Missing or unusual values are not errors, but are reported as unknown.
pub fn snapshot() -> System {
    let (memory_total, memory_available) = machine_answers::memory().unwrap_or((0, 0));
    let (guid, name) = machine_answers::power_scheme().unzip();
    System {
        computer_name: self::name(),
        start_time: Some(clock::wall_seconds()),
        machine: machine_number(),
        power_scheme: PowerScheme { name: name.flatten(), guid },
        topology: read_topology(),
        kernel: windows_version().unwrap_or_default(),
        memory_available,
        memory_total,
        cpu_model: cpu_model().unwrap_or_default(),
        ..System::default()
    }
}

/// Returns the system's topology; if unavailable, one with the processor count of the standard library.
fn read_topology() -> Topology {
    let answer = |relation| processors(relation).unwrap_or_default();
    let nodes = processors(Relation::NodesOfAllGroups).unwrap_or_else(|_| answer(Relation::Nodes));
    let (groups, sockets) = (answer(Relation::Groups), answer(Relation::Sockets));
    let answers = ProcessorFacts { groups, nodes, sockets, cores: answer(Relation::Cores) };
    let found = topology(&answers);
    let mut found = found.unwrap_or_else(|| {
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
        uniform_topology(u32::try_from(processors).unwrap_or(GROUP).min(GROUP))
    });
    found.disallowed = forbidden_cpus(&found);
    found
}

fn uniform_topology(processors: u32) -> Topology {
    let mask = u64::MAX >> (GROUP - processors.clamp(1, GROUP));
    let all = CpuNode { number: 0, masks: vec![(0, mask)] };
    let core = |number| Core { group: 0, number, mask: 1 << number, efficiency_class: 0, continued: false };
    Topology {
        groups: vec![Group { number: 0, maximum: processors, active: processors, mask }],
        nodes: vec![all.clone()],
        sockets: vec![all],
        cores: (0..processors).map(core).collect(),
        ..Topology::default()
    }
}

/// Returns the CPUs excluded by the process affinity. With several groups a process may use all of them,
/// regardless of the affinity of its first group.
fn forbidden_cpus(topology: &Topology) -> Vec<(u16, u64)> {
    match (topology.groups.as_slice(), machine_answers::affinity()) {
        ([only], Some((own, _))) if own & only.mask != 0 && own & only.mask != only.mask => {
            vec![(only.number, only.mask & !own)]
        }
        _ => Vec::new(),
    }
}

fn windows_version() -> Option<String> {
    let [major, minor, build] = machine_answers::version()?;
    let update = registry::number(VERSION, "UBR").map(|update| format!(".{update}")).unwrap_or_default();
    Some(format!("Windows {major}.{minor}.{build}{update}"))
}

fn cpu_model() -> Option<String> {
    let name = registry::text(r"HARDWARE\DESCRIPTION\System\CentralProcessor\0", "ProcessorNameString")?;
    Some(name.trim().to_owned())
}

/// A number for this installation, derived irreversibly from its `MachineGuid`.
fn machine_number() -> Option<String> {
    let id = registry::text(r"SOFTWARE\Microsoft\Cryptography", "MachineGuid")?;
    let is_guid = id.len() == 36 && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    is_guid.then(|| Fingerprint::of_parts([("diskspd machine".into(), id)].into()).hash)
}

pub fn name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// Returns an identifier of the running kernel, which does not exist on Windows.
pub fn boot(_: &Root) -> Option<String> {
    None
}

pub mod caches {
    use super::{Relation, machine_answers, processor_caches, processors};
    use diskspd_machine::System;

    /// Reads the page size and the caches.
    pub fn read_caches(system: &mut System) {
        system.page_size = machine_answers::page_size().into();
        system.caches = processor_caches(&processors(Relation::Caches).unwrap_or_default(), &system.topology);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_described_completely() {
        let mut system = snapshot();
        let topology = &system.topology;
        let active: u32 = topology.groups.iter().map(|group| group.active).sum();
        assert!(active > 0 && !topology.cores.is_empty() && !topology.nodes.is_empty());
        assert!(system.memory_total >= system.memory_available && system.memory_available > 0);
        assert!(system.kernel.starts_with("Windows ") && !system.computer_name.is_empty());
        caches::read_caches(&mut system);
        assert!(system.page_size >= 4096);
        assert_eq!(uniform_topology(3).groups[0].mask, 0b111);
    }
}
