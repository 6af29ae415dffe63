//! Tests of processor topologies of all kinds of machines.

use crate::machines::machine;
use diskspd::host;
use diskspd::machine::{CpuLocation, CpuNode, Group, System};

fn read(name: &str) -> System {
    let (_directory, root) = machine(name);
    host::read(&root)
}

fn group(number: u16, maximum: u32, mask: u64) -> Group {
    Group { number, maximum, active: mask.count_ones(), mask }
}

fn place(number: u32, masks: &[(u16, u64)]) -> CpuNode {
    CpuNode { number, masks: masks.to_vec() }
}

/// Returns (group, number, mask, class) of the cores.
fn cores(system: &System) -> Vec<(u16, u32, u64, u32)> {
    let cores = system.topology.cores.iter();
    cores.map(|core| (core.group, core.number, core.mask, core.efficiency_class)).collect()
}

#[test]
fn single_socket_with_smt_is_read() {
    let system = read("smt");
    assert_eq!(system.computer_name, "desk");
    assert_eq!(system.kernel, "5.15.0-91-generic");
    assert_eq!(system.start_time, Some(1_700_000_123), "123.45 s after the machine");
    assert_eq!(system.memory_available, 2 << 20);
    assert_eq!(system.power_scheme.name.as_deref(), Some("powersave"));
    assert_eq!(system.topology.groups, [group(0, 8, 0xff)]);
    assert_eq!(system.topology.nodes, [place(0, &[(0, 0xff)])]);
    assert_eq!(system.topology.sockets, [place(0, &[(0, 0xff)])]);
    assert_eq!(cores(&system), [(0, 0, 0x11, 0), (0, 1, 0x22, 0), (0, 2, 0x44, 0), (0, 3, 0x88, 0)]);
    assert!(system.topology.smt);
}

#[test]
fn sockets_are_renumbered_and_nodes_without_cpus_left_out() {
    let system = read("two-sockets");
    assert_eq!(system.power_scheme.name.as_deref(), Some("mixed"));
    let halves = [place(0, &[(0, 0x33)]), place(1, &[(0, 0xcc)])];
    assert_eq!(system.topology.sockets, halves);
    assert_eq!(system.topology.nodes, halves);
    let rows = system.topology.rows();
    assert_eq!(rows[6], CpuLocation { socket: 1, node: 1, group: 0, core: 2, class: 0, cpu: 6 });
}

#[test]
fn hybrid_cores_have_classes() {
    let x86 = read("hybrid-x86");
    let expected = [(0, 0, 3, 1), (0, 1, 12, 1), (0, 2, 16, 0), (0, 3, 32, 0), (0, 4, 64, 0), (0, 5, 128, 0)];
    assert_eq!(cores(&x86), expected, "by kind, not by capacity");

    let arm = read("hybrid-arm");
    let classes: Vec<u32> = arm.topology.rows().iter().map(|row| row.class).collect();
    assert_eq!(classes, [0, 0, 0, 0, 1, 1, 1, 2]);
    assert_eq!(arm.topology.sockets.len(), 1, "without package numbers all are in one");
    assert_eq!(arm.topology.nodes, [place(0, &[(0, 0xff)])], "without nodes all are in node 0");
    assert!(!arm.topology.smt);
}

#[test]
fn active_cpus_are_online_and_disallowed_are_noted() {
    let system = read("offline");
    assert_eq!(system.topology.groups, [group(0, 16, 0b1110_0111)]);
    assert_eq!(system.topology.kernel_cpus().collect::<Vec<_>>(), [0, 1, 2, 5, 6, 7]);
    assert_eq!(system.topology.disallowed, [(0, 0b1010_0000)]);
    assert_eq!(system.topology.allowed_cpus().collect::<Vec<_>>(), [0, 1, 2, 6]);
    assert_eq!(
        cores(&system),
        [(0, 0, 0b11, 0), (0, 1, 0b100, 0), (0, 2, 0b10_0000, 0), (0, 3, 0b1100_0000, 0)]
    );
    assert_eq!(system.topology.nodes, [place(0, &[(0, 0b111)]), place(1, &[(0, 0b1110_0000)])]);
    assert_eq!(system.power_scheme.name, None, "no cpufreq");
}

#[test]
fn more_than_64_cpus_form_several_groups() {
    let system = read("two-groups");
    let topology = &system.topology;
    assert_eq!(topology.groups, [group(0, 64, !0), group(1, 64, !0)]);
    let low = 0xffff_ffff;
    assert_eq!(topology.sockets, [place(0, &[(0, low), (1, low)]), place(1, &[(0, !low), (1, !low)])]);
    assert_eq!(topology.core_count(), 64, "a core is one, though its threads are in two groups");
    assert!(topology.smt);
    assert_eq!(topology.cores.len(), 128);
    let rows = topology.rows();
    assert_eq!(rows.len(), 128);
    assert_eq!(rows[64 + 40], CpuLocation { socket: 1, node: 1, group: 1, core: 40, class: 0, cpu: 40 });
    assert!(topology.kernel_cpus().eq(0..128));
}

#[test]
fn machine_with_few_facts_is_accepted() {
    let system = read("bare-vm");
    assert_eq!(system.topology.groups, [group(0, 2, 3)]);
    assert_eq!(cores(&system), [(0, 0, 1, 0), (0, 1, 2, 0)]);
    assert_eq!((system.topology.sockets.len(), system.topology.nodes.len()), (1, 1));
    assert_eq!((system.start_time, system.memory_available), (None, 0));
    assert_eq!(system.computer_name, "");

    let nothing = tempfile::tempdir().unwrap();
    let system = host::read(&host::root::Root::at(nothing.path()));
    assert_eq!(system.topology.groups, [group(0, 1, 1)], "this process runs somewhere");
    assert_eq!(system.topology.allowed_cpus().collect::<Vec<_>>(), [0]);
}

#[test]
fn topology_of_this_machine_is_plausible() {
    let system = host::snapshot();
    let topology = &system.topology;
    assert!(!system.computer_name.is_empty() && !system.kernel.is_empty());
    assert!(system.start_time.unwrap() <= diskspd::clock::wall_seconds() + 1);
    assert!(topology.core_count() >= topology.sockets.len());
    let mut of_cores: Vec<(u16, u32)> = Vec::new();
    for core in &topology.cores {
        of_cores.extend((0..64).filter(|cpu| core.mask >> cpu & 1 == 1).map(|cpu| (core.group, cpu)));
    }
    of_cores.sort_unstable();
    assert_eq!(of_cores, topology.active_cpus().collect::<Vec<_>>(), "every active CPU is in one core");
}
