//! Memory limits of control groups. The kernel kills processes above them silently.

use super::{ControlGroup, Groups};
use diskspd_machine::quota::{MemoryAllowance, MemoryLimit};

impl Groups {
    /// Returns the smallest allowance of this process's groups; `None` = no limit.
    pub fn memory_allowance(&self) -> Option<MemoryAllowance> {
        self.groups_with("memory")
            .filter_map(ControlGroup::memory_allowance)
            .min_by_key(|allowance| allowance.left)
    }

    /// Returns the current memory limits, and the counts since the groups were created. Groups without a
    /// limit are included, because they may get one.
    pub fn memory_limits(&self) -> Vec<MemoryLimit> {
        self.groups_with("memory").filter_map(ControlGroup::memory_reached).collect()
    }
}

impl ControlGroup {
    /// Returns the effective memory limit of this process in bytes, including page cache; `None` = unlimited.
    pub(crate) fn memory_limit(&self) -> Option<u64> {
        // Above `memory.high` nothing is killed: the kernel takes memory back, and holds up who wants more.
        let high = self.text("memory.high").and_then(|high| high.parse().ok());
        high.into_iter().chain(self.memory_max()).min()
    }

    /// Returns the limit above which the kernel kills processes.
    fn memory_max(&self) -> Option<u64> {
        if !self.own && self.text("memory.use_hierarchy").is_some_and(|used| used == "0") {
            // Version 1: of its own processes alone.
            return None;
        }
        let limit = self.text("memory.max").or_else(|| self.text("memory.limit_in_bytes"))?;
        // Version 1 represents "no limit" by the largest multiple of a page.
        limit.parse().ok().filter(|&limit: &u64| limit < 1 << 62)
    }

    fn memory_reached(&self) -> Option<MemoryLimit> {
        let reached = match self.text("memory.events") {
            Some(events) => {
                let count =
                    |name| events.lines().find_map(|line| line.strip_prefix(name)?.parse::<u64>().ok());
                count("high ")?.saturating_add(count("max ")?)
            }
            None => self.text("memory.failcnt")?.parse().ok()?,
        };
        let stalled = |pressure: String| {
            let full = pressure.lines().find(|line| line.starts_with("full "))?;
            full.rsplit_once("total=")?.1.parse().ok()
        };
        Some(MemoryLimit {
            group: self.name(),
            bytes: self.memory_limit(),
            changes: Vec::new(),
            reached,
            stalled_us: self.text("memory.pressure").and_then(stalled),
        })
    }

    fn memory_allowance(&self) -> Option<MemoryAllowance> {
        let limit = self.memory_max()?;
        let used = self.text("memory.current").or_else(|| self.text("memory.usage_in_bytes"));
        let used: u64 = used.and_then(|used| used.parse().ok()).unwrap_or(0);
        let counts = self.text("memory.stat").unwrap_or_default();
        let count = |wanted: &str| -> Option<u64> {
            counts.lines().find_map(|line| line.strip_prefix(wanted)?.strip_prefix(' ')?.parse().ok())
        };
        // Version 1 counts groups below apart.
        let cached = |name: &str| count(&format!("total_{name}")).or_else(|| count(name)).unwrap_or_default();
        let cache = cached("inactive_file").saturating_add(cached("active_file"));
        let left = limit.saturating_sub(used.saturating_sub(cache));
        Some(MemoryAllowance { group: self.name(), limit, left })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::groups;
    use super::MemoryAllowance;

    const MIB: u64 = 1 << 20;

    fn test_allowance(group: &str, limit: u64, left: u64) -> Option<MemoryAllowance> {
        Some(MemoryAllowance { group: group.into(), limit, left })
    }

    #[test]
    fn v1_memory_limit_applies_to_descendants() {
        let files = |own: &str, hierarchy: &str| {
            groups(&[
                ("proc/self/cgroup", "4:memory:/a/b\n0::/\n"),
                ("proc/self/mountinfo", "32 31 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"),
                ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
                ("sys/fs/cgroup/memory/a/memory.use_hierarchy", hierarchy),
                ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "104857600\n"),
                ("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "41943040\n"),
                ("sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 20971520\n"),
                ("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", own),
                ("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "0\n"),
            ])
        };
        let (_directory, above) = files("9223372036854771712\n", "1\n");
        assert_eq!(above.memory_allowance(), test_allowance("/sys/fs/cgroup/memory/a", 100 * MIB, 80 * MIB));
        let (_directory, own) = files("52428800\n", "1\n");
        assert_eq!(own.memory_allowance(), test_allowance("/sys/fs/cgroup/memory/a/b", 50 * MIB, 50 * MIB));
        let (_directory, apart) = files("9223372036854771712\n", "0\n");
        assert_eq!(apart.memory_allowance(), None, "the limit above is not in force for this one");
    }

    #[test]
    fn lower_memory_limit_applies_with_its_hit_count() {
        let (_directory, new) = groups(&[
            ("proc/self/cgroup", "0::/a/b\n"),
            ("proc/self/mountinfo", "31 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("sys/fs/cgroup/a/memory.high", "52428800\n"),
            ("sys/fs/cgroup/a/memory.max", "104857600\n"),
            ("sys/fs/cgroup/a/memory.current", "62914560\n"),
            ("sys/fs/cgroup/a/memory.events", "low 1\nhigh 20\nmax 3\noom 0\n"),
            (
                "sys/fs/cgroup/a/memory.pressure",
                "some avg10=0.00 avg300=0.00 total=9\nfull avg10=0.00 avg300=0.00 total=7\n",
            ),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/b/memory.high", "max\n"),
            ("sys/fs/cgroup/a/b/memory.events", "high 0\nmax 0\n"),
        ]);
        let found = new.memory_limits();
        let found: Vec<_> =
            found.iter().map(|limit| (limit.bytes, limit.reached, limit.stalled_us)).collect();
        assert_eq!(found, [(None, 0, None), (Some(50 * MIB), 23, Some(7))]);
        assert_eq!(new.memory_allowance().unwrap().limit, 100 * MIB, "above memory.high nothing is killed");
        let (_directory, old) = groups(&[
            ("proc/self/cgroup", "4:memory:/a\n"),
            ("proc/self/mountinfo", "32 31 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "104857600\n"),
            ("sys/fs/cgroup/memory/a/memory.failcnt", "12\n"),
        ]);
        let [limit] = &old.memory_limits()[..] else { unreachable!("{old:?}") };
        assert_eq!((limit.bytes, limit.reached, limit.stalled_us), (Some(100 * MIB), 12, None));
    }

    #[test]
    fn v2_memory_limit_is_read_and_may_be_absent() {
        let files = |max: &str| {
            groups(&[
                ("proc/self/cgroup", "0::/a/b\n"),
                ("proc/self/mountinfo", "31 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
                ("sys/fs/cgroup/a/memory.max", max),
                ("sys/fs/cgroup/a/memory.current", "62914560\n"),
                ("sys/fs/cgroup/a/memory.stat", "inactive_file 10485760\nactive_file 10485760\n"),
                ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ])
        };
        let (_directory, limited) = files("104857600\n");
        assert_eq!(limited.memory_allowance(), test_allowance("/sys/fs/cgroup/a", 100 * MIB, 60 * MIB));
        let (_directory, over) = files("1048576\n");
        assert_eq!(over.memory_allowance(), test_allowance("/sys/fs/cgroup/a", MIB, 0));
        let (_directory, free) = files("max\n");
        assert_eq!(free.memory_allowance(), None);
    }
}
