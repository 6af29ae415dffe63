//! Tests of the default engine on real targets: in the plan, with `-v`, and in the record.

#![allow(clippy::unwrap_used)]

use crate::common::loops::{Loop, run, unmount};
use crate::common::{Zram, command_of, directory, directory_with, diskspd, read_json, side_by_side, skip};
use std::fs;
use std::path::{Path, PathBuf};

const MIB: u64 = 1 << 20;

/// File system in memory, unmounted on drop.
struct Tmpfs(tempfile::TempDir);

impl Tmpfs {
    fn new() -> Option<Tmpfs> {
        if !rustix::process::geteuid().is_root() {
            skip("mounting a tmpfs needs root");
            return None;
        }
        let at = directory();
        run("mount", &["-t", "tmpfs", "-o", "size=64m", "tmpfs", at.path().to_str().unwrap()])?;
        Some(Tmpfs(at))
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        unmount(self.0.path());
    }
}

const IN_CALL: &str = "completes I/O in the submitting call";
const IN_CACHE: &str = "writes to the page cache";
const QUEUED: &str = "accepts I/O without blocking";
const UNKNOWN: &str = "cannot be probed before it exists";

/// Asserts that the plan for these options names the engine, and a reason with these words.
#[track_caller]
fn plans(options: &str, path: &Path, engine: &str, reason: &str) {
    let ended = diskspd(&format!("{options} --dry-run {{}}"), path);
    ended.report();
    let told = ended.stdout.lines().find(|line| line.starts_with("engine ")).unwrap_or_default();
    assert!(
        told.starts_with(&format!("engine {engine} (thread")) || told.contains("(all threads)"),
        "{told}"
    );
    assert!(told.contains(engine) && told.contains(reason), "{options}: {told}");
    assert!(ended.stdout.contains(&format!("| {engine:<6} |")), "{options}: {}", ended.stdout);
}

/// Returns engine, reason and features in the record of a run.
fn recorded(options: &str, path: &Path) -> [String; 3] {
    let (_directory, record) = directory_with("run.json");
    let ended = diskspd(&format!("{options} -v BRIEF --out {} {{}}", record.display()), path);
    ended.report();
    let record: serde_json::Value = read_json(&record);
    let engine = &record["hosts"][0]["results"]["time_spans"][0]["threads"][0]["engine"];
    let field = |name: &str| engine[name].as_str().unwrap().to_string();
    // -v says the same.
    let told = format!("{} ({})", field("features"), field("reason"));
    assert!(ended.stderr.contains(&told) || ended.stdout.contains(&told), "{told}: {}", ended.stderr);
    ["name", "reason", "features"].map(field)
}

#[test]
fn memory_device_is_served_synchronously() {
    let Some(zram) = Zram::new(64) else { return };
    for options in ["-Su -o32", "-Su -o2 -w50", "-Sh -o32 -w100", "-Sb -o32", "-Su -o8 -t2 --engine auto"] {
        plans(&format!("{options} -b4K -r"), &zram.0, "sync", IN_CALL);
    }
    plans("-Su -o1", &zram.0, "sync", "as in DISKSPD");
    plans("-Su -o32 --engine uring", &zram.0, "uring", "requested");
    plans("-Su -o32 -x", &zram.0, "uring", "completion routines");
    let [name, reason, features] = recorded("-Su -o32 -b4K -r -L", &zram.0);
    assert_eq!((name.as_str(), features.as_str()), ("sync", "sync: pread and pwrite"));
    assert!(reason.contains(IN_CALL), "{reason}");
}

#[test]
fn files_in_memory_are_accessed_by_calls() {
    let Some(tmpfs) = Tmpfs::new() else { return };
    let file = tmpfs.0.path().join("test.dat");
    // Known before the file is there, and when it is.
    plans("-c4M -o32 -b4K -r", &file, "sync", IN_CALL);
    let [name, reason, _] = recorded("-c4M -o32 -b4K -r -w50", &file);
    assert!(name == "sync" && reason.contains(IN_CALL), "{name}: {reason}");
    plans("-o32 -b4K -r", &file, "sync", IN_CALL);
}

