//! Processors in DISKSPD's terms, from `/sys/devices/system`.

use super::root::{Root, number};
use diskspd_machine::cpu_list;
use diskspd_machine::{Core, CpuNode, Group, Topology};
use std::collections::{BTreeMap, BTreeSet};

const GROUP: u32 = 64;
const CPUS: &str = "/sys/devices/system/cpu";

/// Reads the topology of all online CPUs, and marks CPUs that this process may not use. A CPU without
/// kernel data counts as a separate core in node 0 and socket 0.
pub(crate) fn read(root: &Root) -> Topology {
    let (active, forbidden) = active_cpus(root);
    let cores = list_cores(root, &active);
    Topology {
        groups: list_groups(root, &active),
        nodes: list_nodes(root, &active),
        sockets: list_sockets(root, &active),
        smt: cores.iter().any(|core| core.continued || core.mask.count_ones() > 1),
        cores,
        disallowed: group_masks(&forbidden).into_iter().collect(),
    }
}

fn read_cpu_list(root: &Root, file: &str) -> Vec<u32> {
    root.text(file).map(|text| cpu_list(&text)).unwrap_or_default()
}

fn active_cpus(root: &Root) -> (Vec<u32>, Vec<u32>) {
    let mut online = read_cpu_list(root, &format!("{CPUS}/online"));
    if online.is_empty() {
        online = cpus_of_stat(root);
    }
    let status = root.text("/proc/self/status").unwrap_or_default();
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .map(cpu_list)
        .unwrap_or_default();
    let (usable, forbidden): (Vec<u32>, Vec<u32>) = online.iter().partition(|cpu| allowed.contains(cpu));
    // Where the files contradict each other or say nothing, this process still runs somewhere.
    let forbidden = if usable.is_empty() { Vec::new() } else { forbidden };
    let active = [online, allowed, vec![0]].into_iter().find(|cpus| !cpus.is_empty()).unwrap_or_default();
    (active, forbidden)
}

/// Returns the online CPUs from /proc/stat, which also exists without /sys.
fn cpus_of_stat(root: &Root) -> Vec<u32> {
    let text = root.text("/proc/stat").unwrap_or_default();
    let names = text.lines().filter_map(|line| line.split_ascii_whitespace().next());
    names.filter_map(|name| name.strip_prefix("cpu")).flat_map(cpu_list).collect()
}

/// All groups up to the last with an active CPU, so that a group's number is its index.
fn list_groups(root: &Root, active: &[u32]) -> Vec<Group> {
    let possible = read_cpu_list(root, &format!("{CPUS}/possible"));
    let end = |cpus: &[u32]| cpus.last().map_or(0, |last| last + 1);
    let maximum = end(&possible).max(end(active));
    (0..end(active).div_ceil(GROUP))
        .map(|number| {
            let mask = group_masks(active).get(&(number as u16)).copied().unwrap_or(0);
            Group {
                number: number as u16,
                maximum: maximum.saturating_sub(number * GROUP).min(GROUP),
                active: mask.count_ones(),
                mask,
            }
        })
        .collect()
}

fn group_masks(cpus: &[u32]) -> BTreeMap<u16, u64> {
    let mut masks = BTreeMap::new();
    for cpu in cpus {
        *masks.entry((cpu / GROUP) as u16).or_insert(0) |= 1 << (cpu % GROUP);
    }
    masks
}

fn cpu_place(number: u32, cpus: &[u32]) -> CpuNode {
    CpuNode { number, masks: group_masks(cpus).into_iter().collect() }
}

fn list_nodes(root: &Root, active: &[u32]) -> Vec<CpuNode> {
    let directory = "/sys/devices/system/node";
    let mut node_of: BTreeMap<u32, u32> = BTreeMap::new();
    for name in root.names(directory) {
        let Some(number) = name.strip_prefix("node").and_then(|text| text.parse().ok()) else { continue };
        for cpu in read_cpu_list(root, &format!("{directory}/{name}/cpulist")) {
            node_of.entry(cpu).or_insert(number);
        }
    }
    let mut cpus_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &cpu in active {
        cpus_of.entry(node_of.get(&cpu).copied().unwrap_or(0)).or_default().push(cpu);
    }
    cpus_of.into_iter().map(|(number, cpus)| cpu_place(number, &cpus)).collect()
}

