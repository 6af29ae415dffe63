//! Signals that end commands: with a report, by the signal itself, or through a judged program.

#![allow(clippy::unwrap_used)]

use super::file_systems::Mounted;
use crate::common::{Ended, directory, expanded, wait_until, worker_process};
use rustix::process::Signal;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const SIGNALS: [(&str, Signal); 4] =
    [("INT", Signal::INT), ("TERM", Signal::TERM), ("HUP", Signal::HUP), ("QUIT", Signal::QUIT)];

/// Commands that wait for the input `pipe`.
const WAITING: [&str; 12] = [
    "report pipe",
    "report pipe --html page.html",
    "merge pipe pipe --out all.json",
    "compare pipe pipe --json answer.json",
    "convert pipe",
    "trace --from pipe --out trace.json",
    "verify-after pipe",
    "history import pipe --store store",
    "baseline set a pipe --store store",
    "suite pipe t.dat",
    "--fio pipe",
    "-Xpipe",
];

/// Starts a command with the default effect of all signals, even if the tests ignore them.
fn start_in(folder: &Path, line: &str) -> Child {
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,TERM,HUP,QUIT", env!("CARGO_BIN_EXE_diskspd")]);
    command.args(expanded(line).split(' ')).current_dir(folder).env("HOME", folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn send(process: &Child, signal: Signal) {
    let number = rustix::process::Pid::from_child(process);
    rustix::process::kill_process(number, signal).unwrap();
}

fn wait_for_handlers(process: &Child) {
    wait_until("the program handles signals", || {
        let status = fs::read_to_string(format!("/proc/{}/status", worker_process(process.id())));
        let status = status.unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
        // Its handler is installed last.
        caught & 1 << (Signal::QUIT.as_raw() - 1) != 0
    });
}

fn make_pipe(folder: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.join("pipe"), mode).unwrap();
    fs::write(folder.join("t.dat"), [7; 1 << 16]).unwrap();
}

#[test]
fn commands_without_runs_end_by_the_signal() {
    crate::common::side_by_side(WAITING, |line| {
        let folder = directory();
        make_pipe(folder.path());
        for (name, signal) in SIGNALS {
            let process = start_in(folder.path(), line);
            wait_for_handlers(&process);
            send(&process, signal);
            let output = process.wait_with_output().unwrap();
            let messages = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.signal(), Some(signal.as_raw()), "{line} {name}: {messages}");
            assert!(messages.contains(&format!("ended by SIG{name}\n")), "{line} {name}: {messages}");
            assert!(!messages.contains("ERROR"), "{line} {name}: {messages}");
        }
        for output in ["page.html", "all.json", "answer.json", "trace.json"] {
            assert!(!folder.path().join(output).exists(), "{line}: {output}");
        }
    });
}

#[test]
fn unread_messages_do_not_delay_the_end() {
    let folder = directory();
    make_pipe(folder.path());
    let (reader, mut writer) = std::io::pipe().unwrap();
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    while std::io::Write::write(&mut writer, &[b'x'; 4096]).is_ok() {}
    rustix::io::ioctl_fionbio(&writer, false).unwrap();
    let mut command = Command::new("env");
    command.args(["--default-signal=INT", env!("CARGO_BIN_EXE_diskspd"), "report", "pipe"]);
    let mut process = command.current_dir(folder.path()).stderr(writer).spawn().unwrap();
    wait_for_handlers(&process);
    send(&process, Signal::INT);
    assert_eq!(process.wait().unwrap().signal(), Some(Signal::INT.as_raw()));
    drop(reader);
}

#[test]
fn ignored_signals_stay_ignored() {
    let folder = directory();
    make_pipe(folder.path());
    let mut command = Command::new("env");
    command.args(["--ignore-signal=HUP", "--default-signal=TERM", env!("CARGO_BIN_EXE_diskspd")]);
    command.args(["report", "pipe"]).current_dir(folder.path()).stderr(Stdio::piped());
    let process = command.spawn().unwrap();
    wait_for_handlers(&process);
    send(&process, Signal::HUP);
    std::thread::sleep(Duration::from_millis(200));
    send(&process, Signal::TERM);
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(Signal::TERM.as_raw()));
}

#[test]
fn signals_remove_unfinished_files() {
    // A file system without files that have no name.
    let Some(mounted) = Mounted::by("bindfs {}/lower") else { return };
    let folder = directory();
    fs::write(folder.path().join("t.dat"), [7; 1 << 16]).unwrap();
    let files = || fs::read_dir(&mounted.at).unwrap().count();
    for option in ["--io-log", "--stream"] {
        let file = mounted.at.join("file.csv");
        fs::write(&file, "earlier\n").unwrap();
        let process =
            start_in(folder.path(), &format!("-b4K -W0 -d600 -g10i {option} {} t.dat", file.display()));
        wait_until("the file is begun", || files() == 2);
        wait_for_handlers(&process);
        send(&process, Signal::QUIT);
        let output = process.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(Signal::QUIT.as_raw()), "{option}");
        assert_eq!(files(), 1, "{option}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "earlier\n", "{option}");
    }
}

#[test]
fn judged_programs_get_signals() {
    let folder = directory();
    for (name, signal) in SIGNALS {
        let process = start_in(folder.path(), "judge -- sleep 600");
        wait_for_handlers(&process);
        wait_until("the command runs", || {
            let judge = worker_process(process.id());
            let children = fs::read_to_string(format!("/proc/{judge}/task/{judge}/children"));
            let child = children.unwrap_or_default();
            fs::read_to_string(format!("/proc/{}/comm", child.trim())).is_ok_and(|name| name == "sleep\n")
        });
        send(&process, signal);
        let ended: Ended = process.wait_with_output().unwrap().into();
        ended.fails(128 + signal.as_raw(), &[&format!("exit code {}", 128 + signal.as_raw())]);
        assert!(!ended.stderr.contains("ended by"), "{name}: {}", ended.stderr);
    }
}

#[test]
fn interrupted_experiments_end_with_an_error() {
    let lines = [
        "sweep -o1..3 -b4K -W0 -d600 t.dat",
        "suite fleet-peak t.dat --repeat 1 -- -W0 -d600",
        "precondition t.dat --standard custom --round 60 -- -b4K -w100 -W0",
        "compare --repeat 1 -- -o1 -b4K -W0 -d600 t.dat :: -o2 -b4K -W0 -d600 t.dat",
    ];
    crate::common::side_by_side(lines, |line| {
        let folder = directory();
        fs::write(folder.path().join("t.dat"), vec![7; 1 << 20]).unwrap();
        for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
            let process = start_in(folder.path(), line);
            wait_until("it runs", || {
                let tasks = fs::read_dir(format!("/proc/{}/task", worker_process(process.id())));
                let is_worker = |entry: fs::DirEntry| {
                    fs::read_to_string(entry.path().join("comm")).is_ok_and(|name| name == "signals\n")
                };
                tasks.is_ok_and(|tasks| tasks.flatten().any(is_worker))
            });
            send(&process, signal);
            let ended: Ended = process.wait_with_output().unwrap().into();
            ended.fails(1, &["ERROR: the ", "was interrupted"]);
        }
    });
}
