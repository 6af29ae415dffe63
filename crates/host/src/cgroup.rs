//! Limits of control groups: CPU quotas and I/O limits of this process's group and all its ancestors.

mod io;
mod memory;
mod mounts;

use super::root::Root;
use diskspd_machine::quota::*;
use mounts::{GroupMounts, shares_a_name};
use std::path::{Path, PathBuf};

static LIVE: GroupMounts = GroupMounts::new();

/// The control groups of this process in both versions of the interface, each with its parents, innermost
/// first.
#[derive(Debug, Clone, Default)]
pub struct Groups {
    groups: Vec<ControlGroup>,
}

#[derive(Debug, Clone)]
pub(super) struct ControlGroup {
    root: Root,
    directory: PathBuf,
    controllers: String,
    /// Whether the process is in this group itself, not in a child.
    own: bool,
}

impl Groups {
    pub fn find(root: &Root) -> Groups {
        match root.is_live() {
            true => Groups::find_by(root, &LIVE),
            false => Groups::find_by(root, &GroupMounts::new()),
        }
    }

    fn find_by(root: &Root, mounts: &GroupMounts) -> Groups {
        let own = root.text("/proc/self/cgroup").unwrap_or_default();
        // `0::/user.slice` in version 2, `4:cpu,cpuacct:/user.slice` in version 1.
        let lines = own.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
        let lines: Vec<(&str, &str)> = lines.collect();
        let hierarchies: Vec<&str> = lines.iter().map(|(controllers, _)| *controllers).collect();
        let mounts = mounts.list_mounts(root, &hierarchies);
        let mut groups = Vec::new();
        for (controllers, path) in lines {
            let mount = mounts.iter().find(|mount| mounts::shows(mount, controllers));
            let directories =
                mount.map(|mount| group_levels(&mount.root, &mount.at, path)).unwrap_or_default();
            groups.extend(directories.into_iter().enumerate().map(|(level, directory)| ControlGroup {
                root: root.clone(),
                directory,
                controllers: controllers.to_owned(),
                own: level == 0,
            }));
        }
        Groups { groups }
    }

    pub(super) fn groups_with(&self, controller: &str) -> impl Iterator<Item = &ControlGroup> {
        self.groups.iter().filter(move |group| {
            group.controllers.is_empty() || shares_a_name(controller, &group.controllers)
        })
    }

    /// Returns the time in us that the group of this process or an ancestor was frozen (`cgroup.freeze`).
    /// `None` if the kernel does not count it (before Linux 6.18, version 1).
    pub fn frozen_us(&self) -> Option<u64> {
        let own = self.groups.iter().find(|group| group.controllers.is_empty())?;
        let text = own.root.text(own.directory.join("cgroup.stat.local"))?;
        let value = text.lines().find_map(|line| line.strip_prefix("frozen_usec "))?;
        value.trim().parse().ok()
    }

    /// Returns the current CPU quotas, and the counts since the groups were created. Groups without a
    /// quota are included, because they may get one.
    pub fn cpu_quotas(&self) -> Vec<CpuQuota> {
        self.groups_with("cpu").filter_map(ControlGroup::cpu_quota).collect()
    }
}

impl ControlGroup {
    pub(crate) fn text(&self, file: &str) -> Option<String> {
        self.root.text(self.directory.join(file))
    }

    /// The time that it may use of each period, and the period, us; `None` = all it can get.
    pub(crate) fn quota(&self) -> Option<(u64, u64)> {
        let (quota, period) = match self.text("cpu.max") {
            Some(text) => {
                let (quota, period) = text.split_once(' ')?;
                (quota.parse().ok()?, period.parse().ok()?)
            }
            // -1 = no quota.
            None => {
                let number = |file| self.text(file)?.parse().ok();
                (number("cpu.cfs_quota_us")?, number("cpu.cfs_period_us")?)
            }
        };
        (quota > 0 && period > 0).then_some((quota, period))
    }

    fn cpu_quota(&self) -> Option<CpuQuota> {
        let cpus = self.quota().map_or(0.0, |(quota, period)| quota as f64 / period as f64);
        let text = self.text("cpu.stat")?;
        let count = |wanted: &str| {
            let counts = text.lines().filter_map(|line| line.split_once(' '));
            counts.filter(|(name, _)| *name == wanted).find_map(|(_, count)| count.parse::<u64>().ok())
        };
        Some(CpuQuota {
            group: self.name(),
            cpus,
            periods: count("nr_periods")?,
            throttled_periods: count("nr_throttled")?,
            throttled: count("throttled_time")
                .or_else(|| Some(count("throttled_usec")?.saturating_mul(1000)))?,
        })
    }

    pub(super) fn name(&self) -> String {
        self.directory.display().to_string()
    }
}

