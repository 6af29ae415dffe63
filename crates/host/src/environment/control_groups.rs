//! The tightest limits of the control groups of this process, from `cgroup`.

use crate::cgroup::{ControlGroup, Groups};
use crate::root::Root;
use diskspd_machine::environment::Limits;
use diskspd_machine::io_limit::IoLimit;
use std::collections::BTreeMap;

pub(super) fn read(root: &Root) -> Limits {
    let groups = Groups::find(root);
    let thousandths = |group: &ControlGroup| {
        group.quota().and_then(|(quota, period)| Some(quota.checked_mul(1000)? / period))
    };
    Limits {
        cpu: groups.groups_with("cpu").filter_map(thousandths).min(),
        // A group below has no more than those above.
        cpus: groups.groups_with("cpuset").find_map(allowed_cpus),
        memory: groups.groups_with("memory").filter_map(ControlGroup::memory_limit).min(),
        io: io_limit_map(&groups.io_limits()),
    }
}

fn allowed_cpus(group: &ControlGroup) -> Option<String> {
    let files = ["cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"];
    files.iter().find_map(|file| group.text(file)).filter(|list| !list.is_empty())
}

/// Returns all limits by device, without duplicates.
fn io_limit_map(limits: &[IoLimit]) -> BTreeMap<String, String> {
    let mut by_device: BTreeMap<String, String> = BTreeMap::new();
    for limit in limits {
        let known = by_device.entry(limit.device.clone()).or_default();
        for (name, per_second) in limit.named_limits() {
            let value = format!("{name}={per_second}");
            if !known.split(' ').any(|other| other == value) {
                *known = format!("{known} {value}").trim_start().to_owned();
            }
        }
    }
    by_device
}
