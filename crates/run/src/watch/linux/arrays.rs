//! Observation of the software RAIDs under the targets: rebuilds or checks during the run.

use diskspd_host::arrays::{ArraySample, among, read_array};
use diskspd_host::root::Root;
use diskspd_machine::arrays::{ArrayFacts, ArrayMaintenance};
use diskspd_machine::stack::Stack;

/// Watches all RAID arrays of a time span.
#[derive(Debug)]
pub(crate) struct ArrayWatch {
    root: Root,
    arrays: Vec<ArrayFacts>,
}

impl ArrayWatch {
    pub(crate) fn for_stacks<'a>(root: Root, stacks: impl Iterator<Item = &'a Stack>) -> ArrayWatch {
        let names = among(&root, stacks).into_iter();
        let arrays = names.map(|name| ArrayFacts { name, ..ArrayFacts::default() }).collect();
        ArrayWatch { root, arrays }
    }

    pub(crate) fn begin(&mut self) {
        for array in &mut self.arrays {
            let ArraySample { members, missing, untold, .. } = update_array(&self.root, array);
            (array.members, array.missing.0, array.state_unknown) = (members, missing, untold);
        }
    }

    pub(crate) fn read_arrays(&mut self) {
        for array in &mut self.arrays {
            array.missing.1 = update_array(&self.root, array).missing;
        }
    }

    pub(crate) fn finish(self) -> Vec<ArrayFacts> {
        self.arrays
    }
}

fn update_array(root: &Root, array: &mut ArrayFacts) -> ArraySample {
    let found = read_array(root, &array.name);
    if let Some((action, done)) = &found.upkeep {
        let same = array.maintenance.as_ref().filter(|before| before.action == *action);
        let first = same.map_or(*done, |before| before.done.0);
        array.maintenance = Some(ArrayMaintenance { action: action.clone(), done: (first, *done) });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_machine::stack::{Layer, LayerKind};
    use std::fs;

    #[test]
    fn maintenance_seen_once_is_kept() {
        let machine = tempfile::tempdir().unwrap();
        let folder = machine.path().join("sys/class/block/md0/md");
        fs::create_dir_all(&folder).unwrap();
        let is = |degraded: &str, action: &str, completed: &str| {
            let files = [("degraded", degraded), ("sync_action", action), ("sync_completed", completed)];
            files.iter().for_each(|(file, text)| fs::write(folder.join(file), text).unwrap());
        };
        let layer = |name: &str, kind| Layer {
            name: name.into(),
            kind,
            lower_devices: vec!["sda".into()],
            ..Layer::default()
        };
        let layers = vec![layer("md0", LayerKind::Raid), layer("sda", LayerKind::Disk)];
        let stack = Stack { layers, ..Stack::default() };
        let mut watch = ArrayWatch::for_stacks(Root::at(machine.path()), [&stack, &stack].into_iter());
        is("0", "idle", "none");
        watch.begin();
        is("1", "recover", "10 / 100");
        watch.read_arrays();
        is("1", "recover", "30 / 100");
        watch.read_arrays();
        is("0", "idle", "none");
        watch.read_arrays();
        let upkeep = Some(ArrayMaintenance { action: "recover".into(), done: (0.1, 0.3) });
        let seen = ArrayFacts {
            name: "md0".into(),
            members: None,
            missing: (0, 0),
            state_unknown: false,
            maintenance: upkeep,
        };
        assert_eq!(watch.finish(), [seen]);
    }
}
