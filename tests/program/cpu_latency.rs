//! Processors kept awake during the measurement (`--cpu-latency`).

#![allow(clippy::unwrap_used)]

use crate::common::{
    command_of, copy_of_program, directory, directory_with, diskspd, read_json, skip, start,
};
use diskspd::sys::cpu_latency::DEVICE;
use serde_json::Value;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

/// Returns the effective limit of the kernel in µs, the lowest of all held limits; `None` = the device is
/// unusable.
fn limit() -> Option<i32> {
    let mut number = [0; 4];
    fs::OpenOptions::new().write(true).open(DEVICE).ok()?;
    File::open(DEVICE).ok()?.read_exact(&mut number).ok()?;
    Some(i32::from_ne_bytes(number))
}

/// Whether a process has the device open.
fn holds(child: &Child) -> bool {
    let open = fs::read_dir(format!("/proc/{}/fd", crate::common::worker_process(child.id())));
    let mut open = open.into_iter().flatten().flatten();
    open.any(|entry| fs::read_link(entry.path()).is_ok_and(|place| place == Path::new(DEVICE)))
}

/// Runs the program to its end; also returns the limits while it had the device open.
fn watched(line: &str, path: &Path) -> (crate::common::Ended, Vec<Option<i32>>) {
    let mut child = start(line, path);
    let mut limits = Vec::new();
    while child.try_wait().unwrap().is_none() {
        let (before, limit, after) = (holds(&child), limit(), holds(&child));
        if before && after {
            limits.push(limit);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    (child.wait_with_output().unwrap().into(), limits)
}

fn observed(record: &Path) -> Value {
    let record: Value = read_json(record);
    record["hosts"][0]["results"]["time_spans"][0]["observed"].clone()
}

#[test]
fn cpu_latency_is_held_and_recorded() {
    if limit().is_none() {
        return skip("/dev/cpu_dma_latency is missing, or may not be written to");
    }
    let directory = directory();
    let (file, record) = (directory.path().join("f"), directory.path().join("run.json"));
    let line = format!("-c1M -b4K -r -o1 -W0 -d1 --cpu-latency 7 -v --out={} {{}}", record.display());
    let (ended, held) = watched(&line, &file);
    ended.report();
    // Others on this machine may hold a lower one.
    assert!(held.iter().flatten().any(|limit| (0..=7).contains(limit)), "{held:?}");
    let said = format!("{}{}", ended.stdout, ended.stderr);
    assert!(said.contains("limiting the CPUs' wake-up time to 7 us"), "{said}");
    assert_eq!(observed(&record)["cpu_latency"], 7);
}

#[test]
fn without_cpu_latency_nothing_is_held_or_reported() {
    let directory = directory();
    let (file, record) = (directory.path().join("f"), directory.path().join("run.json"));
    let line = format!("-c1M -b4K -W0 -d1 -v --out={} {{}}", record.display());
    let (ended, held) = watched(&line, &file);
    ended.report();
    assert_eq!(held, []);
    assert!(!observed(&record).as_object().unwrap().contains_key("cpu_latency"));
    assert!(!ended.stdout.contains("wake-up"), "{}", ended.stdout);
}

#[test]
fn zero_latency_limit_prevents_cpu_sleep() {
    if limit().is_none() {
        return skip("/dev/cpu_dma_latency is missing, or may not be written to");
    }
    let directory = directory();
    let (file, record) = (directory.path().join("f"), directory.path().join("run.json"));
    // A thread that has nothing to do for most of the time: its processor would sleep a hundred times.
    let line = format!("-c1M -b4K -r -o1 -g100i -W0 -d1 --cpu-latency 0 --out={} {{}}", record.display());
    diskspd(&line, &file).report();
    let observed = observed(&record);
    let Ok(shallowest) = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpuidle/state0/name") else {
        // Without idle states there is nothing to count.
        return assert!(observed["idle_entries"].is_null(), "{observed}");
    };
    let sleeps = observed["idle_entries"].as_array().unwrap();
    assert_eq!(sleeps.len(), 1, "{sleeps:?}");
    let states = sleeps[0]["states"].as_array().unwrap();
    // The shallowest state is always permitted; on some architectures it is a sleep too.
    let permitted = usize::from(shallowest.trim() != "POLL");
    let deep = states.iter().skip(permitted).filter(|state| state["latency"].as_u64().unwrap() > 0);
    assert_eq!(deep.map(|state| state["entered"].as_u64().unwrap()).sum::<u64>(), 0, "{states:?}");
}

#[test]
fn dry_run_reports_busy_device() {
    if limit().is_none() {
        return skip("/dev/cpu_dma_latency is missing, or may not be written to");
    }
    let (_directory, file) = directory_with("f");
    let ended = diskspd("--dry-run --cpu-latency 7 -c1M -d1 {}", &file).succeeds();
    assert!(ended.stdout.contains("RunOptions:\n\tcpu_latency_us: 7\n"), "{}", ended.stdout);
    assert!(!file.exists());
}

#[test]
fn missing_latency_permission_is_refused_before_creation() {
    use std::os::unix::fs::PermissionsExt;
    let directory = directory();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let (file, program) = (directory.path().join("f"), copy_of_program(directory.path()));
    let stream = directory.path().join("lines");
    let streaming = format!("--stream={}", stream.display());
    for option in [streaming.as_str(), "--dry-run"] {
        let line = [option, "--cpu-latency=0", "-c1M", "-d1", file.to_str().unwrap()];
        let output = match limit() {
            None => command_of(&line).output(),
            Some(_) => std::process::Command::new("setpriv")
                .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
                .arg(&program)
                .args(line)
                .output(),
        };
        let Ok(output) = output else { return skip("setpriv is missing") };
        let ended = crate::common::Ended::from(output);
        ended.fails(1, &["--cpu-latency", DEVICE, "leave out --cpu-latency"]);
        assert_eq!(ended.stderr.matches("ERROR").count(), 1, "{}", ended.stderr);
        assert!(!file.exists() && !stream.exists(), "{option}");
    }
}

#[test]
fn cpu_latency_is_refused_in_simulated_time() {
    for option in ["-W0", "--dry-run"] {
        let line = format!("--engine sim --cpu-latency 0 -c1M -d1 {option} x");
        diskspd(&line, Path::new("")).fails(3, &["--cpu-latency", "simulated time", "leave it out"]);
    }
}
