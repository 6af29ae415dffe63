//! Requests for durability, and the flushes that the devices had.

use super::*;
use diskspd_base::operation::Operation;
use diskspd_machine::io_counters::SettingChange;
use diskspd_machine::stack::StackMount;

/// Requests and flushes of a run.
#[derive(Clone, Copy)]
struct Traffic {
    through: bool,
    /// Flushes by the run (`--fsync-every`).
    fsyncs: u64,
    fua: bool,
    depth: u32,
    /// Flushes of the upper and of the lower device.
    flushes: [u64; 2],
    write_back: [bool; 2],
}

/// 1,000 writes of `-Sh`, one at a time, each with a flush, on a loop device over a disk.
const HONEST: Traffic = Traffic {
    through: true,
    fsyncs: 0,
    fua: false,
    depth: 1,
    flushes: [1000, 1000],
    write_back: [true, true],
};

impl Traffic {
    fn is_flushed(self, change: impl FnOnce(&mut DeviceFacts)) -> bool {
        let wrote = (0, 1000 * BLOCK);
        let mut case = Case { durable: self.through, depth: self.depth, ..run(wrote).on_file() };
        case = case
            .change_first(|layer| (layer.kind, layer.one_to_one) = (LayerKind::Loop, false))
            .with_lower_device("sdb", wrote);
        for ((layer, ..), write_back) in case.devices.iter_mut().zip(self.write_back) {
            layer.direct = (layer.kind == LayerKind::Loop).then_some(true);
            let traits = Traits { write_back: Some(write_back), fua: Some(self.fua), ..Traits::default() };
            layer.queue_limits = Some(traits);
        }
        let mut facts = case.device_facts(vec![case.build_target("a")]);
        for (device, flushes) in facts.devices.iter_mut().zip(self.flushes) {
            device.activity.flushes = Some(flushes);
            device.counts_flushes = true;
        }
        change(&mut facts);
        let (mut results, asked) = case.build_results("a");
        if self.fsyncs > 0 {
            let flushes = DirectionResults { ios: self.fsyncs, ..DirectionResults::default() };
            results.others.set(Operation::Flush, flushes);
        }
        let findings = judgement_of(vec![(results, asked)], facts).findings;
        !findings.iter().any(|finding| (finding.name, finding.severity) == ("not-flushed", Warning))
    }
}

fn leave_unchanged(_: &mut DeviceFacts) {}

#[test]
fn missing_flushes_are_found_by_count() {
    let fsyncs = |fsyncs, flushes| Traffic { through: false, fsyncs, flushes, ..HONEST };
    for (what, traffic, flushed) in [
        ("each write with a flush", HONEST, true),
        ("no flush", Traffic { flushes: [0, 0], ..HONEST }, false),
        ("dropped by the file system", Traffic { flushes: [0, 9000], ..HONEST }, false),
        ("dropped by the loop device", Traffic { flushes: [1000, 3], ..HONEST }, false),
        ("shared by those in flight", Traffic { depth: 8, flushes: [130, 130], ..HONEST }, true),
        ("far too few for those in flight", Traffic { depth: 8, flushes: [9, 9], ..HONEST }, false),
        (
            "no volatile cache anywhere",
            Traffic { flushes: [0, 0], write_back: [false, false], ..HONEST },
            true,
        ),
        ("FUA, but a loop device needs flushes", Traffic { fua: true, flushes: [0, 0], ..HONEST }, false),
        ("fsync", fsyncs(125, [125, 125]), true),
        ("fsync without a flush", fsyncs(125, [0, 0]), false),
        ("fsync without a flush and FUA", Traffic { fua: true, ..fsyncs(125, [0, 0]) }, false),
        ("one fsync, whose flush may be before the window", fsyncs(1, [0, 0]), true),
        ("two, of which one may be", fsyncs(2, [0, 0]), true),
        ("a few", fsyncs(3, [0, 0]), false),
        ("nothing requested", fsyncs(0, [0, 0]), true),
    ] {
        assert_eq!(traffic.is_flushed(leave_unchanged), flushed, "{what}");
    }
}

#[test]
fn drivers_without_flush_counters_are_inconclusive() {
    let silent = Traffic { fua: true, through: false, fsyncs: 100, flushes: [0, 0], ..HONEST };
    assert!(
        silent.is_flushed(|facts| facts.devices.iter_mut().for_each(|device| device.counts_flushes = false))
    );
    assert!(!silent.is_flushed(leave_unchanged));
}

#[test]
fn dropped_flushes_are_found_on_busy_devices() {
    let busy = Traffic { flushes: [9000, 9000], ..HONEST };
    let mount = |kind: &str, options: &str| {
        let mount = StackMount { mount_point: "/mnt".into(), kind: kind.into(), options: options.into() };
        move |facts: &mut DeviceFacts| facts.targets[0].stack.mounts = vec![mount]
    };
    let by_fsync = Traffic { through: false, fsyncs: 100, ..busy };
    for (what, traffic, kind, options, flushed) in [
        ("ordinary", busy, "ext4", "rw,relatime", true),
        ("ext4", busy, "ext4", "rw,nobarrier", false),
        ("ext3", busy, "ext3", "rw,barrier=0", false),
        ("f2fs", busy, "f2fs", "rw,fsync_mode=nobarrier", false),
        ("bcachefs", busy, "bcachefs", "rw,journal_flush_disabled", false),
        ("an overlay that ignores fsync", by_fsync, "overlay", "rw,volatile", false),
        ("the same, newer", by_fsync, "overlay", "rw,fsync=volatile", false),
        ("an overlay whose files are open for durable writes", busy, "overlay", "rw,volatile", true),
        ("the word elsewhere", by_fsync, "ext4", "rw,volatile", true),
        ("nothing requested", Traffic { through: false, ..busy }, "ext4", "rw,nobarrier", true),
    ] {
        assert_eq!(traffic.is_flushed(mount(kind, options)), flushed, "{what}");
    }
    let set = Traffic { write_back: [false, true], ..busy };
    assert!(
        !set.is_flushed(leave_unchanged),
        "a loop device that is set to write through over a volatile disk"
    );
    let bottom = Traffic { write_back: [true, false], ..busy };
    assert!(bottom.is_flushed(leave_unchanged), "a disk without a volatile cache");
    let remounted = |facts: &mut DeviceFacts| {
        let mount =
            StackMount { mount_point: "/mnt".into(), kind: "ext4".into(), options: "rw,nobarrier".into() };
        facts.targets[0].remounted = vec![mount];
    };
    assert!(!busy.is_flushed(remounted), "remounted during the run");
    let switched = |from: &str, to: &str| {
        let (setting, from, to) = ("write_cache".into(), from.into(), to.into());
        let change = SettingChange { setting, from, to, after_us: 0, observed_us: 1 };
        move |facts: &mut DeviceFacts| facts.devices[1].changes = vec![change]
    };
    assert!(!bottom.is_flushed(switched("write back", "write through")), "switched off during the run");
    assert!(busy.is_flushed(switched("write through", "write back")), "switched on during the run");
}
