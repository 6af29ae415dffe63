//! Order in which threads are assigned to CPUs, as in DISKSPD 2.3.

use super::Topology;
use diskspd_profile::{AffinityTraversal, Efficiency, GroupCpu};
use std::collections::BTreeMap;

/// CPU with the properties that determine its position.
struct Candidate {
    group: u16,
    cpu: u8,
    /// Index of the CPU within its core, if that counts.
    pass: u32,
    class: u32,
}

impl Topology {
    /// Returns (group, CPU) for thread 0, 1, ..: the requested CPUs, else all that this process may use.
    /// Repeated CPUs stay repeated.
    pub fn affinity_order(&self, asked: &[GroupCpu], order: AffinityTraversal) -> Vec<(u16, u8)> {
        let mut met: BTreeMap<usize, u32> = BTreeMap::new();
        let highest = self.cores.iter().map(|core| core.efficiency_class).max().unwrap_or(0);
        let candidate = |(group, cpu): (u16, u8)| {
            let core = self.cores.iter().position(|core| core.group == group && core.mask >> cpu & 1 == 1);
            let class = core.map_or(0, |core| self.cores[core].efficiency_class);
            let met = met.entry(core.unwrap_or(usize::MAX)).or_default();
            let pass = if order.core_aware { *met } else { 0 };
            *met += 1;
            let class = match order.efficiency {
                Efficiency::PFirst | Efficiency::FillPFirst => highest - class,
                Efficiency::EFirst | Efficiency::FillEFirst => class,
                Efficiency::Unordered => 0,
            };
            Candidate { group, cpu, pass, class }
        };
        let mut all: Vec<Candidate> = self.stated_cpus(asked).into_iter().map(candidate).collect();
        let fills = matches!(order.efficiency, Efficiency::FillPFirst | Efficiency::FillEFirst);
        // Stable: among equals the stated order decides.
        all.sort_by_key(|c| {
            let group = u32::from(c.group);
            let (first, second) = if fills { (c.class, c.pass) } else { (c.pass, c.class) };
            if order.span_groups { [first, second, group] } else { [group, first, second] }
        });
        all.into_iter().map(|c| (c.group, c.cpu)).collect()
    }

    /// Returns (group, CPU) of the request in order; a whole group means its CPUs that this process may
    /// use. An empty request means all of these.
    pub fn stated_cpus(&self, asked: &[GroupCpu]) -> Vec<(u16, u8)> {
        let allowed = |group: Option<u16>| {
            self.active_cpus()
                .filter(move |(g, _)| group.is_none_or(|group| group == *g))
                .filter(|(g, cpu)| self.forbidden_in(*g) >> cpu & 1 == 0)
                .map(|(g, cpu)| (g, cpu as u8))
        };
        match asked {
            [] => allowed(None).collect(),
            asked => (asked.iter())
                .flat_map(|at| match at.cpu {
                    Some(cpu) => vec![(at.group, cpu)],
                    None => allowed(Some(at.group)).collect(),
                })
                .collect(),
        }
    }

    pub fn by_class(&self, cpus: &[GroupCpu]) -> (Vec<GroupCpu>, Vec<GroupCpu>) {
        let highest = self.cores.iter().map(|core| core.efficiency_class).max().unwrap_or(0);
        let class = |at: &GroupCpu| {
            let holds = |mask: u64| at.cpu.is_some_and(|cpu| mask >> cpu & 1 == 1);
            let core = self.cores.iter().find(|core| core.group == at.group && holds(core.mask));
            core.map_or(0, |core| core.efficiency_class)
        };
        cpus.iter().partition(|at| class(at) == highest)
    }
}
