//! CPU affinity of threads, and rules A1 to A3, which require that the requested CPUs exist.

use super::PlanError;
use diskspd_machine::{Group, Topology, kernel_cpu};
use diskspd_profile::{Compat, GroupCpu, TimeSpan};

/// Returns the CPUs for binding: thread i uses entry i mod length. Empty = unbound.
pub(crate) fn cpus(span: &TimeSpan, compat: Compat, topology: &Topology) -> Vec<u32> {
    let order = effective_cpus(span, compat, topology);
    order.into_iter().map(|(group, cpu)| kernel_cpu(group, cpu.into())).collect()
}

/// Returns the CPUs with their groups. DISKSPD 2.2 uses the CPUs in the given order; other orders exist
/// since 2.3.
fn effective_cpus(span: &TimeSpan, compat: Compat, topology: &Topology) -> Vec<(u16, u8)> {
    match span.affinity_traversal {
        _ if span.disable_affinity => Vec::new(),
        None if !compat.is_2_3() => topology.stated_cpus(&span.affinity),
        order => topology.affinity_order(&span.affinity, order.unwrap_or_default()),
    }
}

/// Returns the CPUs of a time span's threads in order, without unused entries. Empty = unbound.
pub fn effective_affinity(span: &TimeSpan, compat: Compat, topology: &Topology) -> Vec<GroupCpu> {
    let threads = usize::try_from(span.threads()).unwrap_or(usize::MAX);
    let used = effective_cpus(span, compat, topology).into_iter().take(threads);
    used.map(|(group, cpu)| GroupCpu { group, cpu: Some(cpu) }).collect()
}

/// Checks an explicit list; returns an error for each invalid entry.
pub(crate) fn check(span: &TimeSpan, topology: &Topology) -> Vec<PlanError> {
    let fault = |at: &GroupCpu| match at.cpu {
        Some(cpu) => fault(at.group, cpu, topology),
        None => fault_of_group(at.group, topology),
    };
    span.affinity.iter().filter_map(fault).map(PlanError::profile).collect()
}

fn no_group(group: u16, topology: &Topology) -> String {
    format!(
        "-a: there is no processor group {group}: this machine has {} (groups of 64 CPUs, numbered from 0)",
        topology.groups.len()
    )
}

fn fault_of_group(group: u16, topology: &Topology) -> Option<String> {
    if !topology.groups.iter().any(|g| g.number == group) {
        return Some(no_group(group, topology));
    }
    let none = topology.stated_cpus(&[GroupCpu { group, cpu: None }]).is_empty();
    none.then(|| format!("-ag{group}: this process may use no CPU of group {group} (cpuset, taskset)"))
}

fn fault(group: u16, cpu: u8, topology: &Topology) -> Option<String> {
    let groups: &[Group] = &topology.groups;
    let Some(found) = groups.iter().find(|g| g.number == group) else {
        return Some(no_group(group, topology));
    };
    if u32::from(cpu) >= found.maximum {
        return Some(format!(
            "-a: there is no CPU {cpu} in group {group}: it has {} CPUs, numbered from 0",
            found.maximum
        ));
    }
    if cpu >= 64 || found.mask >> cpu & 1 == 0 {
        return Some(format!(
            "-a: CPU {cpu} of group {group} is not active: it is offline; the active CPUs are 0x{:x}",
            found.mask
        ));
    }
    let forbidden = topology.forbidden_in(group);
    if forbidden >> cpu & 1 == 1 {
        return Some(format!(
            "-a: CPU {cpu} of group {group} is not allowed for this process (cpuset, taskset); those allowed \
             are 0x{:x}",
            found.mask & !forbidden
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_machine(groups: &[(u32, u64)]) -> Topology {
        let groups = groups
            .iter()
            .enumerate()
            .map(|(n, &(maximum, mask))| Group { number: n as u16, maximum, active: mask.count_ones(), mask })
            .collect();
        Topology { groups, ..Topology::default() }
    }

    fn span_with_cpus(entries: &[(u16, u8)]) -> TimeSpan {
        let affinity = entries.iter().map(|&(group, cpu)| GroupCpu { group, cpu: Some(cpu) }).collect();
        TimeSpan { affinity, ..TimeSpan::default() }
    }

    #[test]
    fn affinity_matches_recorded_vectors() {
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
            let errors = check(&span_with_cpus(entries), &sample_machine(groups));
            assert_eq!(errors.is_empty(), expected.is_empty(), "{groups:?} {entries:?}: {errors:?}");
            assert!(
                errors.iter().all(|e| e.finding.message.contains(expected)),
                "{groups:?} {entries:?}: {errors:?}"
            );
        }
    }

    #[test]
    fn disallowed_cpus_are_left_out_or_refused() {
        let machine =
            Topology { disallowed: vec![(0, 0b10), (1, 0b1)], ..sample_machine(&[(64, 0b1011), (4, 0b11)]) };
        assert_eq!(cpus(&span_with_cpus(&[]), Compat::V2_2, &machine), [0, 3, 65]);
        for (group, cpu, expected) in [
            (0, 0, None),
            (0, 1, Some("not allowed for this process (cpuset, taskset); those allowed are 0x9")),
            (0, 2, Some("it is offline; the active CPUs are 0xb")),
            (1, 0, Some("those allowed are 0x2")),
            (1, 1, None),
        ] {
            let errors = check(&span_with_cpus(&[(group, cpu)]), &machine);
            let found = errors.first().map(|error| error.finding.message.as_str());
            assert!(found.is_some() == expected.is_some(), "{group} {cpu}: {found:?}");
            assert!(
                found.unwrap_or_default().contains(expected.unwrap_or_default()),
                "{group} {cpu}: {found:?}"
            );
        }
    }

    #[test]
    fn threads_are_assigned_round_robin_over_cpus_or_list() {
        let machine = sample_machine(&[(64, 0b1011), (4, 0b10)]);
        assert_eq!(cpus(&span_with_cpus(&[]), Compat::V2_2, &machine), [0, 1, 3, 65]);
        assert_eq!(cpus(&span_with_cpus(&[(1, 1), (0, 3), (0, 3)]), Compat::V2_2, &machine), [65, 3, 3]);
        let unbound = TimeSpan { disable_affinity: true, ..TimeSpan::default() };
        assert_eq!(cpus(&unbound, Compat::V2_2, &machine), [0; 0]);
    }
}
