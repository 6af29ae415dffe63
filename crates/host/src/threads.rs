//! CPU time of a thread of this process, read from another thread.

use super::root::Root;
use diskspd_machine::threads::*;

/// Returns the times of a thread of this process since its start; `None` if it has ended, or the kernel
/// does not report them.
pub fn read_times(root: &Root, thread: i32) -> Option<ThreadTimes> {
    let directory = format!("/proc/self/task/{thread}");
    // The name, which comes second, may hold anything: what follows the last parenthesis is numbers.
    let stat = root.text(format!("{directory}/stat"))?;
    let (_, numbers) = stat.rsplit_once(')')?;
    let mut ticks = numbers.split_whitespace().skip(11).map_while(|field| field.parse::<u64>().ok());
    let tick = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
    let (user, system) = (ticks.next()? * tick, ticks.next()? * tick);
    let schedule = root.text(format!("{directory}/schedstat")).unwrap_or_default();
    let mut nanos = schedule.split_whitespace().map_while(|field| field.parse().ok());
    // All zeros: the kernel was built without these counters.
    let busy: Option<u64> = nanos.next().filter(|busy| *busy > 0);
    let waiting = busy.and(nanos.next());
    Some(ThreadTimes { busy: busy.unwrap_or(user + system), run_delay: waiting, user, system })
}

/// Whether a thread belongs to this process, including the kernel's I/O workers (`iou-wrk`).
pub fn is_own(thread: i32) -> bool {
    std::path::Path::new("/proc/self/task").join(thread.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_times(stat: &str, schedstat: Option<&str>) -> Option<ThreadTimes> {
        let directory = tempfile::tempdir().unwrap();
        let task = directory.path().join("proc/self/task/7");
        std::fs::create_dir_all(&task).unwrap();
        std::fs::write(task.join("stat"), stat).unwrap();
        if let Some(text) = schedstat {
            std::fs::write(task.join("schedstat"), text).unwrap();
        }
        read_times(&Root::at(directory.path()), 7)
    }

    #[test]
    fn thread_files_are_read_with_any_thread_name() {
        let tick = 1_000_000_000 / rustix::param::clock_ticks_per_second();
        let stat = "7 (a) 3 (b) R 1 2 3 4 5 6 7 8 9 10 25 50 0 0 20 0 1 0";
        let full = parse_times(stat, Some("760000000 1234 99\n"));
        let (user, system) = (25 * tick, 50 * tick);
        assert_eq!(full, Some(ThreadTimes { busy: 760_000_000, run_delay: Some(1234), user, system }));
        let sampled = Some(ThreadTimes { busy: user + system, run_delay: None, user, system });
        assert_eq!(parse_times(stat, None), sampled);
        assert_eq!(parse_times(stat, Some("0 0 0")), sampled);
        assert_eq!(parse_times("7 (a) R 1 2", None), None);
        assert_eq!(parse_times("", None), None);
    }

    #[test]
    fn working_thread_counts_as_busy() {
        let root = Root::live_system();
        let me = rustix::thread::gettid().as_raw_nonzero().get();
        let before = read_times(&root, me).unwrap();
        let until = std::time::Instant::now() + std::time::Duration::from_millis(60);
        while std::time::Instant::now() < until {}
        let spent = read_times(&root, me).unwrap().since(&before);
        assert!(spent.busy > 0, "{spent:?}");
    }
}
