//! Mount points of control groups. The list of all mounts may be long in a container and is used several
//! times per run. It is read once, and again after the process moves to other hierarchies.

use crate::mountinfo::Mount;
use crate::root::Root;
use diskspd_sys::mutex::LockUnpoisoned;
use std::sync::{Arc, Mutex};

#[derive(Debug)]
pub(super) struct GroupMounts {
    known: Mutex<Option<GroupHierarchies>>,
}

#[derive(Debug)]
struct GroupHierarchies {
    /// Controllers of each hierarchy at the time of reading, as in `/proc/self/cgroup`.
    hierarchies: Vec<String>,
    mounts: Arc<[Mount]>,
}

impl GroupMounts {
    pub(super) const fn new() -> GroupMounts {
        GroupMounts { known: Mutex::new(None) }
    }

    /// Returns the mounts of hierarchies with these controllers, and all other control group mounts.
    pub(super) fn list_mounts(&self, root: &Root, hierarchies: &[&str]) -> Arc<[Mount]> {
        let mut known = self.known.lock_anyway();
        if let Some(known) = known.as_ref().filter(|known| known.hierarchies == hierarchies) {
            return Arc::clone(&known.mounts);
        }
        let all = root.mounts();
        let is_of_groups = |mount: &&Mount| ["cgroup", "cgroup2"].contains(&mount.file_system.as_str());
        let mounts: Arc<[Mount]> = all.iter().filter(is_of_groups).cloned().collect();
        let hierarchies = hierarchies.iter().map(|controllers| (*controllers).to_owned()).collect();
        *known = Some(GroupHierarchies { hierarchies, mounts: Arc::clone(&mounts) });
        mounts
    }
}

/// Whether a mount contains the groups of these controllers; empty = version 2.
pub(super) fn shows(mount: &Mount, controllers: &str) -> bool {
    match controllers {
        "" => mount.file_system == "cgroup2",
        _ => mount.file_system == "cgroup" && shares_a_name(controllers, &mount.options),
    }
}

/// Whether two lists, separated by commas, have a name in common.
pub(super) fn shares_a_name(one: &str, other: &str) -> bool {
    one.split(',').any(|name| other.split(',').any(|other| other == name))
}
