//! Blocks of atomic writes, read back.

use super::*;
use std::collections::BTreeMap;

const SECTOR: usize = 512;

/// Returns two sectors of a unit with these versions.
fn sample_block(versions: [u64; 2]) -> Vec<u8> {
    let sector = |(index, generation): (u32, u64)| {
        let (run, offset, write) = (7, u64::from(index) * SECTOR as u64, generation);
        let stamp = SectorStamp { run, offset, generation, target: 0, writer: 0, write, index, sectors: 2 };
        let mut bytes = vec![0; SECTOR];
        stamp.fill(&mut bytes);
        SectorChecksums::new(SECTOR).seal(&stamp, &mut bytes);
        bytes
    };
    (0..).zip(versions).flat_map(sector).collect()
}

/// Returns a journal in which version 3 of that unit is durable.
fn sample_journal(atomic: bool, overlapped: bool) -> JournalContent {
    let (sector, unit, mixing) = (SECTOR as u32, 2 * SECTOR as u64, Mixing::Never);
    let target = JournalTarget { id: 0, sector, unit, mixing, atomic, path: "a".into() };
    let ack = Acknowledged {
        target: 0,
        writer: 0,
        offset: 0,
        oldest: 3,
        write: 3,
        write_offset: 0,
        write_length: 2 * SECTOR as u32,
        overlapped,
        at_us: 1,
    };
    let (targets, acknowledged) = (BTreeMap::from([(0, target)]), BTreeMap::from([((0, 0), ack)]));
    JournalContent { run: 7, targets, acknowledged, ..JournalContent::default() }
}

#[test]
fn mixed_block_breaks_atomic_writes_only() {
    use SectorState::{NotAtomic, Torn};
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = directory.path().join("a");
    for (versions, atomic, overlapped, expected) in [
        ([3, 3], true, false, None),
        ([4, 4], true, false, None),
        ([3, 4], false, false, None),
        ([3, 4], true, true, None),
        ([3, 4], true, false, Some(NotAtomic)),
        ([4, 3], true, false, Some(NotAtomic)),
        ([3, 2], true, false, Some(NotAtomic)),
        ([3, 2], false, false, Some(Torn)),
    ] {
        std::fs::write(&path, sample_block(versions)).unwrap();
        let content = sample_journal(atomic, overlapped);
        let found = read_back(&content, &content.targets[&0], &path, Power::Unknown).unwrap();
        let faults: Vec<SectorState> = found.results.failures.iter().map(|failed| failed.fault).collect();
        assert_eq!(faults, expected.into_iter().collect::<Vec<_>>(), "{versions:?} {atomic} {overlapped}");
    }
}

/// The largest unit that a journal can name, on a target of two sectors: all others are counted without
/// reading.
#[test]
fn unit_after_the_end_is_unreadable() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = directory.path().join("a");
    std::fs::write(&path, sample_block([3, 3])).unwrap();
    let mut content = sample_journal(false, false);
    let unit = u64::from(u32::MAX) / 512 * 512;
    let target = content.targets.get_mut(&0).unwrap();
    (target.unit, target.sector) = (unit, SECTOR as u32);
    let first = content.acknowledged[&(0, 0)];
    for number in 0..1000 {
        let offset = number * unit;
        let ack =
            Acknowledged { offset, write_offset: offset, write_length: unit as u32, write: number, ..first };
        content.acknowledged.insert((0, offset), ack);
    }
    let found = read_back(&content, &content.targets[&0], &path, Power::Unknown).unwrap();
    let counts = &found.results.counts;
    let sectors = 1000 * (unit / 512);
    assert_eq!((counts.verified, counts.failed[&SectorState::Unreadable]), (2, sectors - 2));
    let offsets: Vec<u64> = found.results.failures.iter().map(|failed| failed.offset).collect();
    assert_eq!(offsets, (2..34).map(|sector| sector * 512).collect::<Vec<_>>());
}

#[test]
fn same_target_is_found_by_any_name() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    for name in ["a", "b"] {
        std::fs::write(at(name), "").unwrap();
    }
    std::fs::hard_link(at("a"), at("c")).unwrap();
    for (names, expected) in [
        (vec!["a", "b"], None),
        (vec!["a", "b", "c"], Some((0, 2))),
        (vec!["b", "a", "./a"], Some((1, 2))),
        (vec!["missing", "missing"], None),
    ] {
        let paths: Vec<_> = names.into_iter().map(at).collect();
        assert_eq!(same_target(paths.iter().map(|path| path.as_path())), expected);
    }
}
