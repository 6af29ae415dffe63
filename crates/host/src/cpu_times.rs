//! CPU times from `/proc/stat`, or from the Windows kernel.

#[cfg(target_os = "linux")]
use super::root::Root;
use diskspd_machine::Topology;
use diskspd_machine::cpu_times::*;
use std::collections::BTreeMap;

/// Times of every online CPU since boot, by the kernel's number ([`kernel_cpu`]). Linux uses clock ticks
/// of normally 10 ms, so a window of a second has a resolution of 1 %. Windows uses 100 ns, counted in
/// ticks of normally 15.6 ms.
///
/// [`kernel_cpu`]: diskspd_machine::kernel_cpu
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CpuClock(BTreeMap<u32, (CpuTimes, LostTimes)>);

#[cfg(windows)]
impl CpuClock {
    /// Reads the current times of all processor groups.
    ///
    /// # Errors
    /// Fails if the kernel does not report them.
    pub fn read() -> std::io::Result<CpuClock> {
        let times = super::windows::fetched::processor_times()?;
        if times.is_empty() {
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "no CPU has times"));
        }
        Ok(CpuClock(times))
    }
}

#[cfg(target_os = "linux")]
impl CpuClock {
    /// Reads the current times.
    ///
    /// # Errors
    /// Fails if `/proc/stat` cannot be read, or does not list a CPU.
    pub fn read() -> std::io::Result<CpuClock> {
        CpuClock::read_at(&Root::live_system())
    }

    /// Reads the times from the files of a directory.
    pub fn read_at(root: &Root) -> std::io::Result<CpuClock> {
        let clock = CpuClock::parse(&std::fs::read_to_string(root.path("/proc/stat"))?);
        if clock.0.is_empty() {
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "/proc/stat lists no CPU"));
        }
        Ok(clock)
    }

    fn parse(text: &str) -> CpuClock {
        CpuClock(text.lines().filter_map(parse_line).collect())
    }
}

impl CpuClock {
    /// Returns the differences to an earlier reading, for the active CPUs in their order. A CPU missing in
    /// one reading counts as idle. A counter that ran backwards (they do, slightly) counts as unchanged.
    pub fn since(&self, earlier: &CpuClock, topology: &Topology) -> Vec<CpuTimes> {
        let idle = CpuTimes { idle: 1, kernel: 0, user: 0 };
        topology
            .kernel_cpus()
            .map(|cpu| match (self.0.get(&cpu), earlier.0.get(&cpu)) {
                (Some((now, _)), Some((then, _))) => CpuTimes {
                    idle: now.idle.saturating_sub(then.idle),
                    kernel: now.kernel.saturating_sub(then.kernel),
                    user: now.user.saturating_sub(then.user),
                },
                _ => idle,
            })
            .map(|times| if times == CpuTimes::default() { idle } else { times })
            .collect()
    }

    /// Returns active CPUs of an earlier reading that this one lacks, by kernel number.
    pub fn gone_since(&self, earlier: &CpuClock, topology: &Topology) -> Vec<u32> {
        let gone = |cpu: &u32| earlier.0.contains_key(cpu) && !self.0.contains_key(cpu);
        topology.kernel_cpus().filter(gone).collect()
    }

    /// Returns the lost time of the active CPUs since an earlier reading, in their order.
    pub fn lost_since(&self, earlier: &CpuClock, topology: &Topology) -> Vec<LostTimes> {
        let lost = |cpu| match (self.0.get(&cpu), earlier.0.get(&cpu)) {
            (Some((_, now)), Some((_, then))) => LostTimes {
                interrupts: now.interrupts.saturating_sub(then.interrupts),
                steal: now.steal.saturating_sub(then.steal),
            },
            _ => LostTimes::default(),
        };
        topology.kernel_cpus().map(lost).collect()
    }
}

