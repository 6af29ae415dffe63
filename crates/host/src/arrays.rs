//! Current state of software RAIDs: md (Documentation/admin-guide/md.rst) and LVM
//! (Documentation/admin-guide/device-mapper/dm-raid.rst). The kernel reports the state of LVM RAIDs only
//! to root.

use super::device::Device;
use super::root::Root;
use super::{stack, target};
use diskspd_base::path::RawText;
use diskspd_machine::arrays::{ArrayFacts, ArrayMaintenance};
use diskspd_machine::stack::{Layer, LayerKind, Stack};
use std::path::Path;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ArraySample {
    pub members: Option<u64>,
    /// Number of missing members.
    pub missing: u64,
    /// Whether the state of the RAID is inaccessible.
    pub untold: bool,
    /// Background activity in the kernel's word, with the completed share; `None` = idle.
    pub upkeep: Option<(String, f64)>,
}

/// Returns the current state of the RAIDs under these targets, or of all RAIDs of the machine without
/// targets.
pub fn find_arrays(targets: &[RawText]) -> Vec<ArrayFacts> {
    let root = Root::live_system();
    let stack_of = |target: &RawText| {
        let place = target::locate(target.as_bytes()).ok()?;
        // What doesn't exist yet lies on what its folder does.
        let there = place.ancestors().find(|above| above.exists()).unwrap_or(Path::new("."));
        Some(stack::stack(there))
    };
    let stacks: Vec<Stack> = match targets {
        [] => {
            let names = root.names("/sys/class/block");
            let devices = names.iter().filter_map(|name| Device::find_by_name(&root, name));
            devices.map(|device| stack::of_device(&root, device.number)).collect()
        }
        targets => targets.iter().filter_map(stack_of).collect(),
    };
    let arrays = among(&root, stacks.iter());
    let now = |name: String| {
        let ArraySample { members, missing, untold, upkeep } = read_array(&root, &name);
        let upkeep = upkeep.map(|(action, done)| ArrayMaintenance { action, done: (done, done) });
        ArrayFacts { name, members, missing: (missing, missing), state_unknown: untold, maintenance: upkeep }
    };
    arrays.into_iter().map(now).collect()
}

pub fn among<'a>(root: &Root, stacks: impl Iterator<Item = &'a Stack>) -> Vec<String> {
    let is_raid = |layer: &&Layer| match layer.kind {
        LayerKind::Raid => true,
        LayerKind::Mapper => read_array(root, &layer.name) != ArraySample::default(),
        _ => false,
    };
    let mut names: Vec<String> = Vec::new();
    for layer in stacks.flat_map(|stack| &stack.layers) {
        if !names.contains(&layer.name) && is_raid(&layer) {
            names.push(layer.name.clone());
        }
    }
    names
}

/// Reads the state of a RAID by kernel name. Takes tens of microseconds, without a lock.
pub fn read_array(root: &Root, name: &str) -> ArraySample {
    match root.text(format!("/sys/class/block/{name}/dm/uuid")) {
        Some(_) => look_at_mapper(root, name),
        None => look_at_md(root, name),
    }
}

fn look_at_mapper(root: &Root, name: &str) -> ArraySample {
    let Some(device) = Device::find_by_name(root, name) else { return ArraySample::default() };
    match device.mapped_parts(root) {
        Some(parts) => parts
            .iter()
            .find(|part| part.kind == "raid")
            .and_then(|part| mapped_raid(&part.status))
            .unwrap_or_default(),
        // LVM calls the members of a RAID so.
        None => {
            let is_member =
                |below: &Device| below.mapper_name().is_some_and(|name| name.contains("_rimage_"));
            ArraySample {
                untold: device.linked_devices("slaves").iter().any(is_member),
                ..ArraySample::default()
            }
        }
    }
}

/// Parses a status such as `raid1 2 Aa 1024/204800 recover 0 0 -`: level, members, their health, progress,
/// activity.
fn mapped_raid(status: &str) -> Option<ArraySample> {
    let words: Vec<&str> = status.split(' ').collect();
    let [_, members, health, in_sync, action, ..] = words[..] else { return None };
    // One that is being rebuilt isn't a member yet.
    let lacks = |member: char| matches!(member, 'D' | '-') || member == 'a' && action == "recover";
    let (done, all) = in_sync.split_once('/')?;
    let (done, all): (f64, f64) = (done.parse().ok()?, all.parse().ok()?);
    let at_work = !matches!(action, "idle" | "frozen") && all > 0.0;
    Some(ArraySample {
        members: members.parse().ok(),
        missing: health.chars().filter(|member| lacks(*member)).count() as u64,
        untold: false,
        upkeep: at_work.then(|| (action.to_owned(), done / all)),
    })
}