fn group_levels(mounted: &str, at: &str, path: &str) -> Vec<PathBuf> {
    // In a container the mount may show a part of the tree only, and the path still be that of the whole one.
    let within = Path::new(path).strip_prefix(mounted).unwrap_or(Path::new(""));
    // Without the slash that joining nothing would leave at the end.
    within.ancestors().map(|group| Path::new(at).join(group).components().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_machine::io_limit::IoLimit;

    /// Creates a machine of files, and reads its groups.
    pub(super) fn groups(files: &[(&str, &str)]) -> (tempfile::TempDir, Groups) {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = directory.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let groups = Groups::find(&Root::at(directory.path()));
        (directory, groups)
    }

    #[test]
    fn quota_of_parent_group_applies() {
        let (_directory, groups) = groups(&[
            ("proc/self/cgroup", "0::/user.slice/app\n"),
            ("proc/self/mountinfo", "31 1 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"),
            ("sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n"),
            (
                "sys/fs/cgroup/user.slice/cpu.stat",
                "usage_usec 5\nnr_periods 40\nnr_throttled 7\nthrottled_usec 2500\n",
            ),
            ("sys/fs/cgroup/user.slice/app/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/user.slice/app/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n"),
            (
                "sys/fs/cgroup/user.slice/app/io.max",
                "8:16 rbps=2097152 wbps=max riops=max wiops=120\n8:0 rbps=max\n",
            ),
        ]);
        let quota = CpuQuota {
            group: "/sys/fs/cgroup/user.slice".into(),
            cpus: 1.5,
            periods: 40,
            throttled_periods: 7,
            throttled: 2_500_000,
        };
        let none = CpuQuota {
            group: "/sys/fs/cgroup/user.slice/app".into(),
            cpus: 0.0,
            periods: 0,
            throttled_periods: 0,
            throttled: 0,
        };
        assert_eq!(groups.cpu_quotas(), [none.clone(), quota.clone()]);
        let later = CpuQuota { periods: 50, throttled_periods: 9, throttled: 3_000_000, ..quota.clone() };
        let between = CpuQuota { periods: 10, throttled_periods: 2, throttled: 500_000, ..quota.clone() };
        let seen = |looks: &[&CpuQuota]| {
            let mut all = Vec::new();
            looks.iter().for_each(|look| see_quotas(&mut all, vec![(*look).clone()]));
            quotas_seen(&all)
        };
        assert_eq!(seen(&[&quota, &later]), std::slice::from_ref(&between));
        // Set meanwhile, and taken away again.
        let (before, after) =
            (CpuQuota { cpus: 0.0, ..quota.clone() }, CpuQuota { cpus: 0.0, ..later.clone() });
        assert_eq!(seen(&[&before, &quota, &later, &after]), [between]);
        assert_eq!(seen(&[&none, &none]), []);
        let limit = IoLimit {
            group: "/sys/fs/cgroup/user.slice/app".into(),
            device: "8:16".into(),
            read_bytes: Some(2_097_152),
            writes: Some(120),
            ..IoLimit::default()
        };
        assert_eq!(groups.io_limits(), [limit]);
    }

    #[test]
    fn cgroup_v1_is_read_next_to_v2() {
        let (_directory, groups) = groups(&[
            ("proc/self/cgroup", "5:blkio:/x\n4:cpu,cpuacct:/docker/1/in\n1:name=systemd:/\n0::/\n"),
            (
                "proc/self/mountinfo",
                "32 31 0:29 /docker/1 /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
                 38 31 0:35 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n",
            ),
            ("sys/fs/cgroup/cpu,cpuacct/in/cpu.cfs_quota_us", "20000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/in/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/in/cpu.stat", "nr_periods 3\nnr_throttled 2\nthrottled_time 99\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/blkio/x/blkio.throttle.read_bps_device", "8:0 1000\n259:1 5\n"),
            ("sys/fs/cgroup/blkio/x/blkio.throttle.write_iops_device", "8:0 7\n"),
        ]);
        let quotas = groups.cpu_quotas();
        let [CpuQuota { cpus: 0.2, periods: 3, throttled_periods: 2, throttled: 99, .. }] = quotas[..] else {
            unreachable!("{quotas:?}");
        };
        let limits = groups.io_limits();
        let figures: Vec<_> = limits.iter().map(|l| (l.device.as_str(), l.read_bytes, l.writes)).collect();
        assert_eq!(figures, [("259:1", Some(5), None), ("8:0", Some(1000), Some(7))]);
    }

    #[test]
    fn missing_cgroups_mean_no_limits() {
        let (_directory, groups) = groups(&[("proc/self/cgroup", "odd\n0::/a\n1:cpu\n")]);
        assert_eq!((groups.cpu_quotas(), groups.io_limits()), (vec![], vec![]));
        assert_eq!(Groups::default().cpu_quotas(), []);
    }

    #[test]
    fn mounts_are_read_once_for_the_same_hierarchies() {
        let (directory, _) = groups(&[
            ("proc/self/cgroup", "0::/a\n"),
            ("proc/self/mountinfo", "31 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
        ]);
        let (root, mounts) = (Root::at(directory.path()), GroupMounts::new());
        let found = || -> Vec<String> {
            Groups::find_by(&root, &mounts).groups.iter().map(ControlGroup::name).collect()
        };
        let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
        assert_eq!(found(), ["/sys/fs/cgroup/a", "/sys/fs/cgroup"]);
        write("proc/self/mountinfo", "31 1 0:26 / /elsewhere rw - cgroup2 cgroup2 rw\n");
        write("proc/self/cgroup", "0::/b\n");
        assert_eq!(found(), ["/sys/fs/cgroup/b", "/sys/fs/cgroup"], "another group of the same hierarchy");
        write("proc/self/cgroup", "4:cpu:/c\n0::/b\n");
        assert_eq!(found(), ["/elsewhere/b", "/elsewhere"], "another hierarchy");
    }
}
