//! The machines of all hosts as one: their processors are further processor groups.

use crate::results::Host;
use crate::system::fingerprint::Fingerprint;
use crate::system::{Core, Group, Place, PowerScheme, System, Topology};
use std::collections::{BTreeMap, HashSet};

/// Names of hosts that are told one by one.
const FEW: usize = 4;

/// The machines so far.
#[derive(Debug, Default)]
pub struct Machines {
    system: System,
    /// Machines whose memory is counted.
    boots: HashSet<String>,
    count: usize,
}

impl Machines {
    /// Processor groups so far.
    pub fn groups(&self) -> u16 {
        self.system.topology.groups.last().map_or(0, |last| last.number.saturating_add(1))
    }

    /// Adds one.
    pub fn add(&mut self, system: &System) {
        let groups = self.groups();
        append(&mut self.system.topology, &system.topology, groups);
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
        // Ranks on one machine have the same memory.
        if system.boot.as_ref().is_none_or(|boot| self.boots.insert(boot.clone())) {
            all.memory_available = all.memory_available.saturating_add(system.memory_available);
            all.memory_total = all.memory_total.saturating_add(system.memory_total);
        }
        self.count += 1;
    }

    /// All together, with the fingerprint of all.
    pub fn finish(self, hosts: &[Host]) -> System {
        let names: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
        let computer_name = match names.as_slice() {
            few if few.len() <= FEW => few.join(", "),
            [first, .., last] => format!("{} hosts: {first} .. {last}", names.len()),
            _ => String::new(),
        };
        System { computer_name, fingerprint: fingerprint(hosts), ..self.system }
    }
}

fn same_or_nothing(all: &mut String, other: &str) {
    if all != other {
        all.clear();
    }
}

/// What two runs on several hosts must share: as many hosts of each kind.
fn fingerprint(hosts: &[Host]) -> Option<Fingerprint> {
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

/// Adds the processors of another machine; `groups`: those that are there.
fn append(all: &mut Topology, other: &Topology, groups: u16) {
    let moved = |group: u16| group.saturating_add(groups);
    let masks = |masks: &[(u16, u64)]| masks.iter().map(|(group, mask)| (moved(*group), *mask)).collect();
    let next = |places: &[Place]| places.iter().map(|place| place.number + 1).max().unwrap_or(0);
    let (nodes, sockets) = (next(&all.nodes), next(&all.sockets));
    let place = |first: u32| {
        move |place: &Place| Place { number: first.saturating_add(place.number), masks: masks(&place.masks) }
    };
    all.groups.extend(other.groups.iter().map(|group| Group { number: moved(group.number), ..*group }));
    all.nodes.extend(other.nodes.iter().map(place(nodes)));
    all.sockets.extend(other.sockets.iter().map(place(sockets)));
    all.cores.extend(other.cores.iter().map(|core| Core { group: moved(core.group), ..*core }));
    all.forbidden.extend(other.forbidden.iter().map(|(group, mask)| (moved(*group), *mask)));
    all.smt |= other.smt;
}