fn list_sockets(root: &Root, active: &[u32]) -> Vec<CpuNode> {
    let mut sockets: Vec<(i64, Vec<u32>)> = Vec::new();
    for &cpu in active {
        let id = number(&root.path(format!("{CPUS}/cpu{cpu}/topology/physical_package_id"))).unwrap_or(-1);
        match sockets.iter_mut().find(|(known, _)| *known == id) {
            Some((_, cpus)) => cpus.push(cpu),
            None => sockets.push((id, vec![cpu])),
        }
    }
    sockets.iter().zip(0..).map(|((_, cpus), number)| cpu_place(number, cpus)).collect()
}

fn list_cores(root: &Root, active: &[u32]) -> Vec<Core> {
    let classes = core_classes(root, active);
    let active: BTreeSet<u32> = active.iter().copied().collect();
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    let mut cores = Vec::new();
    for &cpu in &active {
        if seen.contains(&cpu) {
            continue;
        }
        let mut siblings = read_cpu_list(root, &format!("{CPUS}/cpu{cpu}/topology/thread_siblings_list"));
        siblings.retain(|sibling| active.contains(sibling) && !seen.contains(sibling) && *sibling != cpu);
        siblings.insert(0, cpu);
        seen.extend(&siblings);
        let efficiency_class = siblings.iter().filter_map(|cpu| classes.get(cpu)).copied().max().unwrap_or(0);
        for (index, (group, mask)) in group_masks(&siblings).into_iter().enumerate() {
            cores.push(Core { group, number: 0, mask, efficiency_class, continued: index > 0 });
        }
    }
    cores.sort_by_key(|core| (core.group, core.mask.trailing_zeros()));
    let mut next: BTreeMap<u16, u32> = BTreeMap::new();
    for core in &mut cores {
        let number = next.entry(core.group).or_default();
        core.number = *number;
        *number += 1;
    }
    cores
}

/// Efficiency class by CPU: 0 is the least capable class among the active CPUs.
///
/// On hybrid x86 the CPU lists of the performance counters define the classes; its `cpu_capacity`, if any,
/// differs even between cores of one kind. Elsewhere `cpu_capacity` defines them, if all CPUs have one.
fn core_classes(root: &Root, active: &[u32]) -> BTreeMap<u32, u32> {
    let kinds = ["cpu_lowpower", "cpu_atom", "cpu_core"];
    // The one is a link to the other, where both are.
    let places = ["/sys/bus/event_source/devices", "/sys/devices"];
    let kinds = kinds.map(|kind| {
        let found = places.map(|place| read_cpu_list(root, &format!("{place}/{kind}/cpus")));
        found.into_iter().find(|cpus| !cpus.is_empty()).unwrap_or_default()
    });
    let kind = |cpu: u32| kinds.iter().position(|cpus| cpus.contains(&cpu)).map(|rank| rank as u64);
    let capacity = |cpu: u32| number::<u64>(&root.path(format!("{CPUS}/cpu{cpu}/cpu_capacity")));
    let all = |rank: &dyn Fn(u32) -> Option<u64>| -> Option<Vec<u64>> {
        active.iter().map(|cpu| rank(*cpu)).collect()
    };
    let Some(ranks) = all(&kind).or_else(|| all(&capacity)) else { return BTreeMap::new() };
    let distinct: BTreeSet<u64> = ranks.iter().copied().collect();
    let class = |rank: &u64| distinct.iter().position(|known| known == rank).unwrap_or(0) as u32;
    active.iter().copied().zip(ranks.iter().map(class)).collect()
}
