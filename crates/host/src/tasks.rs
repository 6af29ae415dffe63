//! Other users of the CPUs: kernel threads and other programs.

use super::process_stat::ProcessStat;
use super::root::Root;
use diskspd_machine::tasks::*;
use diskspd_sys::clock::{self, Nanos};
use std::collections::BTreeMap;

const MAX_NAMED: usize = 16;
const MIN_CPU_SHARE: f64 = 0.01;
/// Maximum number of processes for the check, which would take longer than 100 ms right before the window.
/// A time limit would exclude crowded machines, which matter most.
const MAX_PROCESSES: usize = 4000;
/// Flag of a kernel thread in `stat` (`PF_KTHREAD`).
const KERNEL: u64 = 0x0020_0000;

/// Times of all tasks since their start.
#[derive(Debug, Clone)]
pub struct Tasks {
    at: Nanos,
    /// Number of processes and threads started since boot.
    started: Option<u64>,
    tasks: BTreeMap<u32, Times>,
}

#[derive(Debug, Clone)]
struct Times {
    name: String,
    kernel: bool,
    /// Start time in clock ticks since boot, which distinguishes reused process numbers.
    started: u64,
    busy: u64,
    waiting: Option<u64>,
}

impl Tasks {
    /// Returns all current tasks; `None` = too many, or invisible.
    pub fn read(root: &Root) -> Option<Tasks> {
        let at = clock::monotonic();
        let own = std::process::id();
        let mut tasks = BTreeMap::new();
        let names = root.names("/proc");
        let pids: Vec<u32> = names.iter().filter_map(|name| name.parse().ok()).collect();
        if pids.len() > MAX_PROCESSES {
            return None;
        }
        for pid in pids.into_iter().filter(|pid| *pid != own) {
            if let Some(times) = Times::read_times(root, pid) {
                tasks.insert(pid, times);
            }
        }
        let started = root.text("/proc/stat").and_then(|text| {
            text.lines().find_map(|line| line.strip_prefix("processes ")?.trim().parse().ok())
        });
        (!tasks.is_empty()).then_some(Tasks { at, started, tasks })
    }

    pub fn since(&self, earlier: &Tasks) -> OtherTasks {
        let elapsed = self.at.saturating_sub(earlier.at);
        let started = self.started.zip(earlier.started).map(|(now, then)| now.saturating_sub(then));
        let mut others = OtherTasks { elapsed, started, ..OtherTasks::default() };
        for (pid, now) in &self.tasks {
            let then = earlier.tasks.get(pid).filter(|then| then.started == now.started);
            // Who wasn't there before was started meanwhile.
            let busy = now.busy.saturating_sub(then.map_or(0, |then| then.busy));
            if now.kernel {
                *others.kernel.get_or_insert(0) += busy;
                if let Some(waiting) = now.waiting {
                    let before = then.and_then(|then| then.waiting).unwrap_or(0);
                    *others.kernel_run_delay.get_or_insert(0) += waiting.saturating_sub(before);
                }
            } else {
                others.programs += busy;
            }
            if busy as f64 >= MIN_CPU_SHARE * elapsed as f64 && busy > 0 {
                let (name, kernel) = (now.name.clone(), now.kernel);
                others.busiest.push(Task { name, pid: *pid, kernel, busy });
            }
        }
        others.busiest.sort_by_key(|task| (std::cmp::Reverse(task.busy), task.pid));
        others.busiest.truncate(MAX_NAMED);
        others
    }
}

impl Times {
    fn read_times(root: &Root, pid: u32) -> Option<Times> {
        let stat = ProcessStat::read(root, pid)?;
        let tick = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
        let kernel = stat.number(9)? & KERNEL != 0;
        let mut times = Times {
            name: stat.name().chars().map(|c| if c.is_ascii_graphic() { c } else { '?' }).collect(),
            kernel,
            started: stat.number(22)?,
            busy: stat.number(14)?.saturating_add(stat.number(15)?).saturating_mul(tick),
            waiting: None,
        };
        // A thread of the kernel is a process of its own: this is exact. That of a program would be its
        // first thread's.
        if kernel && let Some(schedule) = root.text(format!("/proc/{pid}/schedstat")) {
            let mut nanos = schedule.split_whitespace().map_while(|field| field.parse::<u64>().ok());
            if let Some(busy) = nanos.next().filter(|busy| *busy > 0) {
                (times.busy, times.waiting) = (busy, nanos.next());
            }
        }
        Some(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn put_task(root: &Path, pid: u32, name: &str, flags: u64, (ticks, started): (u64, u64), schedule: &str) {
        let at = root.join(format!("proc/{pid}"));
        fs::create_dir_all(&at).unwrap();
        let stat =
            format!("{pid} ({name}) R 2 0 0 0 -1 {flags} 1 2 3 4 {ticks} 0 0 0 20 0 1 0 {started} 0 0");
        fs::write(at.join("stat"), stat).unwrap();
        fs::write(at.join("schedstat"), schedule).unwrap();
    }

    #[test]
    fn cpu_users_between_two_readings_are_listed() {
        let directory = tempfile::tempdir().unwrap();
        let (at, root) = (directory.path(), Root::at(directory.path()));
        put_task(at, 7, "kworker/u4:1-bt) (x", KERNEL, (0, 1), "1000000 50 2");
        put_task(at, 8, "sh\x1b[2J", 0, (100, 2), "5 5 5");
        put_task(at, 9, "old", 0, (900, 3), "");
        fs::write(at.join("proc/stat"), "cpu  1 2 3\nctxt 5\nprocesses 100\nprocs_running 1\n").unwrap();
        let mut before = Tasks::read(&root).unwrap();
        fs::write(at.join("proc/stat"), "cpu  1 2 3\nctxt 5\nprocesses 130\nprocs_running 1\n").unwrap();
        put_task(at, 7, "kworker/u4:1-bt) (x", KERNEL, (0, 1), "601000000 70 9");
        put_task(at, 8, "sh\x1b[2J", 0, (130, 2), "5 5 5");
        // Its number was used again; this one is new.
        put_task(at, 9, "new", 0, (20, 9), "");
        put_task(at, 10, "idle", 0, (0, 9), "");
        let mut after = Tasks::read(&root).unwrap();
        (before.at, after.at) = (1_000_000_000, 2_000_000_000);
        let tick = 1_000_000_000 / rustix::param::clock_ticks_per_second();
        let others = after.since(&before);
        assert_eq!((others.elapsed, others.kernel), (1_000_000_000, Some(600_000_000)));
        assert_eq!((others.kernel_run_delay, others.programs), (Some(20), 50 * tick));
        assert_eq!((others.started, others.short_lived()), (Some(30), Some(30)));
        fs::remove_file(at.join("proc/stat")).unwrap();
        assert_eq!(Tasks::read(&root).unwrap().since(&before).started, None);
        let named: Vec<(&str, bool, u64)> =
            others.busiest.iter().map(|task| (task.name.as_str(), task.kernel, task.busy)).collect();
        let expected = [
            ("kworker/u4:1-bt)?(x", true, 600_000_000),
            ("sh?[2J", false, 30 * tick),
            ("new", false, 20 * tick),
        ];
        assert_eq!(named, expected);
    }

    #[test]
    fn missing_proc_gives_unknown_tasks() {
        let directory = tempfile::tempdir().unwrap();
        assert!(Tasks::read(&Root::at(directory.path())).is_none());
    }
}
