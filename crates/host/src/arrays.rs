//! Software RAIDs (md), as the kernel tells them right now (Documentation/admin-guide/md.rst).

use super::root::Root;

/// A look at one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ArrayLook {
    /// How many members it is made of.
    pub members: Option<u64>,
    /// How many of these are missing.
    pub missing: u64,
    /// What it does by itself, in the kernel's word, and how much of that is done, as a share; `None` =
    /// nothing.
    pub upkeep: Option<(String, f64)>,
}

/// Looks at a RAID by the kernel's name. Takes some tens of microseconds, and no lock.
pub fn look(root: &Root, name: &str) -> ArrayLook {
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
    ArrayLook {
        members: number("raid_disks"),
        missing: number("degraded").unwrap_or(0),
        upkeep: text("sync_action").zip(done),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_an_array_does_by_itself_is_its_action_while_it_is_at_work() {
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
            let found = look(&Root::at(machine.path()), "md0");
            assert_eq!((found.members, found.missing), (Some(4), 1));
            found.upkeep
        };
        assert_eq!(looked("idle", "none"), None);
        assert_eq!(looked("recover", "none"), None, "it only begins to, or can't");
        assert_eq!(looked("resync", "delayed"), None, "it waits for another one");
        assert_eq!(looked("recover", "50 / 200"), Some(("recover".into(), 0.25)));
        assert_eq!(looked("recover", "0 / 0"), None);
        assert_eq!(look(&Root::at(machine.path()), "md1"), ArrayLook::default(), "there is none");
    }
}
