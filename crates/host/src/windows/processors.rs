//! Processors, from the response of `GetLogicalProcessorInformationEx`.

use super::fields::Fields;
use diskspd_machine::caches::{Cache, CacheKind};
use diskspd_machine::{Core, CpuNode, Group, Topology};
use std::collections::BTreeMap;

const GROUP: u32 = 64;

/// Size of `GROUP_AFFINITY`: mask, group number, and padding.
const AFFINITY: usize = 16;

/// Bytes of `PROCESSOR_GROUP_INFO`.
const GROUP_INFO: usize = 48;

/// `LTP_PC_SMT`
const SMT: u8 = 1;

/// Kinds of structures (`LOGICAL_PROCESSOR_RELATIONSHIP`).
const CORE: u32 = 0;
const NODE: u32 = 1;
const CACHE: u32 = 2;
const SOCKET: u32 = 3;
const GROUPS: u32 = 4;

#[derive(Debug, Clone, Default)]
pub(super) struct ProcessorFacts {
    pub groups: Vec<u8>,
    pub nodes: Vec<u8>,
    pub sockets: Vec<u8>,
    pub cores: Vec<u8>,
}

type Masks = BTreeMap<u16, u64>;

/// The structures of one kind in an answer. One that claims another length than can be ends it.
fn find_structures(answer: &[u8], kind: u32) -> impl Iterator<Item = Fields<'_>> {
    let mut rest = answer;
    let all = std::iter::from_fn(move || {
        let size = usize::try_from(Fields(rest).u32(4)?).ok().filter(|size| *size >= 8)?;
        let found = rest.get(..size)?;
        rest = &rest[size..];
        Some(Fields(found))
    });
    all.filter(move |found| found.u32(0) == Some(kind))
}

/// Returns the masks of a structure. The count and the masks have different offsets. Older systems report
/// 0 and have one mask.
fn read_masks(found: Fields, count_at: usize, masks_at: usize) -> Vec<(u16, u64)> {
    let count = found.u16(count_at).unwrap_or(0).max(1);
    let affinities = found.array(masks_at, AFFINITY, count.into());
    affinities.filter_map(|each| Some((each.u16(8)?, each.u64(0)?))).collect()
}

fn take(left: &mut Masks, found: Vec<(u16, u64)>) -> Vec<(u16, u64)> {
    let mut taken = Masks::new();
    for (group, mask) in found {
        if let Some(rest) = left.get_mut(&group).filter(|rest| **rest & mask != 0) {
            *taken.entry(group).or_default() |= *rest & mask;
            *rest &= !mask;
        }
    }
    taken.into_iter().collect()
}

/// Returns the topology; `None` without a group with an active CPU. As on Linux, a CPU without further
/// data counts as a separate core in node 0 and socket 0.
pub(super) fn topology(answers: &ProcessorFacts) -> Option<Topology> {
    let groups = list_groups(&answers.groups);
    let active: Masks = groups.iter().map(|group| (group.number, group.mask)).collect();
    active.values().any(|mask| *mask != 0).then_some(())?;
    let node = |found: Fields| Some((found.u32(8)?, read_masks(found, 30, 32)));
    let nodes = list_places(&active, find_structures(&answers.nodes, NODE).filter_map(node));
    let socket = |found: Fields| read_masks(found, 30, 32);
    let mut sockets = find_structures(&answers.sockets, SOCKET).map(socket).collect::<Vec<_>>();
    // They have no numbers: they are counted in the order of their first CPUs.
    sockets.sort_by_key(|masks| masks.iter().map(|(group, mask)| (*group, mask.trailing_zeros())).min());
    let sockets = list_places(&active, (0..).zip(sockets));
    let cores = list_cores(&active, &answers.cores);
    let smt =
        find_structures(&answers.cores, CORE).any(|core| core.u8(8).is_some_and(|flags| flags & SMT != 0));
    Some(Topology { groups, nodes, sockets, cores, smt, ..Topology::default() })
}

fn list_groups(answer: &[u8]) -> Vec<Group> {
    let Some(found) = find_structures(answer, GROUPS).next() else { return Vec::new() };
    let count = found.u16(10).unwrap_or(0);
    let group = |(number, each): (u16, Fields)| {
        let mask = each.u64(40)?;
        let active = mask.count_ones();
        Some(Group { number, maximum: u32::from(each.u8(0)?).max(active), active, mask })
    };
    (0..).zip(found.array(32, GROUP_INFO, count.into())).filter_map(group).collect()
}

