//! Limits of the control groups of this process. They are checked at both edges of the measured window and
//! once a second within it, because they or the process' group may change during a run.

use diskspd_host::cgroup::Groups;
use diskspd_host::root::Root;
use diskspd_machine::io_limit::{IoControl, IoCost, IoLimit};
use diskspd_machine::quota::{CpuQuota, MemoryLimit, quotas_seen, see_memory, see_quotas};
use diskspd_results::{CpuLimit, LimitChange, ResourceUsage};
use diskspd_sys::clock::Nanos;

const MAX_LIMITS: usize = 64;

/// Watches the limits of one window. A look takes some tens of microseconds, of the controlling thread.
#[derive(Debug)]
pub(crate) struct LimitWatch {
    root: Root,
    own: Option<String>,
    groups: Groups,
    quotas: Vec<(CpuQuota, CpuQuota)>,
    memory: Vec<(MemoryLimit, MemoryLimit)>,
    begun: Nanos,
    /// Time of the last check in µs since the start of the window, and its result.
    last: (u64, GroupLimits),
    first_io: Vec<IoLimit>,
    first_costs: Vec<IoCost>,
    controls: Vec<IoControl>,
    changes: Vec<LimitChange>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct GroupLimits {
    io: Vec<IoLimit>,
    cpus: Vec<CpuLimit>,
}

impl LimitWatch {
    pub(crate) fn new(root: Root) -> LimitWatch {
        let own = root.text("/proc/self/cgroup");
        let groups = Groups::find(&root);
        let controls = groups.io_controls();
        LimitWatch {
            root,
            own,
            groups,
            controls,
            quotas: Vec::new(),
            memory: Vec::new(),
            begun: 0,
            last: Default::default(),
            first_io: Vec::new(),
            first_costs: Vec::new(),
            changes: Vec::new(),
        }
    }

    pub(crate) fn begin(&mut self, now: Nanos) {
        self.begun = now;
        self.find_groups();
        let found = self.read();
        see_memory(&mut self.memory, self.groups.memory_limits(), (0, 0), MAX_LIMITS);
        self.first_io = found.io.clone();
        self.first_costs = self.groups.io_costs();
        self.last = (0, found);
    }

    /// Reads the limits within the window or at its end.
    pub(crate) fn read_limits(&mut self, now: Nanos) {
        let moved = self.find_groups();
        let found = self.read();
        let at = now.saturating_sub(self.begun) / 1000;
        if found != self.last.1 && self.changes.len() < MAX_LIMITS {
            self.changes.push(LimitChange {
                after_us: self.last.0,
                observed_us: at,
                group_changed: moved,
                io_limits: found.io.clone(),
                cpus: found.cpus.clone(),
            });
        }
        see_memory(&mut self.memory, self.groups.memory_limits(), (self.last.0, at), MAX_LIMITS);
        self.last = (at, found);
    }

    pub(crate) fn finish(&mut self, effort: &mut ResourceUsage) {
        effort.quotas = quotas_seen(&self.quotas);
        let memory = std::mem::take(&mut self.memory).into_iter();
        effort.memory = memory.filter_map(|(first, last)| first.until(&last)).collect();
        effort.io_limits = std::mem::take(&mut self.first_io);
        effort.limit_changes = std::mem::take(&mut self.changes);
        effort.io_controls = std::mem::take(&mut self.controls);
        for control in self.groups.io_controls() {
            if !effort.io_controls.contains(&control) {
                effort.io_controls.push(control);
            }
        }
        // Of another group than at the begin there is nothing to compare with.
        let of = |cost: &IoCost| {
            let same = |first: &&IoCost| (&first.group, &first.device) == (&cost.group, &cost.device);
            cost.since(self.first_costs.iter().find(same)?)
        };
        effort.io_costs = self.groups.io_costs().iter().filter_map(of).collect();
    }

    /// Reads the groups of the process; returns whether they changed.
    fn find_groups(&mut self) -> bool {
        let own = self.root.text("/proc/self/cgroup");
        let moved = own != self.own;
        if moved {
            self.own = own;
            self.groups = Groups::find(&self.root);
        }
        moved
    }

