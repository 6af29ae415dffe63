//! Writes that had to allocate space.

use super::*;
use diskspd_machine::content::ContentShares;
use diskspd_machine::io_counters::SpaceChange;

/// Returns the change of a file of 100 MiB, or of the space of a device.
fn sample_change(device: Option<&str>, before: ContentShares, after: ContentShares) -> SpaceChange {
    let known = 100 * MIB;
    SpaceChange {
        target: device.is_none().then_some(id("a")),
        device: device.map(str::to_owned),
        before: ContentShares { examined: known, ..before },
        after: ContentShares { examined: known, ..after },
    }
}

#[test]
fn first_writes_are_found_by_allocated_space() {
    let none = ContentShares::default();
    let holes = |mib: u64| ContentShares { holes: mib * MIB, ..none };
    let unwritten = |mib: u64| ContentShares { unwritten: mib * MIB, ..none };
    let shared = |mib: u64| ContentShares { shared: mib * MIB, ..none };
    let written = run((0, 50 * MIB));
    let found = |severity| vec![("first-writes", severity)];
    for (what, case, changes, expected) in [
        ("steady writes", &written, vec![sample_change(None, none, none)], vec![]),
        ("holes", &written, vec![sample_change(None, holes(100), holes(50))], found(Warning)),
        (
            "unwritten extents",
            &written,
            vec![sample_change(None, unwritten(100), unwritten(50))],
            found(Warning),
        ),
        ("clones", &written, vec![sample_change(None, shared(100), shared(60))], found(Warning)),
        ("a few", &written, vec![sample_change(None, holes(100), holes(98))], found(Note)),
        (
            "hardly any",
            &written,
            vec![sample_change(None, ContentShares { holes: MIB / 4, ..none }, none)],
            vec![],
        ),
        ("holes that stay", &written, vec![sample_change(None, holes(40), holes(40))], vec![]),
        ("holes that others punched", &written, vec![sample_change(None, holes(10), holes(40))], vec![]),
        ("a sparse image", &written, vec![sample_change(Some("sda"), holes(100), holes(50))], found(Warning)),
        ("beneath other targets", &written, vec![sample_change(Some("sdx"), holes(100), holes(50))], vec![]),
        (
            "a sparse file on a sparse image",
            &written,
            vec![
                sample_change(Some("sda"), holes(100), holes(50)),
                sample_change(None, holes(100), holes(50)),
            ],
            found(Warning),
        ),
        ("nothing written", &run((50 * MIB, 0)), vec![sample_change(None, holes(100), holes(50))], vec![]),
    ] {
        let findings = case.find_names(|facts| facts.space = changes);
        let findings: Vec<_> = findings.into_iter().filter(|(name, _)| *name == "first-writes").collect();
        assert_eq!(findings, expected, "{what}");
    }
}

#[test]
fn split_writes_name_the_splitting_layer() {
    let limited = |largest: u64| {
        let possible_io = Some(4 * MIB);
        Traits { largest_io: Some(largest), hardware_max_io: possible_io, ..Traits::default() }
    };
    for (what, size, largest, fragments, limit, remedied) in [
        ("a limit", 131_072, 131_072, 1, true, true),
        ("fragments beneath a limit", 4096, 131_072, 25_600, false, true),
        ("fragments alone", 4096, 4 * MIB, 25_600, false, true),
        ("stripes", 65_536, 4 * MIB, 1, false, false),
        ("a limit below the pieces", 655_360, 131_072, 1, false, false),
        ("fragments above a limit", 655_360, 131_072, 200, false, true),
    ] {
        let case = run((0, 100 * MIB))
            .of_block(MIB)
            .of_size(size)
            .change_first(|layer| layer.queue_limits = Some(limited(largest)));
        let mut facts = case.device_facts(vec![case.build_target("a")]);
        facts.space = vec![sample_change(
            None,
            ContentShares { fragments, ..ContentShares::default() },
            ContentShares::default(),
        )];
        let found = verdict_of(vec![case.build_results("a")], facts).parts.remove(0);
        assert_eq!(found.verdict, Split, "{what}: {found:#?}");
        assert_eq!(found.message.contains("max_sectors_kb"), limit, "{what}: {}", found.message);
        assert_eq!(found.remedy.is_some(), remedied, "{what}: {:?}", found.remedy);
    }
}
