//! Logs of single I/Os (`--io-log`).

use super::directory;
use super::in_process::profile_and_options;
use diskspd::prelude::*;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedIo {
    pub thread: u64,
    pub target: u64,
    pub direction: String,
    pub offset: u64,
    pub size: u64,
    pub start_ns: u64,
    pub latency_ns: u64,
    /// Scheduled start in ns; 0 = none.
    pub due_ns: u64,
}

/// Reads a log of one time span. Comments are left out.
pub fn read(path: &Path) -> Vec<LoggedIo> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("thread,target,direction,offset,size,start_ns,latency_ns,due_ns"));
    let io = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells[at].parse().unwrap();
        LoggedIo {
            thread: number(0),
            target: number(1),
            direction: cells[2].to_owned(),
            offset: number(3),
            size: number(4),
            start_ns: number(5),
            latency_ns: number(6),
            due_ns: cells[7].parse().unwrap_or(0),
        }
    };
    lines.filter(|line| !line.starts_with('#') && !line.is_empty()).map(io).collect()
}

/// Runs a line in this process, and returns its I/Os in the order of the log.
#[track_caller]
pub fn of_run(line: &str) -> Vec<LoggedIo> {
    let (profile, run_options) = profile_and_options(line);
    of_profile(&profile, &run_options)
}

#[track_caller]
pub fn of_profile(profile: &Profile, run_options: &RunOptions) -> Vec<LoggedIo> {
    let directory = directory();
    let log = directory.path().join("log");
    let session = Session::from(Options { io_log: Some(log.clone()), ..Options::default() });
    execute(profile, run_options, &session).unwrap();
    read(&log)
}