#[test]
fn disk_gets_a_queue_and_cached_writes_do_not() {
    let Some((device, mounted)) = Loop::with_file_system(64 * MIB, "ext4") else { return };
    let file = mounted.join("test.dat");
    plans("-c4M -o32 -b4K -r -Su", &file, "uring", UNKNOWN);
    let [name, reason, features] = recorded("-c4M -o32 -b4K -r -Su", &file);
    assert!(name == "uring" && reason.contains(QUEUED), "{name}: {reason}");
    assert!(features.starts_with("io_uring"), "{features}");
    for options in
        ["-o32 -Su", "-o32 -Su -w100", "-o32 -Sb", "-o32 -Sb -w50", "-o32 -Sbw -w100", "-o32 -Sb -w100 -b512"]
    {
        plans(options, &file, "uring", QUEUED);
    }
    plans("-o32 -Sb -w100", &file, "sync", IN_CACHE);
    plans("-o1 -Su", &file, "sync", "as in DISKSPD");
    plans("-o4 -Sm", &file, "mmap", "-Sm");
    drop(device);
    let Some(device) = Loop::new(64 * MIB) else { return };
    plans("-o32 -Su -w50", &device.device, "uring", QUEUED);
    plans("-o32 -Sb -w100", &device.device, "sync", IN_CACHE);
    // Nothing said about the cache: a device has none.
    plans("-o32 -w100", &device.device, "uring", QUEUED);
}

/// ext4 on a device in memory completes the I/Os of a batch during submission, in the submitting thread.
#[test]
fn nonblocking_file_system_gets_a_queue_on_memory() {
    let Some(zram) = Zram::new(64) else { return };
    let device = zram.0.to_str().unwrap();
    if run("mkfs.ext4", &["-q", "-F", device]).is_none() {
        return;
    }
    let at = directory();
    if run("mount", &[device, at.path().to_str().unwrap()]).is_none() {
        return;
    }
    let file: PathBuf = at.path().join("test.dat");
    diskspd("-c4M BRIEF {}", &file).report();
    plans("-o32 -Su -b4K -r", &file, "uring", QUEUED);
    unmount(at.path());
}

#[test]
fn blocking_file_system_gets_kernel_workers() {
    let Some((_device, mounted)) = Loop::with_file_system(64 * MIB, "ext4") else { return };
    let [lower, upper, work, merged] = ["lower", "upper", "work", "merged"].map(|name| {
        let path = mounted.join(name);
        fs::create_dir(&path).unwrap();
        path
    });
    let options =
        format!("lowerdir={},upperdir={},workdir={}", lower.display(), upper.display(), work.display());
    if run("mount", &["-t", "overlay", "-o", &options, "overlay", merged.to_str().unwrap()]).is_none() {
        return;
    }
    let file = merged.join("test.dat");
    diskspd("-c4M BRIEF {}", &file).report();
    for options in ["-Su", "-Sb"] {
        plans(&format!("{options} -o32 -b4K -r"), &file, "uring", "kernel workers");
    }
    unmount(&merged);
}

struct Fuse(tempfile::TempDir);

impl Fuse {
    fn new(source: &Path, options: &[&str]) -> Option<Fuse> {
        if !rustix::process::geteuid().is_root() {
            skip("mounting with FUSE needs root");
            return None;
        }
        let at = directory();
        let places = [source.to_str().unwrap(), at.path().to_str().unwrap()];
        run("bindfs", &[options, &places].concat())?;
        Some(Fuse(at))
    }
}

impl Drop for Fuse {
    fn drop(&mut self) {
        unmount(self.0.path());
    }
}

/// Returns the figures of a run: I/Os per second, and mean latency in s.
fn measured(options: &str, path: &Path) -> (f64, f64, serde_json::Value, String) {
    let (_directory, record) = directory_with("run.json");
    let ended = diskspd(&format!("{options} -L -W0 -d1 --out {} {{}}", record.display()), path);
    ended.report();
    let record: serde_json::Value = read_json(&record);
    let total = &record["figures"]["time_spans"][0]["total"]["total"];
    let iops = total["throughput"]["iops"].as_f64().unwrap();
    let mean = total["latency"]["mean"].as_f64().unwrap() / 1000.0;
    (iops, mean, record, ended.stderr)
}