/// Parses a line of `/proc/stat`: `cpu<n> user nice system idle iowait irq softirq steal guest
/// guest_nice`. Guest times are included in user and nice. Waiting for a disk is idle time, as in DISKSPD,
/// and stolen time does not belong to the program.
#[cfg(target_os = "linux")]
fn parse_line(line: &str) -> Option<(u32, (CpuTimes, LostTimes))> {
    let mut words = line.split_ascii_whitespace();
    let cpu = words.next()?.strip_prefix("cpu")?.parse().ok()?;
    let ticks: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
    let sum = |fields: &[usize]| {
        fields
            .iter()
            .filter_map(|field| ticks.get(*field))
            .fold(0, |sum: u64, ticks| sum.saturating_add(*ticks))
    };
    let times = CpuTimes { idle: sum(&[3, 4]), kernel: sum(&[2, 5, 6, 7]), user: sum(&[0, 1]) };
    Some((cpu, (times, LostTimes { interrupts: sum(&[5, 6]), steal: sum(&[7]) })))
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn times_of_this_machine_are_readable() {
        let topology = crate::snapshot().topology;
        let earlier = CpuClock::read().unwrap();
        let window = CpuClock::read().unwrap().since(&earlier, &topology);
        assert_eq!(window.len(), topology.active_cpus().count());
        assert!(window.iter().all(|times| times.idle + times.kernel + times.user > 0));
        assert!(earlier.gone_since(&earlier, &topology).is_empty());
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use diskspd_machine::Group;

    fn sample_topology(mask: u64) -> Topology {
        let group = Group { number: 0, maximum: 64, active: mask.count_ones(), mask };
        Topology { groups: vec![group], ..Topology::default() }
    }

    #[test]
    fn proc_stat_fields_map_to_columns() {
        let text = "cpu  9 9 9 9 9 9 9 9 9 9\ncpu3 1 20 300 4000 50000 600000 7000000 80000000 5 5\n\
                    intr 1\nctxt 2\n";
        let clock = CpuClock::parse(text);
        let times = CpuTimes { idle: 54000, kernel: 87600300, user: 21 };
        let lost = LostTimes { interrupts: 7_600_000, steal: 80_000_000 };
        assert_eq!(clock.0, BTreeMap::from([(3, (times, lost))]));
        let times = CpuTimes { idle: 4, kernel: 3, user: 3 };
        assert_eq!(CpuClock::parse("cpu0 1 2 3 4\n").0[&0], (times, LostTimes::default()));
    }

    #[test]
    fn cpu_time_of_window_is_listed_by_active_cpu() {
        let earlier = CpuClock::parse("cpu0 1 0 1 10\ncpu1 5 0 5 5\ncpu2 7 7 7 7\ncpu5 0 0 0 0");
        let later = CpuClock::parse("cpu0 4 0 3 20\ncpu1 5 0 5 5\ncpu2 6 8 9 7\ncpu7 1 1 1 1");
        let times = |idle, kernel, user| CpuTimes { idle, kernel, user };
        let idle = times(1, 0, 0);
        let both = later.since(&earlier, &sample_topology(0b10100111));
        // CPU 2's user time fell by one tick while its nice time rose by one; CPU 5 vanished; CPU 7 came.
        assert_eq!(both, [times(10, 2, 3), idle, times(0, 2, 0), idle, idle]);
        assert_eq!(earlier.since(&later, &sample_topology(1)), [idle], "backwards is standing still");
    }

    #[test]
    fn lost_times_are_listed_per_cpu() {
        let earlier = CpuClock::parse("cpu0 1 1 1 1 1 10 20 30\ncpu1 1 1 1 1\ncpu2 0 0 0 0 0 5 5 5");
        let later = CpuClock::parse("cpu0 1 1 1 1 1 12 23 35\ncpu1 1 1 1 1\ncpu2 0 0 0 0 0 5 5 4");
        let lost = |interrupts, stolen| LostTimes { interrupts, steal: stolen };
        let none = lost(0, 0);
        assert_eq!(later.lost_since(&earlier, &sample_topology(0b1111)), [lost(5, 5), none, none, none]);
    }

    #[test]
    fn times_of_this_machine_are_readable() {
        let topology = super::super::topology::read(&Root::live_system());
        let earlier = CpuClock::read().unwrap();
        let window = CpuClock::read().unwrap().since(&earlier, &topology);
        assert_eq!(window.len(), topology.active_cpus().count());
        assert!(window.iter().all(|times| times.idle + times.kernel + times.user > 0));
    }
}