fn look_at_md(root: &Root, name: &str) -> ArraySample {
    let text = |file: &str| root.text(format!("/sys/class/block/{name}/md/{file}"));
    // While the number of members is changed: `4 (3)`.
    let number = |file: &str| text(file)?.split_whitespace().next()?.parse().ok();
    // `none`, and `delayed` while another RAID on the same disks is at it: then nothing is done, whatever the
    // action is called.
    let done = text("sync_completed").and_then(|completed| {
        let (done, all) = completed.split_once('/')?;
        let sectors = |text: &str| text.trim().parse::<f64>().ok();
        Some(sectors(done)? / sectors(all).filter(|all| *all > 0.0)?)
    });
    ArraySample {
        members: number("raid_disks"),
        missing: number("degraded").unwrap_or(0),
        untold: false,
        upkeep: text("sync_action").zip(done),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn lvm_raid_state_is_read_from_status() {
        let found = |status: &str| {
            let look = mapped_raid(status)?;
            Some((look.members.unwrap(), look.missing, look.upkeep))
        };
        let upkeep = |action: &str, done| Some((action.to_owned(), done));
        for (status, told) in [
            ("raid1 2 AA 200/200 idle 0 0 -", Some((2, 0, None))),
            ("raid1 2 aa 50/200 resync 0 0 -", Some((2, 0, upkeep("resync", 0.25)))),
            ("raid1 2 Aa 100/200 recover 0 0 -", Some((2, 1, upkeep("recover", 0.5)))),
            ("raid5_ls 3 ADA 200/200 idle 0 0 -", Some((3, 1, None))),
            ("raid5_ls 3 A-A 200/200 frozen 0 0 -", Some((3, 1, None))),
            ("raid1 2 AA", None),
            ("raid1 2 AA odd idle 0", None),
        ] {
            assert_eq!(found(status), told, "{status}");
        }
    }

    #[test]
    fn lvm_raid_is_identified_by_member_names() {
        let machine = tempfile::tempdir().unwrap();
        let sys = machine.path().join("sys");
        for (name, minor, mapped) in [("dm-0", 0, "vg-a"), ("dm-1", 1, "vg-a_rimage_0"), ("dm-2", 2, "vg-b")]
        {
            let folder = sys.join("devices").join(name);
            fs::create_dir_all(folder.join("dm")).unwrap();
            fs::create_dir_all(folder.join("slaves")).unwrap();
            fs::write(folder.join("dev"), format!("253:{minor}\n")).unwrap();
            fs::write(folder.join("dm/uuid"), "LVM-a\n").unwrap();
            fs::write(folder.join("dm/name"), format!("{mapped}\n")).unwrap();
            for list in ["class/block", "dev/block"] {
                fs::create_dir_all(sys.join(list)).unwrap();
            }
            std::os::unix::fs::symlink(&folder, sys.join("class/block").join(name)).unwrap();
            std::os::unix::fs::symlink(&folder, sys.join(format!("dev/block/253:{minor}"))).unwrap();
        }
        std::os::unix::fs::symlink(sys.join("devices/dm-1"), sys.join("devices/dm-0/slaves/dm-1")).unwrap();
        let root = Root::at(machine.path());
        assert_eq!([read_array(&root, "dm-0").untold, read_array(&root, "dm-2").untold], [true, false]);
        let layer = |name: &str| Layer { name: name.into(), kind: LayerKind::Mapper, ..Layer::default() };
        let stack = Stack { layers: ["dm-0", "dm-1", "dm-2"].map(layer).to_vec(), ..Stack::default() };
        assert_eq!(among(&root, [&stack, &stack].into_iter()), ["dm-0"]);
    }

    #[test]
    fn array_action_is_its_running_maintenance() {
        let machine = tempfile::tempdir().unwrap();
        let folder = machine.path().join("sys/class/block/md0/md");
        fs::create_dir_all(&folder).unwrap();
        let looked = |action: &str, completed: &str| {
            let files = [
                ("raid_disks", "4 (3)"),
                ("degraded", "1"),
                ("sync_action", action),
                ("sync_completed", completed),
            ];
            files.iter().for_each(|(file, text)| fs::write(folder.join(file), format!("{text}\n")).unwrap());
            let found = read_array(&Root::at(machine.path()), "md0");
            assert_eq!((found.members, found.missing), (Some(4), 1));
            found.upkeep
        };
        assert_eq!(looked("idle", "none"), None);
        assert_eq!(looked("recover", "none"), None, "it only begins to, or cannot");
        assert_eq!(looked("resync", "delayed"), None, "it waits for another one");
        assert_eq!(looked("recover", "50 / 200"), Some(("recover".into(), 0.25)));
        assert_eq!(looked("recover", "0 / 0"), None);
        assert_eq!(read_array(&Root::at(machine.path()), "md1"), ArraySample::default(), "there is none");
    }
}