/// FUSE claims that its files do not block, but performs each I/O during submission.
#[test]
fn blocking_submission_is_charged_to_each_io() {
    let source = directory();
    fs::write(source.path().join("test.dat"), vec![1; 4 << 20]).unwrap();
    let ways = [&[][..], &["-o", "direct_io"], &["--multithreaded", "-o", "direct_io"]];
    side_by_side(ways, |mounted| {
        let Some(fuse) = Fuse::new(source.path(), mounted) else { return };
        let file = fuse.0.path().join("test.dat");
        for options in ["-b4K -r -o8 -Su", "-b4K -r -o8 -Sh", "-b4K -r -w100 -o8 -Sh", "-b4K -r -o8 -Su -t2"]
        {
            let (iops, mean, record, told) = measured(options, &file);
            let threads = if options.contains("-t2") { 2.0 } else { 1.0 };
            let engine = record["hosts"][0]["results"]["time_spans"][0]["threads"][0]["engine"]["name"]
                .as_str()
                .unwrap();
            // So many are in flight by Little's law as the engine says that there are.
            let in_flight = iops * mean / threads;
            match engine {
                "sync" => {
                    assert!(in_flight < 1.1, "{mounted:?} {options}: {in_flight} {told}");
                    let warning = "WARNING: each thread should have kept 8 I/Os outstanding, but the \
                                   target completes one at a time";
                    assert!(told.contains(warning), "{mounted:?} {options}: {told}");
                }
                _ => assert!((4.0..8.8).contains(&in_flight), "{mounted:?} {options}: {in_flight} {told}"),
            }
        }
        // An engine that was asked for has workers do it, or can't and says so.
        let (iops, mean, _, told) = measured("-b4K -r -o8 -Su --engine uring", &file);
        assert!((4.0..8.8).contains(&(iops * mean)), "{mounted:?}: {} {told}", iops * mean);
    });
}

#[test]
fn thread_engine_suits_all_its_targets() {
    let Some(tmpfs) = Tmpfs::new() else { return };
    let directory = directory();
    let [memory, disk] = [tmpfs.0.path(), directory.path()].map(|at| {
        let file = at.join("test.dat");
        fs::write(&file, vec![1; MIB as usize]).unwrap();
        file.to_str().unwrap().to_string()
    });
    for (targets, engine) in
        [([&memory, &memory], "sync"), ([&memory, &disk], "uring"), ([&disk, &disk], "uring")]
    {
        let ended = command_of(&["-F1", "-o8", "-r", "-W0", "-d1", "--dry-run", targets[0], targets[1]])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(text.contains(&format!("engine {engine} (thread 0): ")), "{targets:?}: {text}");
    }
    // With -t every thread has a target of its own, and the engine for it.
    let ended =
        command_of(&["-t1", "-o8", "-r", "-W0", "-d1", "--dry-run", &memory, &disk]).output().unwrap();
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(
        text.contains("engine sync (thread 0): ") && text.contains("engine uring (thread 1): "),
        "{text}"
    );
}

#[test]
fn polling_is_refused_before_anything_is_created() {
    let (_directory, file) = directory_with("new.dat");
    diskspd("--poll -c1M -W0 -d1 {}", &file).fails(3, &["--poll", "add -Su"]);
    diskspd("--poll -Su -c1M --engine sync -W0 -d1 {}", &file)
        .fails(3, &["--poll", "leave out --engine sync"]);
    diskspd("--poll -Su -c1M --engine aio -o4 -W0 -d1 {}", &file).fails(3, &["engine aio", "--engine uring"]);
    diskspd("--poll -Sm -c1M -W0 -d1 {}", &file).fails(3, &["-Sm", "leave out one"]);
    if let Some(tmpfs) = Tmpfs::new() {
        let file = tmpfs.0.path().join("new.dat");
        diskspd("--poll -Su -c1M -W0 -d1 {}", &file).fails(1, &["not on a single block device"]);
        assert!(!file.exists());
    }
    // A loop device never has poll queues.
    if let Some((device, mounted)) = Loop::with_file_system(64 * MIB, "ext4") {
        let file = mounted.join("new.dat");
        let name = device.device.file_name().unwrap().to_str().unwrap().to_string();
        let words = ["no poll queues", &format!("/sys/block/{name}/queue/io_poll"), "nvme.poll_queues"];
        diskspd("--poll -Su -c1M -W0 -d1 {}", &file).fails(1, &words);
        assert!(!file.exists());
        diskspd("--poll -Su --dry-run {}", &device.device).fails(1, &words);
    }
    assert!(!file.exists());
}
