//! Which CPU each thread is bound to, and rules A1 to A3: the CPUs asked for have to exist.

use super::PlanError;
use crate::profile::TimeSpan;
use crate::system::{Group, Topology, kernel_cpu};

/// The CPUs that threads are bound to: thread i to entry i mod length. Empty = not bound.
pub fn cpus(span: &TimeSpan, topology: &Topology) -> Vec<u32> {
    if span.disable_affinity {
        return Vec::new();
    }
    if !span.affinity.is_empty() {
        return span.affinity.iter().map(|a| kernel_cpu(a.group, u32::from(a.cpu))).collect();
    }
    topology.kernel_cpus().collect()
}

/// Checks an explicit list; one error for every entry that doesn't fit.
pub fn check(span: &TimeSpan, topology: &Topology) -> Vec<PlanError> {
    span.affinity
        .iter()
        .filter_map(|a| fault(a.group, a.cpu, &topology.groups))
        .map(PlanError::profile)
        .collect()
}

fn fault(group: u16, cpu: u8, groups: &[Group]) -> Option<String> {
    let Some(found) = groups.iter().find(|g| g.number == group) else {
        return Some(format!(
            "-a: there is no processor group {group}: this machine has {} (groups of 64 CPUs, numbered from 0)",
            groups.len()
        ));
    };
    if u32::from(cpu) >= found.maximum {
        return Some(format!(
            "-a: there is no CPU {cpu} in group {group}: it has {} CPUs, numbered from 0",
            found.maximum
        ));
    }
    if cpu >= 64 || found.mask >> cpu & 1 == 0 {
        return Some(format!(
            "-a: CPU {cpu} of group {group} is not active: it is offline, or not allowed for this process (cpuset, \
             taskset); the active CPUs are 0x{:x}",
            found.mask
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::GroupCpu;

    fn machine(groups: &[(u32, u64)]) -> Topology {
        let groups = groups
            .iter()
            .enumerate()
            .map(|(n, &(maximum, mask))| Group { number: n as u16, maximum, active: mask.count_ones(), mask })
            .collect();
        Topology { groups, ..Topology::default() }
    }

    fn asked(entries: &[(u16, u8)]) -> TimeSpan {
        let affinity = entries.iter().map(|&(group, cpu)| GroupCpu { group, cpu }).collect();
        TimeSpan { affinity, ..TimeSpan::default() }
    }

    #[test]
    fn the_affinity_vectors_of_the_validation_rules() {
        type Case = (&'static [(u32, u64)], &'static [(u16, u8)], &'static str);
        let cases: &[Case] = &[
            (&[(2, 3), (2, 3)], &[(0, 0), (0, 1), (1, 0), (1, 1)], ""),
            (&[(2, 1), (2, 1)], &[(0, 0), (0, 1), (1, 0), (1, 1)], "not active"),
            (&[(1, 1), (1, 1)], &[(0, 0), (0, 1), (1, 0), (1, 1)], "no CPU 1"),
            (&[(1, 1), (1, 1)], &[(0, 0), (1, 0)], ""),
            (&[(1, 1)], &[(0, 0), (1, 0)], "no processor group 1"),
            (&[(1, 1)], &[(0, 0)], ""),
            (&[(1, 1)], &[(1, 0)], "no processor group 1"),
        ];
        for (groups, entries, expected) in cases {
            let errors = check(&asked(entries), &machine(groups));
            assert_eq!(errors.is_empty(), expected.is_empty(), "{groups:?} {entries:?}: {errors:?}");
            assert!(
                errors.iter().all(|e| e.message.contains(expected)),
                "{groups:?} {entries:?}: {errors:?}"
            );
        }
    }

    #[test]
    fn threads_go_round_the_active_cpus_group_by_group_or_round_the_list_as_given() {
        let machine = machine(&[(64, 0b1011), (4, 0b10)]);
        assert_eq!(cpus(&asked(&[]), &machine), [0, 1, 3, 65]);
        assert_eq!(cpus(&asked(&[(1, 1), (0, 3), (0, 3)]), &machine), [65, 3, 3]);
        let unbound = TimeSpan { disable_affinity: true, ..TimeSpan::default() };
        assert_eq!(cpus(&unbound, &machine), [0; 0]);
    }
}