    fn read(&mut self) -> GroupLimits {
        let quotas = self.groups.cpu_quotas();
        let limited = quotas.iter().filter(|quota| quota.cpus > 0.0);
        let cpus = limited.map(|quota| CpuLimit { group: quota.group.clone(), cpus: quota.cpus }).collect();
        see_quotas(&mut self.quotas, quotas);
        GroupLimits { io: self.groups.io_limits(), cpus }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_machine::quota::MemoryLimitChange;
    use diskspd_sys::clock::SECOND;

    #[test]
    fn limits_and_group_changes_during_the_run_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = directory.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("proc/self/mountinfo", "31 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
        write("proc/self/cgroup", "0::/a\n");
        write("sys/fs/cgroup/a/io.stat", "8:0 cost.usage=5\n");
        write("sys/fs/cgroup/b/io.stat", "8:0 cost.usage=7\n");
        write("sys/fs/cgroup/a/memory.high", "max\n");
        write("sys/fs/cgroup/a/memory.max", "3000000\n");
        write("sys/fs/cgroup/a/memory.events", "high 1\nmax 5\n");
        let stat = |periods: u64| {
            format!("nr_periods {periods}\nnr_throttled {periods}\nthrottled_usec {periods}\n")
        };
        write("sys/fs/cgroup/a/cpu.stat", &stat(0));
        write("sys/fs/cgroup/b/cpu.stat", &stat(100));
        write("sys/fs/cgroup/a/cgroup.procs", "");
        write("sys/fs/cgroup/cgroup.procs", "");
        let control = |file: &str, text: &str| write(&format!("sys/fs/cgroup/{file}"), text);
        control("io.cost.qos", "8:0 enable=1\n");
        write("sys/fs/cgroup/b/io.max", "8:0 rbps=max wbps=max riops=300 wiops=max\n");
        let mut watch = LimitWatch::new(Root::at(directory.path()));
        control("io.cost.qos", "8:0 enable=0\n");
        control("c/io.latency", "8:0 target=10\n");
        watch.begin(5 * SECOND);
        watch.read_limits(6 * SECOND);
        write("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
        write("sys/fs/cgroup/a/cpu.stat", &stat(7));
        write("sys/fs/cgroup/a/memory.high", "2000000\n");
        write("sys/fs/cgroup/a/memory.events", "high 9\nmax 5\n");
        watch.read_limits(7 * SECOND);
        write("proc/self/cgroup", "0::/b\n");
        watch.read_limits(8 * SECOND);
        watch.read_limits(9 * SECOND);
        let mut effort = ResourceUsage::default();
        watch.finish(&mut effort);
        let [set, moved] = &effort.limit_changes[..] else { unreachable!("{effort:?}") };
        assert_eq!((set.after_us, set.observed_us, set.group_changed), (1_000_000, 2_000_000, false));
        assert_eq!(set.cpus, [CpuLimit { group: "/sys/fs/cgroup/a".into(), cpus: 0.5 }]);
        assert_eq!((moved.after_us, moved.observed_us, moved.group_changed), (2_000_000, 3_000_000, true));
        assert_eq!((moved.io_limits[0].reads, moved.cpus.len()), (Some(300), 0));
        assert_eq!(effort.io_costs, [], "of the group before nothing is known any more");
        let lower = MemoryLimitChange { after_us: 1_000_000, observed_us: 2_000_000, bytes: Some(2_000_000) };
        let memory = MemoryLimit {
            group: "/sys/fs/cgroup/a".into(),
            bytes: Some(3_000_000),
            changes: vec![lower],
            reached: 8,
            stalled_us: None,
        };
        assert_eq!(effort.memory, [memory]);
        let controls: Vec<&str> = effort.io_controls.iter().map(|control| control.setting.as_str()).collect();
        assert_eq!(controls, ["io.cost.qos enable=1", "io.latency target=10"], "before it, and afterwards");
        let [quota] = &effort.quotas[..] else { unreachable!("{effort:?}") };
        assert_eq!((quota.cpus, quota.throttled_periods), (0.5, 7));
    }
}
