//! Effects of control groups on the I/O of this process, by device.

use super::{ControlGroup, Groups};
use diskspd_machine::io_limit::*;
use std::collections::BTreeMap;

impl Groups {
    /// Returns the current I/O limits. In version 1 a group's limits apply only to its own processes, not
    /// to its subgroups, unless the hierarchy was mounted with `sane_behavior`
    /// (Documentation/admin-guide/cgroup-v1/blkio-controller.rst).
    pub fn io_limits(&self) -> Vec<IoLimit> {
        let sane =
            self.groups_with("blkio").any(|group| group.text("cgroup.sane_behavior").as_deref() == Some("1"));
        let limits = self.groups_with("blkio").flat_map(|group| match group.text("io.max") {
            Some(text) => text.lines().filter_map(|line| unified_limit(&group.name(), line)).collect(),
            None if group.own || sane => group.blkio_limits(),
            None => Vec::new(),
        });
        limits.collect()
    }

    /// Returns the effects of cost-based shares on the group of this process since its creation (version
    /// 2).
    pub fn io_costs(&self) -> Vec<IoCost> {
        let own = self.groups.iter().find(|group| group.controllers.is_empty());
        let of = |group: &ControlGroup| {
            let text = group.text("io.stat").unwrap_or_default();
            text.lines().filter_map(|line| parse_cost(&group.name(), line)).collect()
        };
        own.map(of).unwrap_or_default()
    }

    /// Returns other possible I/O restrictions (version 2): `io.cost.qos` of the root group if enabled,
    /// and `io.latency` of sibling groups at every level.
    pub fn io_controls(&self) -> Vec<IoControl> {
        let unified = || self.groups.iter().filter(|group| group.controllers.is_empty());
        let cost = unified().flat_map(|group| {
            let text = group.text("io.cost.qos").unwrap_or_default();
            let on = |line: &&str| line.split(' ').any(|setting| setting == "enable=1");
            group.list_controls("io.cost.qos", text.lines().filter(on))
        });
        let latency =
            unified().filter_map(|group| Some((group, group.parent_group()?))).flat_map(|(own, above)| {
                let names = above.root.names(&above.directory).into_iter().take(MAX_SIBLINGS);
                let beside =
                    names.map(|name| ControlGroup { directory: above.directory.join(name), ..above.clone() });
                let beside = beside.filter(|group| group.directory != own.directory);
                beside
                    .flat_map(|group| {
                        let text = group.text("io.latency").unwrap_or_default();
                        group.list_controls("io.latency", text.lines())
                    })
                    .collect::<Vec<_>>()
            });
        cost.chain(latency).collect()
    }
}

fn parse_setting(settings: &str, name: &str) -> Option<u64> {
    settings.split(' ').find_map(|setting| setting.strip_prefix(name)?.strip_prefix('='))?.parse().ok()
}

/// Parses `8:0 rbytes=1 wbytes=2 cost.usage=3 cost.wait=4`; `None` = no cost-based shares.
fn parse_cost(group: &str, line: &str) -> Option<IoCost> {
    let (device, counters) = line.split_once(' ')?;
    let named = |name| parse_setting(counters, name);
    Some(IoCost {
        group: group.to_owned(),
        device: device.to_owned(),
        usage_us: named("cost.usage")?,
        wait_us: named("cost.wait"),
        indebt_us: named("cost.indebt"),
        indelay_us: named("cost.indelay"),
    })
}

const MAX_SIBLINGS: usize = 200;

impl ControlGroup {
    fn list_controls<'a>(&self, file: &str, lines: impl Iterator<Item = &'a str>) -> Vec<IoControl> {
        let control = |line: &str| {
            let (device, setting) = line.split_once(' ')?;
            let setting = format!("{file} {setting}");
            Some(IoControl { group: self.name(), device: device.to_owned(), setting })
        };
        lines.filter_map(control).collect()
    }

    fn parent_group(&self) -> Option<ControlGroup> {
        let directory = self.directory.parent()?.to_owned();
        let above = ControlGroup { directory, own: false, ..self.clone() };
        above.text("cgroup.procs").map(|_| above)
    }
}

/// Parses `8:16 rbps=2097152 wbps=max riops=max wiops=120`.
fn unified_limit(group: &str, line: &str) -> Option<IoLimit> {
    let (device, limits) = line.split_once(' ')?;
    let named = |name| parse_setting(limits, name);
    let limit = IoLimit {
        group: group.to_owned(),
        device: device.to_owned(),
        read_bytes: named("rbps"),
        write_bytes: named("wbps"),
        reads: named("riops"),
        writes: named("wiops"),
    };
    limit.named_limits().next()?;
    Some(limit)
}

