//! Runs on Windows: a volume on a disk with counters without flushes and merges. The system reports
//! neither the process's device I/O nor dirty memory.

use super::*;

/// A run on a file, with the bytes that the run, the volume and its disk counted.
fn on_volume(counted: Bytes, volume: Bytes, disk: Bytes) -> Case {
    let mut case = run(counted).on_file().with_device(volume).with_lower_device("PhysicalDrive0", disk);
    case.devices[0].0.name = "C:".into();
    case.devices[0].0.kind = LayerKind::Partition;
    Case { own: None, ..case }
}

fn judge_case(case: &Case, change: impl FnOnce(&mut DeviceFacts)) -> DeviceVerdict {
    let mut facts = case.device_facts(vec![case.build_target("a")]);
    facts.unwritten = None;
    facts.devices.iter_mut().for_each(|device| device.has_statistics = true);
    change(&mut facts);
    verdict_of(vec![case.build_results("a")], facts).parts.remove(0)
}

#[test]
fn stacked_device_verdict_follows_from_count_ratios() {
    let read = |mib: u64| (mib * MIB, 0);
    let wrote = |mib: u64| (0, mib * MIB);
    let table = [
        ("the same", on_volume(read(100), read(100), read(100)), Verified, "1.00 x"),
        ("written through", on_volume(wrote(100), wrote(100), wrote(100)), Verified, "1.00 x"),
        ("other volumes of the disk", on_volume(read(100), read(100), read(300)), Shared, "PhysicalDrive0"),
        ("others on the volume", on_volume(read(100), read(300), read(300)), Shared, "67 %"),
        ("never written", on_volume(read(100), (0, 0), (0, 0)), Cached, "unwritten parts"),
        ("from memory", on_volume(read(100), read(10), read(10)).in_cache(), Cached, "10 MiB of the 100 MiB"),
    ];
    for (name, case, verdict, words) in table {
        let found = judge_case(&case, |_| ());
        assert_eq!(found.verdict, verdict, "{name}: {found:#?}");
        assert!(found.message.contains(words), "{name}: {}", found.message);
    }
}

#[test]
fn missing_counters_give_unknown_verdict_with_reason() {
    let case = on_volume((100 * MIB, 0), (100 * MIB, 0), (100 * MIB, 0));
    let why = "Windows does not count the I/O of C: or PhysicalDrive0 (IOCTL_DISK_PERFORMANCE)";
    let without = judge_case(&case, |facts| {
        facts.targets[0].stack = Stack { file_system: Some("ntfs".into()), ..Stack::without(why) };
        facts.devices.clear();
    });
    assert_eq!(without.verdict, Unknown, "{without:#?}");
    assert!(without.message.contains(why), "{}", without.message);
    // Counters that another program switched off meanwhile can't be read the second time.
    let lost = judge_case(&case, |facts| facts.devices.clear());
    assert_eq!(lost.verdict, Unknown, "{lost:#?}");
}
