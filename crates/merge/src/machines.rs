//! The machines of all hosts as one: their processors are further processor groups. A machine on which
//! several ranks ran counts once.

use diskspd_machine::fingerprint::Fingerprint;
use diskspd_machine::{Core, CpuNode, Group, PowerScheme, System, Topology};
use diskspd_results::Host;
use std::collections::{BTreeMap, HashMap};

const MAX_NAMED: usize = 4;

#[derive(Debug, Default)]
pub(crate) struct Machines {
    system: System,
    known: HashMap<MachineId, MachineIndexes>,
    count: usize,
}

/// Identifier of a machine, which its ranks share.
#[derive(Debug, PartialEq, Eq, Hash)]
enum MachineId {
    /// Boot ID of the running kernel.
    Boot(String),
    /// Name, CPUs and memory as text, for simulated runs, which do not read the kernel.
    Alike(String),
}

impl MachineId {
    fn from_system(system: &System) -> MachineId {
        match &system.boot {
            Some(boot) => MachineId::Boot(boot.clone()),
            None => MachineId::Alike(format!(
                "{} {} {:?}",
                system.computer_name, system.memory_total, system.topology.groups
            )),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MachineIndexes {
    pub first_group: u16,
    pub first_cpu: usize,
    pub cpus: usize,
}

impl Machines {
    /// Adds the machine of a host, unless it is known.
    pub(crate) fn add(&mut self, system: &System) -> MachineIndexes {
        let id = MachineId::from_system(system);
        let cpus = system.topology.active_cpus().count();
        if let Some(known) = self.known.get(&id).copied().filter(|known| known.cpus == cpus) {
            self.share(system, known.first_group);
            return known;
        }
        let topology = &self.system.topology;
        let place = MachineIndexes {
            first_group: topology.groups.last().map_or(0, |last| last.number.saturating_add(1)),
            first_cpu: topology.active_cpus().count(),
            cpus,
        };
        self.known.insert(id, place);
        self.append(system, place.first_group);
        place
    }

    /// Adds another rank on a known machine. A CPU is forbidden if no rank may use it.
    fn share(&mut self, system: &System, first_group: u16) {
        let all = &mut self.system;
        all.start_time = all.start_time.min(system.start_time).or(all.start_time).or(system.start_time);
        for (group, mask) in &mut all.topology.disallowed {
            let Some(own) = group.checked_sub(first_group) else { continue };
            let theirs = system.topology.disallowed.iter().find(|(number, _)| *number == own);
            if system.topology.groups.iter().any(|known| known.number == own) {
                *mask &= theirs.map_or(0, |(_, mask)| *mask);
            }
        }
        all.topology.disallowed.retain(|(_, mask)| *mask != 0);
    }

    fn append(&mut self, system: &System, first_group: u16) {
        append(&mut self.system.topology, &system.topology, first_group);
        let all = &mut self.system;
        if self.count == 0 {
            all.start_time = system.start_time;
            all.power_scheme = system.power_scheme.clone();
            all.kernel.clone_from(&system.kernel);
            all.cpu_model.clone_from(&system.cpu_model);
            all.page_size = system.page_size;
        } else {
            all.start_time = all.start_time.min(system.start_time).or(all.start_time).or(system.start_time);
            if all.power_scheme != system.power_scheme {
                all.power_scheme = PowerScheme::default();
            }
            same_or_nothing(&mut all.kernel, &system.kernel);
            same_or_nothing(&mut all.cpu_model, &system.cpu_model);
            all.page_size = if all.page_size == system.page_size { all.page_size } else { 0 };
        }
        all.memory_available = all.memory_available.saturating_add(system.memory_available);
        all.memory_total = all.memory_total.saturating_add(system.memory_total);
        self.count += 1;
    }

    /// Returns the combined machine, with the fingerprint of all.
    pub(crate) fn finish(self, hosts: &[Host]) -> System {
        let names: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
        let computer_name = match names.as_slice() {
            few if few.len() <= MAX_NAMED => few.join(", "),
            [first, .., last] => format!("{} hosts: {first} .. {last}", names.len()),
            _ => String::new(),
        };
        System { computer_name, fingerprint: merge_fingerprints(hosts), ..self.system }
    }
}

fn same_or_nothing(all: &mut String, other: &str) {
    if all != other {
        all.clear();
    }
}

/// Returns the fingerprint that two runs on several hosts must share: the number of hosts of each kind.
fn merge_fingerprints(hosts: &[Host]) -> Option<Fingerprint> {
    let mut kinds: BTreeMap<&str, (usize, &Fingerprint)> = BTreeMap::new();
    for host in hosts {
        let own = host.system.fingerprint.as_ref()?;
        kinds.entry(&own.hash).or_insert((0, own)).0 += 1;
    }
    let mut parts = BTreeMap::new();
    for (number, (count, own)) in (1..).zip(kinds.values()) {
        parts.insert(format!("hosts of kind {number}"), count.to_string());
        parts.extend(own.parts.iter().map(|(name, value)| match kinds.len() {
            1 => (name.clone(), value.clone()),
            _ => (format!("kind {number} {name}"), value.clone()),
        }));
    }
    Some(Fingerprint::of_parts(parts))
}

fn append(all: &mut Topology, other: &Topology, groups: u16) {
    let moved = |group: u16| group.saturating_add(groups);
    let masks = |masks: &[(u16, u64)]| masks.iter().map(|(group, mask)| (moved(*group), *mask)).collect();
    let next =
        |places: &[CpuNode]| places.iter().map(|place| place.number.saturating_add(1)).max().unwrap_or(0);
    let (nodes, sockets) = (next(&all.nodes), next(&all.sockets));
    let place = |first: u32| {
        move |place: &CpuNode| CpuNode {
            number: first.saturating_add(place.number),
            masks: masks(&place.masks),
        }
    };
    all.groups.extend(other.groups.iter().map(|group| Group { number: moved(group.number), ..*group }));
    all.nodes.extend(other.nodes.iter().map(place(nodes)));
    all.sockets.extend(other.sockets.iter().map(place(sockets)));
    all.cores.extend(other.cores.iter().map(|core| Core { group: moved(core.group), ..*core }));
    all.disallowed.extend(other.disallowed.iter().map(|(group, mask)| (moved(*group), *mask)));
    all.smt |= other.smt;
}