impl ControlGroup {
    /// Reads the four files of version 1 with lines such as `8:16 2097152`.
    fn blkio_limits(&self) -> Vec<IoLimit> {
        type Set = fn(&mut IoLimit, u64);
        let files: [(&str, Set); 4] = [
            ("read_bps", |limit, value| limit.read_bytes = Some(value)),
            ("write_bps", |limit, value| limit.write_bytes = Some(value)),
            ("read_iops", |limit, value| limit.reads = Some(value)),
            ("write_iops", |limit, value| limit.writes = Some(value)),
        ];
        let mut limits: BTreeMap<String, IoLimit> = BTreeMap::new();
        for (file, set) in files {
            let text = self.text(&format!("blkio.throttle.{file}_device")).unwrap_or_default();
            for (device, value) in text.lines().filter_map(|line| line.split_once(' ')) {
                let Ok(value) = value.trim().parse() else { continue };
                let limit = limits.entry(device.to_owned()).or_insert_with(|| IoLimit {
                    group: self.name(),
                    device: device.to_owned(),
                    ..IoLimit::default()
                });
                set(limit, value);
            }
        }
        limits.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cgroup::tests::groups;

    fn read_limits(files: &[(&str, &str)]) -> (Vec<IoLimit>, Vec<IoControl>) {
        let (_directory, groups) = groups(files);
        (groups.io_limits(), groups.io_controls())
    }

    #[test]
    fn parent_io_limit_applies_in_cgroup_v2_only() {
        let old = [
            ("proc/self/cgroup", "5:blkio:/x/y\n"),
            ("proc/self/mountinfo", "38 31 0:35 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n"),
            ("sys/fs/cgroup/blkio/x/blkio.throttle.read_iops_device", "8:0 100\n"),
        ];
        assert_eq!(read_limits(&old).0, []);
        let own = [("sys/fs/cgroup/blkio/x/y/blkio.throttle.read_iops_device", "8:0 200\n")];
        let found = read_limits(&[&old[..], &own].concat()).0;
        assert_eq!(found.iter().map(|limit| limit.reads).collect::<Vec<_>>(), [Some(200)]);
        let sane = [("sys/fs/cgroup/blkio/cgroup.sane_behavior", "1\n")];
        assert_eq!(read_limits(&[&old[..], &sane].concat()).0.len(), 1);
        let new = [
            ("proc/self/cgroup", "0::/x/y\n"),
            ("proc/self/mountinfo", "31 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("sys/fs/cgroup/x/io.max", "8:0 rbps=max wbps=max riops=100 wiops=max\n"),
            ("sys/fs/cgroup/x/y/io.max", ""),
        ];
        assert_eq!(read_limits(&new).0.iter().map(|limit| limit.reads).collect::<Vec<_>>(), [Some(100)]);
    }

    #[test]
    fn cost_statistics_of_groups_are_read() {
        let stat = "8:0 rbytes=1 wbytes=0 rios=1 wios=0 dbytes=0 dios=0 cost.usage=70\n\
                    8:16 rbytes=1 cost.usage=9 cost.wait=5 cost.indebt=2 cost.indelay=1\n\
                    8:32 rbytes=1\nodd\n";
        let (_directory, groups) = groups(&[
            ("proc/self/cgroup", "0::/x\n"),
            ("proc/self/mountinfo", "31 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("sys/fs/cgroup/x/io.stat", stat),
        ]);
        let found = groups.io_costs();
        let [plain, told] = &found[..] else { unreachable!("{found:?}") };
        assert_eq!((plain.device.as_str(), plain.usage_us, plain.held_back_us()), ("8:0", 70, None));
        assert_eq!((told.usage_us, told.indebt_us, told.held_back_us()), (9, Some(2), Some(6)));
        let later = IoCost { usage_us: 10, wait_us: Some(25), ..told.clone() };
        let between = later.since(told).unwrap();
        assert_eq!((between.usage_us, between.held_back_us()), (1, Some(20)));
        assert_eq!(told.since(&later), None, "counted anew");
    }

    #[test]
    fn unquantified_io_throttling_is_found() {
        let (_, controls) = read_limits(&[
            ("proc/self/cgroup", "0::/x/y\n"),
            ("proc/self/mountinfo", "31 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("sys/fs/cgroup/cgroup.procs", ""),
            ("sys/fs/cgroup/io.cost.qos", "8:0 enable=1 ctrl=user max=100.00\n8:16 enable=0 ctrl=auto\n"),
            ("sys/fs/cgroup/x/cgroup.procs", ""),
            ("sys/fs/cgroup/x/y/io.latency", "8:0 target=1\n"),
            ("sys/fs/cgroup/x/z/io.latency", "8:0 target=10000\n"),
        ]);
        let found: Vec<_> =
            controls.iter().map(|c| (c.group.as_str(), c.device.as_str(), c.setting.as_str())).collect();
        let expected = [
            ("/sys/fs/cgroup", "8:0", "io.cost.qos enable=1 ctrl=user max=100.00"),
            ("/sys/fs/cgroup/x/z", "8:0", "io.latency target=10000"),
        ];
        assert_eq!(found, expected);
    }
}
