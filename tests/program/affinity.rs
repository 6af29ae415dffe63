//! CPUs that the process may not use, from the start or from some moment on.

#![allow(clippy::unwrap_used)]

use crate::common::loops::{Loop, run};
use crate::common::{Ended, directory_with, skip, start, wait_until, worker_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn two_cpus() -> Option<(usize, usize)> {
    let allowed = rustix::thread::sched_getaffinity(None).unwrap();
    let mut cpus = (0..64).filter(|cpu| allowed.is_set(*cpu));
    let both = cpus.next().zip(cpus.next());
    if both.is_none() {
        skip("needs two CPUs below 64");
    }
    both
}

fn on_cpu(cpu: usize, line: &str, file: &Path) -> Option<Ended> {
    let mut command = Command::new("taskset");
    command.args(["-c", &cpu.to_string(), env!("CARGO_BIN_EXE_diskspd")]);
    command.args(line.split_whitespace().map(|word| word.replace("{}", file.to_str().unwrap())));
    match command.output() {
        Ok(output) => Some(output.into()),
        Err(why) => {
            skip(&format!("taskset: {why}"));
            None
        }
    }
}

/// Returns the number of rows of the CPU table.
fn cpu_rows(report: &str) -> usize {
    let table = report.split_once("\nCPU |").unwrap().1;
    let is_row = |line: &&str| line.split('|').next().is_some_and(|cell| cell.trim().parse::<u32>().is_ok());
    table.lines().filter(is_row).take_while(|line| line.contains('%')).count()
}

#[test]
fn inherited_affinity_mask_is_respected() {
    let Some((first, second)) = two_cpus() else { return };
    let (_directory, file) = directory_with("test.dat");
    let line = format!("-c1M -a{first} -W0 -d1 {{}}");
    let Some(refused) = on_cpu(second, &line, &file) else { return };
    refused.fails(3, &["-a", &format!("CPU {first} "), "not allowed"]);
    assert!(!file.exists());
    let Some(ended) = on_cpu(second, "-c1M -t3 -v -W0 -d1 {}", &file) else { return };
    ended.report();
    let bound = ended.stdout.matches(&format!("group 0 CPU {second},")).count();
    assert_eq!(bound, 3, "all threads share the one CPU: {}", ended.stdout);
    // The report is about the machine: the CPUs of others are in it too.
    let online = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap();
    let online = diskspd::machine::cpu_list(&online).len();
    assert!(ended.stdout.contains(&format!("\tcpu count:\t\t{online}\n")), "{online}: {}", ended.stdout);
    assert_eq!(cpu_rows(&ended.stdout), online, "{}", ended.stdout);
}

fn tasks(process: u32) -> impl Iterator<Item = PathBuf> {
    let tasks = fs::read_dir(format!("/proc/{process}/task"));
    tasks.into_iter().flatten().flatten().map(|task| task.path())
}

fn text(task: &Path, name: &str) -> String {
    fs::read_to_string(task.join(name)).unwrap_or_default()
}

/// cpuset with one CPU, removed on drop.
struct Cpuset(PathBuf);

impl Cpuset {
    fn with(cpu: usize) -> Option<Cpuset> {
        let roots = ["/sys/fs/cgroup/cpuset", "/sys/fs/cgroup"].map(Path::new);
        let Some(root) = roots.into_iter().find(|root| root.join("cgroup.procs").exists()) else {
            skip("no cpuset in /sys/fs/cgroup");
            return None;
        };
        // Version 2 gives a group its cpuset only when asked to.
        let _ = fs::write(root.join("cgroup.subtree_control"), "+cpuset");
        let group = root.join(format!("diskspd-test-{}", std::process::id()));
        if let Err(why) = fs::create_dir(&group) {
            skip(&format!("no cpuset can be made: {why}"));
            return None;
        }
        let cpuset = Cpuset(group);
        let memory = fs::read_to_string(root.join("cpuset.mems"))
            .or_else(|_| fs::read_to_string(root.join("cpuset.mems.effective")))
            .unwrap_or_default();
        if let Err(why) = fs::write(cpuset.0.join("cpuset.cpus"), cpu.to_string())
            .and_then(|()| fs::write(cpuset.0.join("cpuset.mems"), memory.trim()))
        {
            skip(&format!("the cpuset cannot be filled: {why}"));
            return None;
        }
        Some(cpuset)
    }
}

impl Drop for Cpuset {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn cpu_removed_during_preparation_is_named() {
    let Some((first, second)) = two_cpus() else { return };
    let Some((_disk, directory)) = Loop::with_file_system(64 << 20, "ext4") else { return };
    let Some(cpuset) = Cpuset::with(second) else { return };
    let at = directory.to_str().unwrap();
    // Frozen, the file system holds the program up in the middle of the preparation, when its CPUs are known already.
    let Some(_) = run("fsfreeze", &["-f", at]) else { return };
    let running = start(&format!("-c1M -a{first} -W0 -d30 {{}}"), &directory.join("test.dat"));
    // The thread that does the run is started when the machine has been looked at.
    wait_until("the run begins", || {
        tasks(worker_process(running.id())).any(|task| text(&task, "comm") == "run\n")
    });
    let moved = fs::write(cpuset.0.join("cgroup.procs"), worker_process(running.id()).to_string());
    run("fsfreeze", &["-u", at]);
    let ended: Ended = running.wait_with_output().unwrap().into();
    moved.unwrap();
    ended.fails(1, &["thread 0", &format!("CPU {first}:"), "no longer allowed", "-a"]);
}

#[test]
fn null_engine_threads_are_bound() {
    let Some((_, second)) = two_cpus() else { return };
    let mut run =
        start(&format!("-c1G -o1 -t2 -a{second} --engine null -W0 -d60 {{}}"), Path::new("a target"));
    let bound = || {
        let workers =
            tasks(worker_process(run.id())).filter(|task| text(task, "comm").starts_with("worker "));
        let line = format!("Cpus_allowed_list:\t{second}\n");
        workers.filter(|task| text(task, "status").contains(&line)).count()
    };
    let all = std::panic::catch_unwind(|| wait_until("two threads are bound", || bound() == 2));
    run.kill().unwrap();
    run.wait().unwrap();
    all.unwrap();
}
