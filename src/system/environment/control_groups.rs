//! What the control groups of this process permit: the tightest of all limits, which `system::cgroup` reads.

use crate::system::cgroup::{Group, Groups, IoLimit};
use crate::system::root::Root;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Limits of this process: of its own group and all groups above that can be seen, the tightest of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Processor time, thousandths of a processor; `None` = no limit.
    pub cpu: Option<u64>,
    /// The processors it may use, as the kernel lists them: `0-3,8`.
    pub cpus: Option<String>,
    /// Memory with the page cache, bytes; `None` = no limit.
    pub memory: Option<u64>,
    /// Limits of I/O by number of the disk, as the kernel names them: `"8:0": "rbps=1048576 wiops=100"`.
    pub io: BTreeMap<String, String>,
}

pub(super) fn read(root: &Root) -> Limits {
    let groups = Groups::find(root);
    let thousandths =
        |group: &Group| group.quota().and_then(|(quota, period)| Some(quota.checked_mul(1000)? / period));
    Limits {
        cpu: groups.of("cpu").filter_map(thousandths).min(),
        // A group below has no more than those above.
        cpus: groups.of("cpuset").find_map(cpus),
        memory: groups.of("memory").filter_map(memory).min(),
        io: io(&groups.io_limits()),
    }
}

fn cpus(group: &Group) -> Option<String> {
    let files = ["cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"];
    files.iter().find_map(|file| group.text(file)).filter(|list| !list.is_empty())
}

fn memory(group: &Group) -> Option<u64> {
    let limit = group.text("memory.max").or_else(|| group.text("memory.limit_in_bytes"))?;
    // Version 1 says "no limit" as the largest multiple of a page.
    limit.parse().ok().filter(|&limit: &u64| limit < 1 << 62)
}

/// All limits of a device, each value once.
fn io(limits: &[IoLimit]) -> BTreeMap<String, String> {
    let mut by_device: BTreeMap<String, String> = BTreeMap::new();
    for limit in limits {
        let known = by_device.entry(limit.device.clone()).or_default();
        for (name, per_second) in limit.named() {
            let value = format!("{name}={per_second}");
            if !known.split(' ').any(|other| other == value) {
                *known = format!("{known} {value}").trim_start().to_owned();
            }
        }
    }
    by_device
}