/// Nodes or sockets by number, with the active CPUs that none before has; CPUs that none has are in 0.
fn list_places(active: &Masks, found: impl Iterator<Item = (u32, Vec<(u16, u64)>)>) -> Vec<CpuNode> {
    let mut left = active.clone();
    let mut places: BTreeMap<u32, Masks> = BTreeMap::new();
    let mut add = |number: u32, masks: Vec<(u16, u64)>| {
        for (group, mask) in masks {
            *places.entry(number).or_default().entry(group).or_default() |= mask;
        }
    };
    for (number, masks) in found {
        add(number, take(&mut left, masks));
    }
    add(0, left.into_iter().filter(|(_, mask)| *mask != 0).collect());
    let place = |(number, masks): (u32, Masks)| CpuNode { number, masks: masks.into_iter().collect() };
    places.into_iter().map(place).collect()
}

fn list_cores(active: &Masks, answer: &[u8]) -> Vec<Core> {
    let mut left = active.clone();
    let mut cores = Vec::new();
    for found in find_structures(answer, CORE) {
        let efficiency_class = found.u8(9).unwrap_or(0).into();
        for (index, (group, mask)) in take(&mut left, read_masks(found, 30, 32)).into_iter().enumerate() {
            cores.push(Core { group, number: 0, mask, efficiency_class, continued: index > 0 });
        }
    }
    for (group, mask) in left {
        let alone = (0..GROUP).map(|cpu| 1 << cpu).filter(|one| mask & one != 0);
        cores.extend(alone.map(|mask| Core {
            group,
            number: 0,
            mask,
            efficiency_class: 0,
            continued: false,
        }));
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

/// Returns the caches of these CPUs, unique by first CPU, level and kind.
pub(super) fn caches(answer: &[u8], topology: &Topology) -> Vec<Cache> {
    let active: Masks = topology.groups.iter().map(|group| (group.number, group.mask)).collect();
    let mut caches: Vec<Cache> = Vec::new();
    for cache in find_structures(answer, CACHE).filter_map(|found| cache(found, &active)) {
        if !caches.contains(&cache) {
            caches.push(cache);
        }
    }
    let first = |cache: &Cache| cache.masks.first().map(|(group, mask)| (*group, mask.trailing_zeros()));
    caches.sort_by_key(|cache| (first(cache), cache.level));
    caches
}

fn cache(found: Fields, active: &Masks) -> Option<Cache> {
    let masks = take(&mut active.clone(), read_masks(found, 38, 40));
    let kind = match found.u32(16)? {
        0 => CacheKind::Unified,
        1 => CacheKind::Instruction,
        2 => CacheKind::Data,
        _ => CacheKind::Unknown,
    };
    let (level, size) = (found.u8(8)?.into(), found.u32(12)?.into());
    let (associativity, line) = (found.u8(9)?.into(), found.u16(10)?.into());
    (!masks.is_empty()).then_some(Cache { level, kind, size, line, associativity, masks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample_structure(kind: u32, size: usize, parts: &[(usize, &[u8])]) -> Vec<u8> {
        let mut bytes = vec![0; size];
        bytes[..4].copy_from_slice(&kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&u32::try_from(size).unwrap().to_le_bytes());
        for (at, part) in parts {
            bytes[*at..at + part.len()].copy_from_slice(part);
        }
        bytes
    }

    fn sample_affinities(masks: &[(u16, u64)]) -> Vec<u8> {
        let one =
            |(group, mask): &(u16, u64)| [&mask.to_le_bytes()[..], &group.to_le_bytes(), &[0; 6]].concat();
        masks.iter().flat_map(one).collect()
    }

    fn sample_relation(kind: u32, head: &[u8], masks: &[(u16, u64)]) -> Vec<u8> {
        let count = u16::try_from(masks.len()).unwrap().to_le_bytes();
        let size = 32 + AFFINITY * masks.len();
        sample_structure(kind, size, &[(8, head), (30, &count), (32, &sample_affinities(masks))])
    }

    fn of_groups(groups: &[(u8, u64)]) -> Vec<u8> {
        let info = |(maximum, mask): &(u8, u64)| {
            let mut info = vec![0; GROUP_INFO];
            (info[0], info[1]) = (*maximum, u8::try_from(mask.count_ones()).unwrap());
            info[40..].copy_from_slice(&mask.to_le_bytes());
            info
        };
        let infos: Vec<u8> = groups.iter().flat_map(info).collect();
        let count = u16::try_from(groups.len()).unwrap().to_le_bytes();
        sample_structure(GROUPS, 32 + infos.len(), &[(8, &count), (10, &count), (32, &infos)])
    }

    /// Two groups of four and two CPUs, two nodes, two sockets; the first two cores have two threads and are
    /// more capable.
    fn sample_machine() -> ProcessorFacts {
        ProcessorFacts {
            groups: of_groups(&[(64, 0b1111), (4, 0b11)]),
            nodes: [
                sample_relation(NODE, &1_u32.to_le_bytes(), &[(1, 0b11)]),
                sample_relation(NODE, &0_u32.to_le_bytes(), &[(0, 0b1111)]),
            ]
            .concat(),
            // The second one is reported first.
            sockets: [
                sample_relation(SOCKET, &[], &[(1, 0b11)]),
                sample_relation(SOCKET, &[], &[(0, 0b1111)]),
            ]
            .concat(),
            cores: [
                sample_relation(CORE, &[0, 0], &[(1, 0b01)]),
                sample_relation(CORE, &[0, 0], &[(1, 0b10)]),
                sample_relation(CORE, &[SMT, 1], &[(0, 0b1100)]),
                sample_relation(CORE, &[SMT, 1], &[(0, 0b0011)]),
            ]
            .concat(),
        }
    }

    #[test]
    fn topology_is_listed_in_diskspd_order() {
        let found = topology(&sample_machine()).unwrap();
        let group = |number, maximum, active, mask| Group { number, maximum, active, mask };
        assert_eq!(found.groups, [group(0, 64, 4, 0b1111), group(1, 4, 2, 0b11)]);
        let place = |number, masks: &[(u16, u64)]| CpuNode { number, masks: masks.to_vec() };
        let both = [place(0, &[(0, 0b1111)]), place(1, &[(1, 0b11)])];
        assert_eq!((&found.nodes[..], &found.sockets[..]), (&both[..], &both[..]));
        let core = |group, number, mask, class| Core {
            group,
            number,
            mask,
            efficiency_class: class,
            continued: false,
        };
        assert_eq!(
            found.cores,
            [core(0, 0, 0b11, 1), core(0, 1, 0b1100, 1), core(1, 0, 0b01, 0), core(1, 1, 0b10, 0)]
        );
        assert!(found.smt && found.disallowed.is_empty());
        assert_eq!(found.core_count(), 4);
    }

    #[test]
    fn node_may_span_groups_and_old_systems_omit_groups() {
        let spanning = sample_relation(NODE, &0_u32.to_le_bytes(), &[(0, 0b1111), (1, 0b11)]);
        let found = topology(&ProcessorFacts { nodes: spanning, ..sample_machine() }).unwrap();
        assert_eq!(found.nodes, [CpuNode { number: 0, masks: vec![(0, 0b1111), (1, 0b11)] }]);
        // Before Windows Server 2022 the count is a reserved field.
        let mut old = sample_relation(NODE, &3_u32.to_le_bytes(), &[(0, 0b1111)]);
        old[30] = 0;
        let found = topology(&ProcessorFacts { nodes: old, ..sample_machine() }).unwrap();
        let numbers: Vec<_> = found.nodes.iter().map(|node| (node.number, node.masks[0])).collect();
        assert_eq!(numbers, [(0, (1, 0b11)), (3, (0, 0b1111))], "who is told nowhere is in node 0");
    }

    #[test]
    fn cpu_without_topology_is_a_single_core() {
        let found =
            topology(&ProcessorFacts { groups: of_groups(&[(2, 0b101)]), ..ProcessorFacts::default() })
                .unwrap();
        let masks: Vec<_> = found.cores.iter().map(|core| (core.number, core.mask)).collect();
        assert_eq!(masks, [(0, 0b001), (1, 0b100)]);
        let all = [CpuNode { number: 0, masks: vec![(0, 0b101)] }];
        assert_eq!((&found.nodes[..], &found.sockets[..]), (&all[..], &all[..]));
        assert!(!found.smt);
        assert_eq!(topology(&ProcessorFacts::default()), None);
        assert_eq!(topology(&ProcessorFacts { groups: of_groups(&[(64, 0)]), ..sample_machine() }), None);
    }

    #[test]
    fn active_cpu_has_one_core_and_node() {
        let cores = [
            sample_relation(CORE, &[SMT, 0], &[(0, 0b0011)]),
            sample_relation(CORE, &[SMT, 0], &[(0, 0b0110)]),
            sample_relation(CORE, &[0, 0], &[(0, 1 << 60)]),
            sample_relation(CORE, &[0, 0], &[(9, 1)]),
        ]
        .concat();
        let found = topology(&ProcessorFacts {
            groups: of_groups(&[(64, 0b0111)]),
            cores,
            ..ProcessorFacts::default()
        });
        let masks: Vec<_> = found.unwrap().cores.iter().map(|core| core.mask).collect();
        assert_eq!(masks, [0b011, 0b100]);
    }

    #[test]
    fn caches_are_listed_once_with_their_sharers() {
        let cache = |level: u8, kind: u32, ways: u8, size: u32, mask| {
            let head = [&[level, ways, 64, 0][..], &size.to_le_bytes(), &kind.to_le_bytes()].concat();
            sample_structure(CACHE, 56, &[(8, &head), (38, &[1, 0]), (40, &sample_affinities(&[(0, mask)]))])
        };
        let answer = [
            cache(3, 0, 0xff, 8 << 20, 0b1111),
            cache(1, 2, 8, 32 << 10, 0b0011),
            cache(1, 1, 8, 32 << 10, 0b0011),
            cache(1, 2, 8, 32 << 10, 0b0011),
            cache(1, 3, 8, 12 << 10, 1 << 40),
        ]
        .concat();
        let found = caches(&answer, &topology(&sample_machine()).unwrap());
        let told: Vec<_> = found.iter().map(|cache| (cache.level, cache.kind, cache.associativity)).collect();
        let expected =
            [(1, CacheKind::Data, 8), (1, CacheKind::Instruction, 8), (3, CacheKind::Unified, 255)];
        assert_eq!(told, expected);
        assert_eq!((found[2].size, found[2].line, &found[2].masks[..]), (8 << 20, 64, &[(0, 0b1111)][..]));
    }

    fn is_whole(found: &Topology) -> bool {
        found.groups.iter().all(|group| {
            let of = |places: &[CpuNode]| {
                let masks = places.iter().flat_map(|place| &place.masks);
                masks.filter(|(number, _)| *number == group.number).map(|(_, mask)| *mask).collect()
            };
            let cores = found.cores.iter().filter(|core| core.group == group.number);
            [of(&found.nodes), of(&found.sockets), cores.map(|core| core.mask).collect::<Vec<u64>>()]
                .iter()
                .all(|masks| {
                    let count: u32 = masks.iter().map(|mask| mask.count_ones()).sum();
                    masks.iter().fold(0, |all, mask| all | mask) == group.mask && count == group.active
                })
        })
    }

    proptest! {
        #[test]
        fn invalid_answers_give_complete_or_no_topology(
            noise in prop::collection::vec((0..4_usize, any::<prop::sample::Index>(), any::<u8>()), 0..24),
            cut in prop::collection::vec(any::<prop::sample::Index>(), 4),
        ) {
            let ProcessorFacts { groups, nodes, sockets, cores } = sample_machine();
            let mut answers = [groups, nodes, sockets, cores];
            for (which, at, byte) in noise {
                let at = at.index(answers[which].len());
                answers[which][at] = byte;
            }
            for (answer, at) in answers.iter_mut().zip(cut) {
                // A third of them is cut.
                let length = at.index(answer.len() * 3);
                answer.truncate(length.max(1));
            }
            let [groups, nodes, sockets, cores] = answers;
            let cache_answer = cores.clone();
            if let Some(found) = topology(&ProcessorFacts { groups, nodes, sockets, cores }) {
                prop_assert!(is_whole(&found), "{found:?}");
                let _ = caches(&cache_answer, &found);
            }
        }

        #[test]
        fn arbitrary_bytes_give_no_cache_without_cpus(
            bytes in prop::collection::vec(any::<u8>(), 0..256),
        ) {
            let found = topology(&sample_machine()).unwrap();
            let answer = [sample_structure(CACHE, 8, &[]), bytes].concat();
            prop_assert!(caches(&answer, &found).iter().all(|cache| !cache.masks.is_empty()));
        }
    }
}
