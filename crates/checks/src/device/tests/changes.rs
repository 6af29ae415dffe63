//! Changes by other processes during the measurement.

use super::*;
use diskspd_machine::content::ContentShares;
use diskspd_machine::io_counters::{FileState, SettingChange, SpaceChange};
use diskspd_machine::stack::StackMount;

const STATE: FileState = FileState { observed_us: 0, size: 64 * MIB, links: 1, synchronous: false };

#[test]
fn changes_by_others_are_reported() {
    let later = |state: FileState| vec![STATE, FileState { observed_us: 2_000_000, ..state }];
    let mount = |options: &str| StackMount {
        mount_point: "/mnt".into(),
        kind: "ext4".into(),
        options: options.into(),
    };
    type Change = Box<dyn Fn(&mut DeviceFacts)>;
    let states = |states: Vec<FileState>| -> Change {
        Box::new(move |facts| facts.targets[0].states = states.clone())
    };
    let setting = |setting: &'static str| -> Change {
        Box::new(move |facts| {
            let (setting, from, to) = (setting.to_owned(), "a".to_owned(), "b".to_owned());
            facts.devices[0].changes = vec![SettingChange { setting, from, to, after_us: 0, observed_us: 1 }];
        })
    };
    let remounted = |from: &'static str, to: &'static str| -> Change {
        Box::new(move |facts| {
            facts.targets[0].stack.mounts = vec![mount(from)];
            facts.targets[0].remounted = vec![mount(to)];
        })
    };
    let space = |device: Option<&'static str>, before: ContentShares, after: ContentShares| -> Change {
        let target = device.is_none().then_some(TargetId(0));
        let device = device.map(str::to_owned);
        Box::new(move |facts| {
            facts.space = vec![SpaceChange { target, device: device.clone(), before, after }];
        })
    };
    let full = ContentShares { examined: 64 * MIB, ..ContentShares::default() };
    let holes = |holes: u64| ContentShares { holes, ..full };
    let unwritten = |unwritten: u64| ContentShares { unwritten, ..full };
    let shared = |shared: u64| ContentShares { shared, ..full };
    let file = Some("file-changed");
    let settings = Some("settings-changed");
    for (what, change, expected) in [
        ("nothing", states(vec![]), None),
        ("the file deleted", states(later(FileState { links: 0, ..STATE })), file),
        ("one of its names removed", states(later(FileState { links: 2, ..STATE })), None),
        ("truncated", states(later(FileState { size: MIB, ..STATE })), file),
        ("grown", states(later(FileState { size: 65 * MIB, ..STATE })), file),
        ("emptied", states(later(FileState { size: 0, ..STATE })), file),
        ("synchronous by then", states(later(FileState { synchronous: true, ..STATE })), settings),
        ("the scheduler", setting("scheduler"), settings),
        ("the number of requests", setting("nr_requests"), settings),
        ("mounted with sync", remounted("rw,relatime", "rw,relatime,sync"), settings),
        ("mounted without barriers", remounted("rw", "rw,nobarrier"), settings),
        ("the same options", remounted("rw", "rw"), None),
        ("a loop device through the page cache", setting("loop/dio"), settings),
        ("the size of a device", setting("size"), settings),
        ("a hole punched", space(None, full, holes(32 * MIB)), file),
        ("a range zeroed", space(None, full, unwritten(2 * MIB)), file),
        ("a hole of a block", space(None, full, holes(4096)), None),
        ("holes filled", space(None, holes(32 * MIB), full), None),
        ("holes made unwritten", space(None, holes(32 * MIB), unwritten(32 * MIB)), None),
        ("cloned", space(None, full, shared(64 * MIB)), file),
        ("discarded under a file system", space(Some("sda"), full, holes(32 * MIB)), None),
    ] {
        let findings = run((0, 100 * MIB)).on_file().find_names(|facts| change(facts));
        let found = findings.iter().find(|(name, _)| ["file-changed", "settings-changed"].contains(name));
        assert_eq!(found.copied(), expected.map(|name| (name, Warning)), "{what}: {findings:?}");
    }
    let read = run((100 * MIB, 0)).on_file();
    let findings = read.find_names(|facts| space(None, full, shared(64 * MIB))(facts));
    assert!(findings.iter().all(|(name, _)| *name != "file-changed"), "reads of clones: {findings:?}");
}
