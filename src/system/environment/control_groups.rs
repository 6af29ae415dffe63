//! What the control groups of this process permit, in both versions of their interface.

use crate::system::mountinfo;
use crate::system::root::Root;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
    /// Limits of I/O by number of the disk, as the kernel tells them: `"8:0": "rbps=1048576 wiops=100"`.
    pub io: BTreeMap<String, String>,
}

pub(super) fn read(root: &Root) -> Limits {
    let mut limits = Limits::default();
    for group in groups(root, "cpu") {
        let quota = group.text("cpu.max").map_or_else(|| old_quota(&group), |text| quota(&text));
        limits.cpu = tighter(limits.cpu, quota);
    }
    // A group below has no more than those above.
    limits.cpus = groups(root, "cpuset").iter().find_map(|group| {
        let files = ["cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"];
        files.iter().find_map(|file| group.text(file)).filter(|list| !list.is_empty())
    });
    for group in groups(root, "memory") {
        let limit = group.text("memory.max").or_else(|| group.text("memory.limit_in_bytes"));
        // The old interface says "no limit" as the largest multiple of a page.
        let limit = limit.and_then(|text| text.parse().ok()).filter(|&limit: &u64| limit < 1 << 62);
        limits.memory = tighter(limits.memory, limit);
    }
    for group in groups(root, "io") {
        add_lines(&mut limits.io, &group.text("io.max").unwrap_or_default(), "");
    }
    for group in groups(root, "blkio") {
        for (file, name) in OLD_IO {
            add_lines(
                &mut limits.io,
                &group.text(&format!("blkio.throttle.{file}")).unwrap_or_default(),
                name,
            );
        }
    }
    limits
}

/// Files of the old interface, and what the new one calls their values.
const OLD_IO: [(&str, &str); 4] = [
    ("read_bps_device", "rbps="),
    ("write_bps_device", "wbps="),
    ("read_iops_device", "riops="),
    ("write_iops_device", "wiops="),
];

fn tighter(known: Option<u64>, other: Option<u64>) -> Option<u64> {
    known.into_iter().chain(other).min()
}

/// `200000 100000` µs: two processors; `max 100000`: no limit.
fn quota(text: &str) -> Option<u64> {
    let (quota, period) = text.split_once(' ')?;
    share(quota.parse().ok()?, period.parse().ok()?)
}

fn old_quota(group: &Group) -> Option<u64> {
    // No limit is -1.
    let number = |file: &str| group.text(file)?.parse().ok();
    share(number("cpu.cfs_quota_us")?, number("cpu.cfs_period_us")?)
}

fn share(quota: u64, period: u64) -> Option<u64> {
    quota.checked_mul(1000)?.checked_div(period)
}

/// Lines `8:0 rbps=1 wbps=max`: what is not `max` counts.
fn add_lines(io: &mut BTreeMap<String, String>, lines: &str, prefix: &str) {
    for (number, values) in lines.lines().filter_map(|line| line.split_once(' ')) {
        for value in values.split(' ').filter(|value| !value.ends_with("=max")) {
            let value = format!("{prefix}{value}");
            let known = io.entry(number.to_owned()).or_default();
            if !known.split(' ').any(|other| other == value) {
                *known = format!("{known} {value}").trim_start().to_owned();
            }
        }
    }
    io.retain(|_, values| !values.is_empty());
}

/// A directory of a group.
struct Group(PathBuf);

impl Group {
    fn text(&self, file: &str) -> Option<String> {
        crate::system::root::text(&self.0.join(file))
    }
}

/// The groups of this process that a controller counts for, its own first, then those above.
fn groups(root: &Root, controller: &str) -> Vec<Group> {
    let mounts = root.text("/proc/self/mountinfo").unwrap_or_default();
    let places = root.text("/proc/self/cgroup").unwrap_or_default();
    let mut found = Vec::new();
    for line in places.lines() {
        // `0::/user.slice` in the new version, `4:cpu,cpuacct:/user.slice` in the old one.
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(place)) = (parts.next(), parts.next()) else { continue };
        let new = controllers.is_empty();
        if !new && !controllers.split(',').any(|name| name == controller) {
            continue;
        }
        let mount = mountinfo::parse(&mounts).find(|mount| match new {
            true => mount.file_system == "cgroup2",
            false => mount.file_system == "cgroup" && mount.options.split(',').any(|name| name == controller),
        });
        let Some(mount) = mount else { continue };
        // What is mounted may be a group itself, that of a container; where it's not above ours, it stands for ours.
        let below = Path::new(place).strip_prefix(&mount.root).unwrap_or(Path::new(""));
        let above = below.ancestors().map(|part| Group(root.path(Path::new(&mount.at).join(part))));
        found.extend(above);
    }
    found
}
