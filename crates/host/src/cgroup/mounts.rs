//! Where control groups are mounted. A run asks several times, and the list of all mounts may be long in a
//! container: it is read once, and again when the process is in other hierarchies.

use crate::mountinfo::{self, Mount};
use crate::root::Root;
use diskspd_sys::mutex::LockAnyway;
use std::sync::{Arc, Mutex};

/// The mounts of a machine's control groups, known when they have been asked for.
#[derive(Debug)]
pub(super) struct GroupMounts {
    known: Mutex<Option<KnownMounts>>,
}

#[derive(Debug)]
struct KnownMounts {
    /// Of each hierarchy its controllers, as `/proc/self/cgroup` has them: what this was read for.
    hierarchies: Vec<String>,
    mounts: Arc<[Mount]>,
}

impl GroupMounts {
    pub(super) const fn new() -> GroupMounts {
        GroupMounts { known: Mutex::new(None) }
    }

    /// Where hierarchies with these controllers are mounted, and whatever else is of control groups.
    pub(super) fn list_mounts(&self, root: &Root, hierarchies: &[&str]) -> Arc<[Mount]> {
        let mut known = self.known.lock_anyway();
        if let Some(known) = known.as_ref().filter(|known| known.hierarchies == hierarchies) {
            return Arc::clone(&known.mounts);
        }
        let all = root.mounts();
        let is_of_groups = |mount: &Mount| ["cgroup", "cgroup2"].contains(&mount.file_system.as_str());
        let mounts: Arc<[Mount]> = mountinfo::parse(&all).filter(is_of_groups).collect();
        let hierarchies = hierarchies.iter().map(|controllers| (*controllers).to_owned()).collect();
        *known = Some(KnownMounts { hierarchies, mounts: Arc::clone(&mounts) });
        mounts
    }
}

/// Whether the groups that have these controllers are seen by a mount; none = those of version 2.
pub(super) fn shows(mount: &Mount, controllers: &str) -> bool {
    match controllers {
        "" => mount.file_system == "cgroup2",
        _ => mount.file_system == "cgroup" && shares_a_name(controllers, &mount.options),
    }
}

/// Whether two lists with commas between have a name in common.
pub(super) fn shares_a_name(one: &str, other: &str) -> bool {
    one.split(',').any(|name| other.split(',').any(|other| other == name))
}
