//! The parent process and its child, as shells and service managers use them.

#![allow(clippy::unwrap_used)]

use crate::common::{Running, directory_with, start, tool, wait_until, worker_process};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

fn running() -> (tempfile::TempDir, Running) {
    let (folder, file) = directory_with("f");
    let run = Running::until(": measuring", "-c1M -b4K -o2 -W0 -d600 --engine null {}", &file);
    (folder, run)
}

fn state(process: u32) -> String {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").map_or("gone".into(), |(_, rest)| rest[..1].to_owned())
}

fn is_quit_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 << 2 != 0
}

#[test]
fn parent_exits_like_its_child() {
    let (_folder, file) = directory_with("f");
    for (line, code) in
        [("-c1M -b4K -W0 -d1 --engine null {}", 0), ("-b4K -W0 -d1 {}/none", 1), ("-b0 {}", 3)]
    {
        let mut run = start(line, &file);
        assert_eq!(run.wait().unwrap().code(), Some(code), "{line}");
    }
    for (signal, to_child) in [("KILL", true), ("USR1", true), ("QUIT", false)] {
        // A shell starts background jobs without SIGQUIT.
        if signal == "QUIT" && is_quit_ignored() {
            continue;
        }
        let (_folder, mut run) = running();
        let process = run.child.id();
        tool(&format!("kill -{signal} {}", if to_child { worker_process(process) } else { process }))
            .unwrap();
        let ended = run.child.wait().unwrap();
        let number = match signal {
            "KILL" => 9,
            "USR1" => 10,
            _ => 3,
        };
        assert_eq!(ended.signal(), Some(number), "{signal}");
    }
}

#[test]
fn a_signal_to_both_processes_counts_once() {
    for signal in ["INT", "TERM"] {
        let (_folder, run) = running();
        let process = run.child.id();
        tool(&format!("kill -{signal} {process} {}", worker_process(process))).unwrap();
        let ended = run.end().succeeds();
        assert_eq!(ended.stdout.matches("*** Interrupted").count(), 1, "{}", ended.stdout);
    }
}

#[test]
fn both_processes_stop_and_continue_together() {
    let (_folder, run) = running();
    let parent = run.child.id();
    let child = worker_process(parent);
    assert_ne!(parent, child);
    for (signal, process, stops) in [
        ("STOP", parent, true),
        ("CONT", parent, false),
        ("STOP", child, true),
        ("CONT", child, false),
        ("STOP", child, true),
        ("CONT", parent, false),
    ] {
        tool(&format!("kill -{signal} {process}")).unwrap();
        let what = format!("{signal} to {}", if process == parent { "the parent" } else { "the child" });
        wait_until(&what, || [parent, child].iter().all(|process| (state(*process) == "T") == stops));
    }
    run.signal("INT");
    assert_eq!(run.end().code, 0);
}

#[test]
fn continued_program_never_stays_stopped() {
    let (_folder, run) = running();
    let parent = run.child.id();
    let child = worker_process(parent);
    for round in 0..40 {
        let process = if round % 2 == 0 { parent } else { child };
        tool(&format!("kill -STOP {process}")).unwrap();
        // Each round continues the processes at another moment of the stop.
        std::thread::sleep(Duration::from_millis(round * 13 % 100));
        tool(&format!("kill -CONT {process}")).unwrap();
        wait_until("both continue", || [parent, child].iter().all(|process| state(*process) != "T"));
    }
    run.signal("INT");
    assert_eq!(run.end().code, 0);
}

#[test]
fn the_child_ends_when_its_parent_is_killed() {
    let (_folder, mut run) = running();
    let child = worker_process(run.child.id());
    run.child.kill().unwrap();
    assert_eq!(run.child.wait().unwrap().signal(), Some(9));
    wait_until("the child has ended", || ["gone", "Z"].contains(&&*state(child)));
}
