//! Tests of real-time policies: threads that end a run have a higher priority than I/O threads.

use crate::common::{self, command, while_nothing_starts};
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Name and real-time priority of every thread.
fn threads(pid: u32) -> Vec<(String, u32)> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let thread = |task: fs::DirEntry| {
        let stat = fs::read_to_string(task.path().join("stat")).ok()?;
        let (front, numbers) = stat.rsplit_once(") ")?;
        // Field 40 of all; `numbers` begins with the third.
        let priority = numbers.split_whitespace().nth(37)?.parse().ok()?;
        Some((front.split_once('(')?.1.to_owned(), priority))
    };
    tasks.filter_map(thread).collect()
}

#[test]
fn workers_have_lower_priority_than_their_supervisors() {
    let directory = tempfile::tempdir().unwrap();
    let plain = command("-c1M -b4K -g10i -o1 -t1 -W0 -d30 --engine null {}", &directory.path().join("x"));
    let mut real_time = Command::new("chrt");
    real_time.args(["-f", "20"]).arg(plain.get_program()).args(plain.get_args());
    real_time.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = while_nothing_starts(|| real_time.spawn()) else {
        return common::skip("there is no chrt");
    };
    let until = Instant::now() + Duration::from_secs(20);
    let found = loop {
        let found = threads(common::worker_process(child.id()));
        let is_there = |name: &str| found.iter().any(|(thread, _)| thread == name);
        if (is_there("worker 0") && found.iter().any(|thread| thread.1 == 21)) || Instant::now() > until {
            break found;
        }
        if child.try_wait().unwrap().is_some() {
            return common::skip("no real-time priority is permitted");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    // The worker may just have been started.
    std::thread::sleep(Duration::from_millis(200));
    let settled = threads(common::worker_process(child.id()));
    child.kill().unwrap();
    child.wait().unwrap();
    let priority = |name: &str| settled.iter().find(|(thread, _)| thread == name).map(|thread| thread.1);
    assert_eq!(priority("worker 0"), Some(20), "{found:?} {settled:?}");
    assert_eq!([priority("signals"), priority("run")], [Some(21); 2], "{settled:?}");
}
