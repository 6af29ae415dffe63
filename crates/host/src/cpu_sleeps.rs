//! Number of processor sleeps, by the counters of the kernel's idle states.

use super::root::{Root, number, text};
use super::window_counters::WindowCounters;
use diskspd_machine::cpu_sleeps::*;
use std::path::PathBuf;

/// Names of polling states, in which the CPU stays awake.
const POLLING_STATES: [&str; 2] = ["POLL", "snooze"];

#[derive(Debug)]
pub struct SleepCounters {
    cpus: Vec<CpuSleeps>,
    files: Vec<PathBuf>,
}

#[derive(Debug, Default)]
pub struct SleepReading(Vec<Option<u64>>);

impl SleepCounters {
    /// Finds the counters of these processors, given by kernel number, without duplicates. Processors
    /// without counters are omitted.
    pub fn find(root: &Root, cpus: impl Iterator<Item = u32>) -> SleepCounters {
        let mut numbers: Vec<u32> = cpus.collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut found = SleepCounters { cpus: Vec::new(), files: Vec::new() };
        for cpu in numbers {
            let directory = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle");
            let mut states = Vec::new();
            // Numbered without gaps; sorted by name, state10 would come before state2.
            for state in (0..).map(|index| root.path(format!("{directory}/state{index}"))) {
                let Some(name) = text(&state.join("name")) else { break };
                if !POLLING_STATES.contains(&name.as_str()) {
                    let latency = number(&state.join("latency")).unwrap_or(0);
                    states.push(StateSleeps { name, latency, entered: 0 });
                    found.files.push(state.join("usage"));
                }
            }
            if !states.is_empty() {
                found.cpus.push(CpuSleeps { cpu, states });
            }
        }
        found
    }
}

impl WindowCounters for SleepCounters {
    type EdgeValues = SleepReading;
    type WindowValues = CpuSleeps;

    /// Takes several µs for each idle state of each CPU.
    fn read(&self) -> SleepReading {
        SleepReading(self.files.iter().map(|file| number(file)).collect())
    }

    /// Empty if not all could be read.
    fn count_between(self, before: &SleepReading, after: &SleepReading) -> Vec<CpuSleeps> {
        let counts: Option<Vec<u64>> =
            before.0.iter().zip(&after.0).map(|(then, now)| Some((*now)?.wrapping_sub((*then)?))).collect();
        let Some(counts) = counts.filter(|counts| counts.len() == self.files.len()) else {
            return Vec::new();
        };
        let mut cpus = self.cpus;
        let states = cpus.iter_mut().flat_map(|cpu| &mut cpu.states);
        states.zip(counts).for_each(|(state, count)| state.entered = count);
        cpus
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// (CPU, [(name, exit latency in µs, usage)])
    type Idle<'a> = (u32, &'a [(&'a str, u64, u64)]);

    fn write(directory: &tempfile::TempDir, machine: &[Idle]) {
        for (cpu, states) in machine {
            for (index, (name, latency, usage)) in states.iter().enumerate() {
                let path = format!("sys/devices/system/cpu/cpu{cpu}/cpuidle/state{index}");
                let state = directory.path().join(path);
                fs::create_dir_all(&state).unwrap();
                fs::write(state.join("name"), format!("{name}\n")).unwrap();
                fs::write(state.join("latency"), format!("{latency}\n")).unwrap();
                fs::write(state.join("usage"), format!("{usage}\n")).unwrap();
            }
        }
    }

    fn sample_sleeps(cpu: u32, states: &[(&str, u64, u64)]) -> CpuSleeps {
        let state = |(name, latency, entered): &(&str, u64, u64)| StateSleeps {
            name: (*name).into(),
            latency: *latency,
            entered: *entered,
        };
        CpuSleeps { cpu, states: states.iter().map(state).collect() }
    }

    #[test]
    fn idle_entries_exclude_polling() {
        let directory = tempfile::tempdir().unwrap();
        let root = Root::at(directory.path());
        write(
            &directory,
            &[(0, &[("POLL", 0, 5), ("C1E", 10, 100), ("C6", 170, 7)]), (1, &[("WFI", 1, 40)])],
        );
        let counters = SleepCounters::find(&root, [1, 0, 1, 9].into_iter());
        let before = counters.read();
        write(
            &directory,
            &[(0, &[("POLL", 0, 90), ("C1E", 10, 130), ("C6", 170, 7)]), (1, &[("WFI", 1, 42)])],
        );
        let after = counters.read();
        let expected =
            [sample_sleeps(0, &[("C1E", 10, 30), ("C6", 170, 0)]), sample_sleeps(1, &[("WFI", 1, 2)])];
        assert_eq!(counters.count_between(&before, &after), expected);
    }

    #[test]
    fn unreadable_counters_are_missing_not_zero() {
        let directory = tempfile::tempdir().unwrap();
        let root = Root::at(directory.path());
        let none = SleepCounters::find(&root, [0].into_iter());
        let reading = none.read();
        assert_eq!(none.count_between(&reading, &reading), [], "no idle states");
        write(&directory, &[(0, &[("POLL", 0, 5), ("C1", 1, 100)])]);
        let counters = SleepCounters::find(&root, [0].into_iter());
        let before = counters.read();
        fs::remove_dir_all(directory.path().join("sys")).unwrap();
        let after = counters.read();
        assert_eq!(counters.count_between(&before, &after), [], "the processor went off line");
        let counters =
            SleepCounters { cpus: vec![sample_sleeps(0, &[("C1", 1, 0)])], files: vec!["x".into()] };
        assert_eq!(
            counters.count_between(&SleepReading::default(), &SleepReading::default()),
            [],
            "never read"
        );
    }
}
