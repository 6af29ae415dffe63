//! Iteration over the active CPUs, for the report's CPU table and the thread affinity.

use super::{CpuNode, Topology};
use serde::{Deserialize, Serialize};

const GROUP: u32 = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuLocation {
    pub socket: u32,
    pub node: u32,
    pub group: u16,
    pub core: u32,
    pub class: u32,
    pub cpu: u32,
}

impl Topology {
    /// (group, CPU within the group) of the active CPUs, by group, then number: the order of the report.
    pub fn active_cpus(&self) -> impl Iterator<Item = (u16, u32)> + '_ {
        self.groups.iter().flat_map(|group| {
            (0..GROUP).filter(|cpu| group.mask >> cpu & 1 == 1).map(|cpu| (group.number, cpu))
        })
    }

    /// Returns the kernel numbers of the active CPUs, in the same order.
    pub fn kernel_cpus(&self) -> impl Iterator<Item = u32> + '_ {
        self.active_cpus().map(|(group, cpu)| kernel_cpu(group, cpu))
    }

    /// The active CPUs that this process may use, in the same order, as the kernel numbers them: the order
    /// of affinity by default.
    pub fn allowed_cpus(&self) -> impl Iterator<Item = u32> + '_ {
        self.active_cpus()
            .filter(|(group, cpu)| self.forbidden_in(*group) >> cpu & 1 == 0)
            .map(|(group, cpu)| kernel_cpu(group, cpu))
    }

    /// Returns the mask of CPUs of a group that this process may not use.
    pub fn forbidden_in(&self, group: u16) -> u64 {
        self.disallowed.iter().find(|(number, _)| *number == group).map_or(0, |(_, mask)| *mask)
    }

    /// Returns the NUMA nodes with CPUs of this process, limited to these CPUs.
    pub fn allowed_nodes(&self) -> Vec<CpuNode> {
        let allowed = |place: &CpuNode| CpuNode {
            number: place.number,
            masks: (place.masks.iter())
                .map(|&(group, mask)| (group, mask & !self.forbidden_in(group)))
                .filter(|(_, mask)| *mask != 0)
                .collect(),
        };
        self.nodes.iter().map(allowed).filter(|place| !place.masks.is_empty()).collect()
    }

    /// Returns the active CPUs in order with their locations; unknown ones are 0.
    pub fn rows(&self) -> Vec<CpuLocation> {
        self.active_cpus()
            .map(|(group, cpu)| {
                let core = self.cores.iter().find(|core| core.group == group && core.mask >> cpu & 1 == 1);
                CpuLocation {
                    socket: number_of(&self.sockets, group, cpu),
                    node: number_of(&self.nodes, group, cpu),
                    group,
                    core: core.map_or(0, |core| core.number),
                    class: core.map_or(0, |core| core.efficiency_class),
                    cpu,
                }
            })
            .collect()
    }

    /// The NUMA node of an active CPU, as the kernel numbers both; `None` = no such CPU is active.
    pub fn node_of(&self, cpu: u32) -> Option<u32> {
        let (group, number) = ((cpu / GROUP) as u16, cpu % GROUP);
        let mut active = self.active_cpus();
        active.any(|place| place == (group, number)).then(|| number_of(&self.nodes, group, number))
    }

    /// Returns the number of physical cores; a core with CPUs in two groups counts once.
    pub fn core_count(&self) -> usize {
        self.cores.iter().filter(|core| !core.continued).count()
    }
}

pub fn kernel_cpu(group: u16, cpu: u32) -> u32 {
    u32::from(group) * GROUP + cpu
}

fn number_of(places: &[CpuNode], group: u16, cpu: u32) -> u32 {
    let holds = |place: &&CpuNode| place.masks.iter().any(|(g, mask)| *g == group && mask >> cpu & 1 == 1);
    places.iter().find(holds).map_or(0, |place| place.number)
}
