//! Tests of `--explain`: artificial delays are attributed to their causes, and never to the device.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::loops::Loop;
use crate::common::{
    Ended, Running, command_of, directory, directory_with, diskspd, output, read_json, skip,
};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const MIB: u64 = 1 << 20;

/// Whether the process is root, which kernel events require.
fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        skip("--explain needs root");
    }
    root
}

fn slow_of(record: &Path) -> Value {
    let record: Value = read_json(record);
    record["hosts"][0]["results"]["time_spans"][0]["observed"]["slow"].clone()
}

fn ios(slow: &Value) -> &Vec<Value> {
    slow["ios"].as_array().unwrap()
}

const STAGES: [&str; 8] = [
    "submit_ns",
    "kernel_ns",
    "queue_ns",
    "device_ns",
    "interrupt_ns",
    "wake_ns",
    "reap_ns",
    "unattributed_ns",
];

fn stage(io: &Value, name: &str) -> u64 {
    io["stages"][name].as_u64().unwrap()
}

#[test]
fn slow_io_times_are_divided_and_reprinted() {
    if !is_root() {
        return;
    }
    let Some(device) = Loop::new(64 * MIB) else { return };
    let (_folder, kept) = directory_with("run.json");
    let line = format!("-b4K -r -o2 -t2 -Su -W1 -d2 --explain=50 --out {} {{}}", kept.display());
    let ended = diskspd(&line, &device.device).succeeds();
    assert!(ended.stdout.contains("the 50 slowest"), "{}", ended.stdout);
    let slow = slow_of(&kept);
    assert_eq!(ios(&slow).len(), 50);
    let mut all = 0;
    let mut unknown = 0;
    for io in ios(&slow) {
        let sum: u64 = STAGES.iter().map(|name| stage(io, name)).sum();
        assert_eq!(Some(sum), io["latency_ns"].as_u64(), "{io}");
        // What was in flight when recording began, shortly before measuring did, is unattributed: a busy
        // machine keeps it longer.
        if io["submitted_ns"].as_i64().is_some_and(|submitted| submitted >= 0) {
            all += sum;
            unknown += stage(io, "unattributed_ns");
        }
    }
    // Lost events leave gaps, which are told.
    assert!(
        unknown * 100 <= all || slow["lost_events"].as_u64().unwrap() > 0,
        "{unknown} of {all} ns: {slow}"
    );
    let again = output(command_of(&["report"]).arg(&kept)).unwrap();
    let again: Ended = again.into();
    assert!(
        again.stdout.contains("where the 50 slowest lost their time"),
        "{}{}",
        again.stdout,
        again.stderr
    );
}

#[test]
fn stopped_program_is_the_reported_cause() {
    if !is_root() {
        return;
    }
    let Some(device) = Loop::new(64 * MIB) else { return };
    // Next to other tests the reader may come too late for events: what they would tell is unattributed, and never
    // the device's.
    let whole = (0..3).find_map(|_| {
        let (whole, slow, text) = stopped_run(&device);
        for io in long_ios(&slow) {
            assert!(stage(io, "device_ns") < 300_000_000, "the device is innocent: {io}");
        }
        whole.then_some((slow, text))
    });
    let Some((slow, text)) = whole else {
        return eprintln!("events were lost three times: the CPUs are busy");
    };
    // What was in flight on both threads, or was about to be.
    assert!(long_ios(&slow).next().is_some(), "{slow}");
    for io in long_ios(&slow) {
        assert_eq!(io["cause"]["kind"], "stopped", "{io}");
    }
    assert!(text.contains("the program was stopped"), "{text}");
}

fn stopped_run(device: &Loop) -> (bool, Value, String) {
    let (_folder, kept) = directory_with("run.json");
    let line = format!("-b4K -r -o4 -t2 -Su -W0 -d3 --explain=100 --out {} {{}}", kept.display());
    let run = Running::until("measuring for", &line, &device.device);
    std::thread::sleep(Duration::from_millis(1200));
    run.signal("STOP");
    std::thread::sleep(Duration::from_millis(600));
    run.signal("CONT");
    let ended = run.end().succeeds();
    let slow = slow_of(&kept);
    (slow["lost_events"] == 0, slow, ended.stdout)
}

fn long_ios(slow: &Value) -> impl Iterator<Item = &Value> {
    ios(slow).iter().filter(|io| io["latency_ns"].as_u64().unwrap() >= 500_000_000)
}

/// Control group that is removed on drop.
struct Group(PathBuf);

impl Group {
    /// Creates a group with a limit of 100 reads per second for a device, `major:minor`.
    fn limited(device: &str) -> Option<Group> {
        let name = format!("diskspd-explain-{}", std::process::id());
        let v1 = Path::new("/sys/fs/cgroup/blkio");
        let (root, file, limit) = match v1.exists() {
            true => (v1, "blkio.throttle.read_iops_device", format!("{device} 100")),
            false => (Path::new("/sys/fs/cgroup"), "io.max", format!("{device} riops=100")),
        };
        let group = Group(root.join(name));
        let made = fs::create_dir(&group.0).and_then(|()| fs::write(group.0.join(file), limit));
        if let Err(why) = made {
            skip(&format!("no control group that limits I/O: {why}"));
            return None;
        }
        Some(group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn throttling_by_control_group_is_not_device_time() {
    if !is_root() {
        return;
    }
    let Some(device) = Loop::new(64 * MIB) else { return };
    let name = device.device.file_name().unwrap().to_str().unwrap();
    let number = fs::read_to_string(format!("/sys/class/block/{name}/dev")).unwrap();
    let Some(group) = Group::limited(number.trim()) else { return };
    let (_folder, kept) = directory_with("run.json");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(group.0.join("cgroup.procs"));
    command.arg(env!("CARGO_BIN_EXE_diskspd"));
    command.args(["-b4K", "-r", "-o4", "-t1", "-Su", "-W1", "-d2", "--explain=40", "--out"]);
    let ended: Ended = output(command.arg(&kept).arg(&device.device)).unwrap().into();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let slow = slow_of(&kept);
    let throttled = ios(&slow).iter().filter(|io| io["cause"]["kind"] == "throttle").count();
    assert!(throttled * 100 >= ios(&slow).len() * 95, "{throttled} of {}: {slow}", ios(&slow).len());
    let group = group.0.file_name().unwrap().to_str().unwrap();
    assert!(ended.stdout.contains(group), "{}", ended.stdout);
}

#[test]
fn explain_refuses_null_engine_and_bad_counts() {
    let ended = diskspd("-c1M -d1 --engine null --explain {}", Path::new("f.dat"));
    ended.fails(3, &["--explain traces I/Os in the kernel"]);
}

#[test]
fn explain_without_permission_is_refused_before_the_run() {
    if !is_root() {
        return;
    }
    let folder = directory();
    let program = crate::common::copy_of_program(folder.path());
    let file = folder.path().join("f");
    fs::write(&file, vec![1; MIB as usize]).unwrap();
    for path in [folder.path(), &file] {
        std::os::unix::fs::chown(path, Some(65534), Some(65534)).unwrap();
    }
    let mut command = std::process::Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
    command.args(["-b4K", "-r", "-d1", "-W0", "--explain"]).arg(&file);
    let Ok(ended) = output(&mut command) else { return skip("there is no setpriv") };
    let ended: Ended = ended.into();
    assert_ne!(ended.code, 0, "{}", ended.stdout);
    assert!(ended.stderr.contains("--explain: ") && ended.stderr.contains("tracefs"), "{}", ended.stderr);
}
