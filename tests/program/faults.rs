//! Tests of killed runs, and of exhausted resources: one message, the right exit code, and no misleading
//! leftovers.

#![allow(clippy::unwrap_used)]

use crate::common::loops::Loop;
use crate::common::{Ended, Report, Running, directory, directory_with, diskspd, wait_until};
use diskspd::sys::extents;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const MIB: u64 = 1 << 20;

fn is_prepared(path: &Path, size: u64) -> bool {
    let expected: Vec<u8> = (0..MIB).map(|offset| offset as u8).collect();
    let mut file = File::open(path).unwrap();
    let mut block = vec![0; MIB as usize];
    (0..size / MIB).all(|_| file.read_exact(&mut block).is_ok() && block == expected)
        && file.read(&mut block).unwrap() == 0
}

#[test]
fn killed_preparation_leaves_an_unprepared_file() {
    let (_directory, file) = directory_with("test.dat");
    let size = 512 * MIB;
    for attempt in 0..10 {
        // An older file of the same size, prepared in full, is no help either when it is written anew.
        let again = if attempt == 0 || !file.exists() { "" } else { "--recreate" };
        let mut run = crate::common::start(&format!("-c512M {again} -b4K -W0 -d1 {{}}"), &file);
        while fs::metadata(&file).map_or(0, |found| found.len()) < size && run.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        run.kill().unwrap(); // SIGKILL
        run.wait().unwrap();
        match extents::all_written(File::open(&file).unwrap().as_fd(), size) {
            // Too late: everything was written already.
            Ok(true) => {
                fs::remove_file(&file).unwrap();
                continue;
            }
            Ok(false) => {}
            Err(error) => {
                return crate::common::skip(&format!("/var/tmp cannot tell what was written: {error}"));
            }
        }
        let next = diskspd("-c512M -v -b4K -W0 -d1 {}", &file);
        next.report();
        let said = format!("{}{}", next.stdout, next.stderr);
        assert!(said.contains("rewritten") && !said.contains("kept"), "{said}");
        assert!(is_prepared(&file, size));
        return;
    }
    crate::common::skip("the file was always complete before the run could be killed");
}

#[test]
fn interrupted_file_creation_states_the_result() {
    let (_directory, file) = directory_with("test.dat");
    let size = 1024 * MIB;
    for existing in [true, false] {
        let interrupted = (0..10).find_map(|_| {
            let _ = fs::remove_file(&file);
            if existing {
                fs::write(&file, vec![7; MIB as usize]).unwrap();
            }
            let mut run = crate::common::start("-c1G -b4K -W0 -d1 {}", &file);
            while fs::metadata(&file).map_or(0, |found| found.len()) < size
                && run.try_wait().unwrap().is_none()
            {
                std::thread::yield_now();
            }
            crate::common::tool(&format!("kill -INT {}", run.id()));
            let ended: Ended = run.wait_with_output().unwrap().into();
            // Otherwise it came too late: everything was written already.
            ended.stderr.contains("was not prepared").then_some(ended)
        });
        let Some(ended) = interrupted else {
            return crate::common::skip("the file was always complete before the run could be interrupted");
        };
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(ended.stdout.contains("The test was interrupted"), "{}", ended.stdout);
        let told =
            ended.stderr.lines().find(|line| line.contains("test.dat: the file was not prepared")).unwrap();
        if !existing {
            assert!(told.ends_with("the incomplete file was removed"), "{told}");
            assert!(!file.exists());
            continue;
        }
        let left = fs::metadata(&file).unwrap().len();
        assert!(
            told.starts_with("WARNING: ") && told.contains("the existing file was overwritten"),
            "{told}"
        );
        assert!(told.ends_with(&format!("is incomplete: it has {left} bytes now")), "{told}");
        assert!(left < size && is_prepared(&file, left), "{left} bytes");
        match extents::all_written(File::open(&file).unwrap().as_fd(), left) {
            Ok(written) => assert!(written, "nothing is left that is only allocated"),
            Err(error) => crate::common::skip(&format!("/var/tmp cannot tell what was written: {error}")),
        }
    }
}

fn limited(limits: &[&str], nobody: bool, line: &str, target: &Path) -> Option<Ended> {
    if ["prlimit", "setpriv"].iter().any(|tool| crate::common::tool(&format!("{tool} --version")).is_none()) {
        crate::common::skip("prlimit or setpriv (util-linux) is missing");
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let program = crate::common::copy_of_program(directory.path());
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new("prlimit");
    command.args(limits);
    if nobody && rustix::process::geteuid().is_root() {
        command.args(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]);
    }
    let line = crate::common::expanded(line);
    Some(command.arg(&program).args(line.split_whitespace()).arg(target).output().unwrap().into())
}

fn open_to_all(directory: &Path) -> std::path::PathBuf {
    let file = directory.join("test.dat");
    fs::write(&file, vec![1; MIB as usize]).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(directory, fs::Permissions::from_mode(0o755)).unwrap();
    file
}

#[test]
fn too_few_file_descriptors_are_named() {
    let directory = directory();
    let file = open_to_all(directory.path());
    for line in ["-t64 -o4", "-t64 -o1", "-t64 -o4 --engine aio"] {
        let line = format!("{line} -si -b4K BRIEF");
        let Some(ended) = limited(&["--nofile=40"], false, &line, &file) else { return };
        ended.fails(1, &["too many open files", "ulimit -n", "(-t)", "the run failed"]);
        assert!(!ended.stderr.contains("os error"), "what is explained is not said again: {}", ended.stderr);
        assert_reported_by_cause(&ended);
        let Some(enough) = limited(&["--nofile=400"], false, &line, &file) else { return };
        enough.report();
    }
}

fn assert_reported_by_cause(ended: &Ended) {
    let errors: Vec<&str> = ended.stderr.lines().filter(|line| line.starts_with("ERROR: ")).collect();
    assert!((2..=4).contains(&errors.len()), "{}", ended.stderr);
}

#[test]
fn threads_with_the_same_shortage_are_reported_once() {
    let directory = directory();
    let file = open_to_all(directory.path());
    for (limit, line, words) in [
        // How many get to lack it before the first one has ended the run is a matter of time.
        ("--nofile=12", "-t16 -o2 -b4K", ["too many open files", "raise the limit (ulimit -n)"]),
        // Buffers of 128 MiB: what lacks is one of them, and what is left is enough for the threads themselves.
        ("--as=250000000", "-t6 -o64 -b1M -w50", ["ERROR: thread ", "; lower -"]),
    ] {
        let Some(ended) = limited(&[limit], false, &format!("{line} BRIEF"), &file) else { return };
        ended.fails(1, &words);
        assert_reported_by_cause(&ended);
    }
}

#[test]
fn locked_memory_limit_suffices_or_is_named() {
    let directory = directory();
    let file = open_to_all(directory.path());
    for (limit, line) in [
        // Without queues of the kernel nothing is locked.
        ("--memlock=0", "-o1"),
        ("--memlock=0", "-o8 --engine aio"),
        ("--memlock=8388608", "-o32"),
        ("--memlock=8388608", "-o8 -Su -w50"),
    ] {
        let Some(ended) = limited(&[limit], true, &format!("{line} -b4K BRIEF"), &file) else { return };
        assert!(ended.report().total("Total IO").ios > 0, "{limit} {line}");
    }
    // What is slower for it is said, once, with a limit that is enough.
    let line = "-t2 -si -o16 -b64K BRIEF --engine uring";
    let Some(slow) = limited(&["--memlock=1048576"], true, line, &file) else { return };
    slow.report();
    let told: Vec<&str> = slow.stderr.lines().filter(|line| line.contains("not registered")).collect();
    assert!(matches!(told[..], [line] if line.ends_with("; ulimit -l 4096 is enough")), "{}", slow.stderr);
    let Some(fast) = limited(&["--memlock=4194304"], true, line, &file) else { return };
    fast.report();
    assert!(!fast.stderr.contains("not registered"), "{}", fast.stderr);
    // Whether the queues of io_uring count as locked memory depends on the kernel.
    let Some(ended) = limited(&["--memlock=0"], true, "-t2 -o32 -b64K -r BRIEF", &file) else { return };
    match ended.code {
        0 => assert!(ended.report().total("Total IO").ios > 0),
        // Not even the smallest ring can be had: that is known before anything is touched, and is told alone.
        _ => {
            ended.fails(1, &["engine uring is not available", "ulimit -l", "(-o)"]);
            assert_eq!(ended.stdout, "");
        }
    }
}

#[test]
fn partial_device_failure_keeps_other_work_with_x() {
    let Some(broken) = Loop::new(8 * MIB) else { return };
    let Some(sound) = Loop::new(8 * MIB) else { return };
    // Half of the medium is gone: a read of it ends with EIO.
    File::options().write(true).open(broken.backing()).unwrap().set_len(4 * MIB).unwrap();
    let name = broken.device.to_str().unwrap();
    for engine in ["-o1", "-o4 --engine uring", "-o4 --engine aio"] {
        let line = format!("{engine} -b64K -si -Su -W0 -d60 {name} {{}}");
        let ended = diskspd(&line, &sound.device);
        ended.fails(1, &[name, "Input/output error", "the run failed"]);
        assert_eq!(ended.stderr.matches(", request ").count(), 1, "{line}: {}", ended.stderr);
    }
    // Thread 0 loses its requests one after the other, at the first block that is gone; thread 1 goes on.
    let ended = diskspd(&format!("-x -o4 -b64K -si -Su -W0 -d2 {name} {{}}"), &sound.device);
    let report = ended.report();
    assert_eq!(ended.stderr.matches(", request ").count(), 4, "{}", ended.stderr);
    assert!(ended.stderr.contains("WRONG: 4 I/Os failed ("), "{}", ended.stderr);
    assert!(
        ended.stderr.contains(
            "4 of 8 requests stopped, so the queue depth fell by as \
                                   many"
        ),
        "{}",
        ended.stderr
    );
    let ios: Vec<u64> = report.rows("Total IO").iter().map(|row| row[2].parse().unwrap()).collect();
    // On a busy machine the first I/Os come before measuring begins.
    assert!(ios[0] <= 64 && ios[1] > 128, "{ios:?}");
}

#[test]
fn failed_ios_with_x_are_in_every_report() {
    let Some(broken) = Loop::new(8 * MIB) else { return };
    File::options().write(true).open(broken.backing()).unwrap().set_len(4 * MIB).unwrap();
    let directory = directory();
    let out = |form: &str| directory.path().join(format!("run.{form}"));
    let outs = ["csv", "json", "xml"].map(|form| format!("--out {}", out(form).display()));
    let line = format!("-x -o4 -b64K -si -Su -D100 -W0 -d1 --strict --xml-verdict {} {{}}", outs.join(" "));
    let ended = diskspd(&line, &broken.device);
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    let verdict = ended.stderr.lines().find(|line| line.ends_with("; 4 more I/Os failed"));
    assert!(verdict.is_some_and(|line| line.contains(": ")), "{}", ended.stderr);
    // On a busy machine the first I/Os fail before measuring begins.
    for told in ["WRONG: 4 I/Os failed (", " were counted), and all I/O stopped"] {
        assert!(ended.stderr.contains(told), "{told}: {}", ended.stderr);
    }
    let csv = fs::read_to_string(out("csv")).unwrap();
    let failed: Vec<u64> =
        csv.lines().skip(1).map(|line| line.split(',').nth(17).unwrap().parse().unwrap()).collect();
    let record = crate::common::schema::record(&fs::read(out("json")).unwrap());
    let times = record["hosts"][0]["results"]["time_spans"][0]["errors"][0]["at_us"].as_array().unwrap();
    let within = times.iter().filter(|at| (0..1_000_000).contains(&at.as_i64().unwrap())).count() as u64;
    assert_eq!((times.len(), failed.len(), failed.iter().sum::<u64>()), (4, 10, within), "{csv}");
    assert_eq!(record["figures"]["time_spans"][0]["failed"], 4);
    let names: Vec<_> =
        record["judgement"]["findings"].as_array().unwrap().iter().map(|finding| &finding["name"]).collect();
    assert_eq!(names[0], "failed-ios", "the worst comes first: {names:?}");
    assert!(fs::read_to_string(out("xml")).unwrap().contains("<Name>failed-ios</Name>"));
}

#[test]
fn stalled_ios_at_the_end_are_named_with_age() {
    let Some((_disk, directory)) = Loop::with_file_system(64 * MIB, "ext4") else { return };
    let file = directory.join("test.dat");
    fs::write(&file, vec![1; 16 * MIB as usize]).unwrap();
    File::open(&file).unwrap().sync_all().unwrap();
    let json = crate::common::directory();
    let json = json.path().join("run.json");
    let out = json.display();
    let line = format!("-w100 -b4K -o4 -Su -L -D100 -W0 -d2 --strict --stream - --out {out} {{}}");
    let mut run = crate::common::start(&line, &file);
    // The first lines have come: it is measuring.
    let mut lines = BufReader::new(run.stdout.take().unwrap());
    for _ in 0..3 {
        lines.read_line(&mut String::new()).unwrap();
    }
    let at = directory.to_str().unwrap();
    let frozen = crate::common::loops::run("fsfreeze", &["-f", at]).is_some();
    std::thread::sleep(Duration::from_millis(2200));
    crate::common::loops::run("fsfreeze", &["-u", at]);
    let (mut rest, mut said) = (String::new(), String::new());
    lines.read_to_string(&mut rest).unwrap();
    run.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    let code = run.wait().unwrap().code();
    if !frozen {
        return;
    }
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("4 I/Os on '") && said.contains("were still in flight when measuring ended"),
        "{said}"
    );
    let record = crate::common::schema::record(&fs::read(&json).unwrap());
    let span = &record["hosts"][0]["results"]["time_spans"][0];
    let ages = span["threads"][0]["targets"][0]["unfinished"].as_array().unwrap();
    assert!(ages.len() == 4 && ages.iter().all(|age| age.as_u64().unwrap() > 500_000_000), "{ages:?}");
    // The intervals without I/O are there, to the end.
    let intervals = record["figures"]["time_spans"][0]["iops"]["intervals"].as_array().unwrap();
    let last = intervals.last().unwrap();
    assert_eq!((intervals.len(), last["total"]["ios"].as_u64()), (20, Some(0)), "{last}");
}

#[test]
fn file_truncated_during_the_run_is_named() {
    let (_directory, file) = directory_with("test.dat");
    fs::write(&file, vec![1; 16 * MIB as usize]).unwrap();
    let mut run = crate::common::start("-b4K -r -o4 -D100 -W0 -d1 --strict --stream - {}", &file);
    let mut lines = BufReader::new(run.stdout.take().unwrap());
    lines.read_line(&mut String::new()).unwrap();
    File::options().write(true).open(&file).unwrap().set_len(4096).unwrap();
    let (mut rest, mut said) = (String::new(), String::new());
    lines.read_to_string(&mut rest).unwrap();
    run.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(2), "{said}");
    assert!(said.contains("transferred less than a block (") && said.contains("WRONG: "), "{said}");
}

#[test]
fn full_file_system_ends_the_run() {
    let Some((_disk, directory)) = Loop::with_file_system(32 * MIB, "ext4") else { return };
    let file = directory.join("sparse.dat");
    for line in ["-o1 -Su", "-o4 -Su", "-o4 -Sb", "-o4 -Su --engine aio"] {
        // Larger than the file system, and empty.
        let _ = fs::remove_file(&file);
        File::create(&file).unwrap().set_len(64 * MIB).unwrap();
        let ended = diskspd(&format!("{line} -w100 -b64K -W0 -d60 {{}}"), &file);
        ended.fails(
            1,
            &["sparse.dat", "No space left on device", "the file system is full", "the run failed"],
        );
        // The first I/O that failed is told with its place, the others are counted.
        assert_eq!(ended.stderr.matches("thread 0, request").count(), 1, "{}", ended.stderr);
        assert_eq!(fs::metadata(&file).unwrap().len(), 64 * MIB);
    }
    // One cause, one line, however many threads meet it.
    let _ = fs::remove_file(&file);
    File::create(&file).unwrap().set_len(64 * MIB).unwrap();
    let ended = diskspd("-t8 -T8M -o1 -Su -w100 -b64K -W0 -d60 {}", &file);
    ended.fails(1, &["No space left on device", "sparse.dat", "the run failed"]);
    assert_eq!(ended.stderr.matches(", request ").count(), 1, "{}", ended.stderr);
}

struct Frozen<'a>(&'a Path);

impl Frozen<'_> {
    fn freeze(at: &Path) -> Option<Frozen<'_>> {
        if crate::common::tool(&format!("fsfreeze -f {}", at.display())).is_none() {
            crate::common::skip("the file system cannot be frozen (needs root and fsfreeze)");
            return None;
        }
        Some(Frozen(at))
    }
}

impl Drop for Frozen<'_> {
    fn drop(&mut self) {
        crate::common::tool(&format!("fsfreeze -u {}", self.0.display()));
    }
}

fn ended_after(mut run: std::process::Child, released: impl FnOnce()) -> Ended {
    let read = |pipe: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut text = String::new();
            pipe.unwrap().read_to_string(&mut text).map(|_| text).unwrap_or_default()
        })
    };
    let stdout = read(run.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    let stderr = read(run.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
    // The report is there; a thread that the kernel keeps may still keep the process.
    released();
    Ended { code: run.wait().unwrap().code().unwrap_or(-1), stdout, stderr }
}

#[test]
fn hanging_storage_keeps_report_and_outputs() {
    let Some((_disk, mounted)) = Loop::with_file_system(32 * MIB, "ext4") else { return };
    let file = mounted.join("test.dat");
    fs::write(&file, vec![1; 4 * MIB as usize]).unwrap();
    File::open(&file).unwrap().sync_all().unwrap();
    // The outputs don't wait for the disk that others keep busy.
    let directory = tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| directory());
    let at = |name: &str| directory.path().join(name);
    for (engine, signals) in [("-o4 --engine uring", 2), ("-o4 --engine aio", 2), ("-o1 --engine sync", 2)] {
        ["run.json", "log.csv"].iter().for_each(|name| drop(fs::remove_file(at(name))));
        let outputs = format!(
            "--out {} --stream {} --io-log {}",
            at("run.json").display(),
            at("stream.jsonl").display(),
            at("log.csv").display()
        );
        let line = format!("{engine} -t2 -b4K -r -w100 -Su -L -W0 -d600 {outputs} {{}}");
        let mut run = crate::common::start(&line, &file);
        let pid = run.id();
        // It has measured for a while.
        let log = at("log.csv");
        let logged = || fs::metadata(&log).map_or(0, |log| log.len());
        wait_until("50,000 bytes are logged", || logged() >= 50_000);
        let Some(frozen) = Frozen::freeze(&mounted) else {
            run.kill().unwrap();
            return drop(run.wait());
        };
        std::thread::sleep(std::time::Duration::from_millis(300));
        for _ in 0..signals {
            crate::common::tool(&format!("kill -INT {pid}"));
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        let ended = ended_after(run, || drop(frozen));
        ended.fails(
            1,
            &[
                "have not completed",
                "thread 0: write of 4096 bytes at offset ",
                "thread 1: write of",
                " s old",
            ],
        );
        assert!(Report(&ended.stdout).total("Total IO").ios > 100, "{line}: {}", ended.stdout);
        let record = crate::common::schema::record(&fs::read(at("run.json")).unwrap());
        drop(record);
        crate::common::schema::stream(&fs::read_to_string(at("stream.jsonl")).unwrap());
        let names: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names.len(), 3, "nothing but the outputs is left: {names:?}");
        assert!(!ended.stderr.contains("--io-log"), "the log is complete: {}", ended.stderr);
    }
}

/// Folder served by a process that can be stopped.
pub struct Served {
    server: std::process::Child,
    _folder: tempfile::TempDir,
    pub mounted: std::path::PathBuf,
}

impl Served {
    pub fn new() -> Option<Served> {
        let folder = directory();
        let (behind, mounted) = (folder.path().join("behind"), folder.path().join("mounted"));
        fs::create_dir(&behind).unwrap();
        fs::create_dir(&mounted).unwrap();
        let mut command = std::process::Command::new("bindfs");
        command.arg("-f").args([&behind, &mounted]).stderr(std::process::Stdio::null());
        let Ok(mut server) = crate::common::while_nothing_starts(|| command.spawn()) else {
            crate::common::skip("no bindfs");
            return None;
        };
        let is_there = || fs::read_to_string("/proc/mounts").unwrap().contains(mounted.to_str().unwrap());
        let mut ended = false;
        wait_until("the folder is served", || {
            ended = server.try_wait().unwrap().is_some();
            ended || is_there()
        });
        if ended {
            crate::common::skip("bindfs cannot serve here (/dev/fuse)");
            return None;
        }
        Some(Served { server, _folder: folder, mounted })
    }

    pub fn signal(&self, name: &str) {
        crate::common::tool(&format!("kill -{name} {}", self.server.id()));
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.signal("CONT");
        crate::common::tool(&format!("umount -l {}", self.mounted.display()));
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn hanging_output_server_loses_that_output_only() {
    let outputs = [
        ("--out {}/run.json", "--out", "is kept as"),
        ("--stream {}/run.jsonl", "--stream", "does not take the last lines"),
        ("--save --store {}/store", "--save", "the run is not kept"),
        ("--io-log {}/log.csv", "--io-log", "is abandoned"),
        ("-w100 -Sw --verify --journal {}/journal", "--journal", "abandoned"),
    ];
    crate::common::side_by_side(outputs, |(options, option, words)| {
        let Some(served) = Served::new() else { return };
        let folder = directory();
        let file = open_to_all(folder.path());
        let options = options.replace("{}", served.mounted.to_str().unwrap());
        // The first half of the time is measured with the server, the other without.
        let run = crate::common::start(&format!("-b4K -r -o4 -W0 -d600 {options} {{}}"), &file);
        let pid = run.id();
        std::thread::sleep(std::time::Duration::from_millis(1500));
        served.signal("STOP");
        std::thread::sleep(std::time::Duration::from_millis(500));
        for _ in 0..2 {
            crate::common::tool(&format!("kill -INT {pid}"));
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        let ended = ended_after(run, || served.signal("CONT"));
        assert!(ended.stderr.contains(option) && ended.stderr.contains(words), "{options}: {}", ended.stderr);
        assert!(Report(&ended.stdout).total("Total IO").ios > 0, "{options}: {}", ended.stdout);
        let code = i32::from(option != "--stream");
        assert_eq!(ended.code, code, "{options}: {}", ended.stderr);
        if let Some((_, kept)) = ended.stderr.split_once("it is kept as ") {
            let kept = kept.lines().next().unwrap();
            crate::common::schema::record(&fs::read(kept).unwrap());
            fs::remove_file(kept).unwrap();
        }
    });
}

#[test]
fn interruption_ends_a_run_on_hanging_server() {
    let lines = [
        ("-b4K -o4 -W0 -d600 {}/test.dat", "the targets: its storage is not responding"),
        ("--replay {}/log.csv --engine sim {}/test.dat", "--replay: its storage is not responding"),
    ];
    crate::common::side_by_side(lines, |(line, words)| {
        let Some(served) = Served::new() else { return };
        fs::write(served.mounted.join("test.dat"), [1; 4096]).unwrap();
        served.signal("STOP");
        let run = crate::common::start(line, &served.mounted);
        let pid = run.id();
        wait_until("it heeds signals", || {
            let worker = crate::common::worker_process(pid);
            let status = fs::read_to_string(format!("/proc/{worker}/status")).unwrap_or_default();
            signals_of(&status, "SigCgt:") & 1 << 1 != 0
        });
        for _ in 0..2 {
            std::thread::sleep(std::time::Duration::from_millis(300));
            crate::common::tool(&format!("kill -INT {pid}"));
        }
        let ended = ended_after(run, || served.signal("CONT"));
        assert!(ended.code != 0 && ended.stderr.contains(words), "{line}: {}", ended.stderr);
    });
}

#[test]
fn interruption_ends_the_wait_for_a_pipe() {
    let directory = directory();
    let file = open_to_all(directory.path());
    let pipe = directory.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    for option in ["-w100 -Z1M,", "--io-log "] {
        let run = crate::common::start(&format!("-b4K -W0 -d1 {option}{} {{}}", pipe.display()), &file);
        let pid = run.id();
        let signals = || format!("/proc/{}/status", crate::common::worker_process(pid));
        // Its handlers are there.
        while !fs::read_to_string(signals())
            .is_ok_and(|text| signals_of(&text, "SigCgt:") & 1 << (2 - 1) != 0)
        {
            std::thread::yield_now();
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
        crate::common::tool(&format!("kill -INT {pid}"));
        let ended: Ended = run.wait_with_output().unwrap().into();
        assert_eq!(ended.code, 0, "{option}: {}", ended.stderr);
        assert!(ended.stdout.contains("The test was interrupted"), "{option}: {}", ended.stdout);
    }
}

fn signals_of(status: &str, kind: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(kind));
    line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0)
}

#[test]
fn signals_end_real_and_simulated_runs_with_report() {
    let directory = directory();
    let file = open_to_all(directory.path());
    for (line, signal, words) in [
        ("-b4K -W0 -d600", "TERM", "Total IO"),
        ("-b4K -W0 -d600", "HUP", "Total IO"),
        ("-c1G -b4K -o32 -t8 -W0 -d2000 --engine sim", "INT", "The test was interrupted"),
    ] {
        // Who starts the tests with nohup means that they go on, and the program does as it is told.
        if signal == "HUP"
            && signals_of(&fs::read_to_string("/proc/self/status").unwrap(), "SigIgn:") & 1 != 0
        {
            continue;
        }
        // In simulated time the phases are not told.
        let phase = if line.contains("sim") { "" } else { ": measuring" };
        let run = Running::until(phase, &format!("{line} {{}}"), &file);
        wait_until("it catches signals", || {
            let status = format!("/proc/{}/status", crate::common::worker_process(run.child.id()));
            fs::read_to_string(status).is_ok_and(|text| signals_of(&text, "SigCgt:") & 1 << (15 - 1) != 0)
        });
        std::thread::sleep(Duration::from_millis(300));
        run.signal(signal);
        let ended = run.end().succeeds();
        assert!(ended.stdout.contains(words), "{line} {signal}: {}", ended.stdout);
        let by = match signal {
            "TERM" => "SIGTERM ended the run after ",
            "HUP" => "SIGHUP (a lost connection) ended the run after ",
            _ => "Ctrl-C ended the run before measuring began",
        };
        assert!(ended.stderr.contains(by), "{line} {signal}: {}", ended.stderr);
    }
}

#[test]
fn file_size_limit_is_an_error_not_a_crash() {
    let directory = directory();
    let file = open_to_all(directory.path());
    let log = directory.path().join("log.csv");
    let line = format!("-b4K -W0 -d1 --io-log {}", log.display());
    let Some(ended) = limited(&["--fsize=20000"], false, &line, &file) else { return };
    ended.fails(1, &["ERROR: --io-log ", "is incomplete, because writing failed: File too large"]);
    assert!(ended.stdout.contains("Total IO"), "the figures are there: {}", ended.stdout);
}

#[test]
fn failed_flush_fails_the_run() {
    let place = tempfile::tempdir().unwrap();
    let at = place.path().display();
    if crate::common::tool(&format!("mount -t tmpfs -o size=4M none {at}")).is_none() {
        return crate::common::skip("nothing can be mounted (needs root)");
    }
    let image = place.path().join("image");
    File::create(&image).unwrap().set_len(64 * MIB).unwrap();
    if let Some(disk) = Loop::on(&image) {
        let ended = diskspd("-b64K -w100 -Sb -W0 -d1 --flush-after {}", &disk.device);
        ended.fails(
            1,
            &["ERROR: --flush-after: cannot flush '", "Input/output error", "never reached the device"],
        );
        assert!(ended.stdout.contains("Total IO"), "{}", ended.stdout);
        assert!(!ended.stderr.contains("time the flush of the rest"), "{}", ended.stderr);
    }
    crate::common::tool(&format!("umount -l {at}"));
}

/// Whether the program itself can start under a limit.
fn starts(limit: &str) -> bool {
    let mut command = Command::new("prlimit");
    command.args([limit, env!("CARGO_BIN_EXE_diskspd"), "--version"]);
    command.output().is_ok_and(|output| output.status.success())
}

#[test]
fn thread_or_memory_shortage_is_an_error() {
    let directory = directory();
    let file = open_to_all(directory.path());
    let short = |limit: String, nobody: bool| {
        let line = "-b4K -t2 -o2 BRIEF -D --io-log /dev/null";
        let Some(ended) = limited(&[&limit], nobody, line, &file) else { return };
        match ended.code {
            0 => drop(ended.report()),
            // Not even the program could be started.
            126 | 127 => return,
            -1 if !starts(&limit) => return,
            _ => ended.fails(1, &["ERROR: "]),
        }
        assert!(
            !ended.stderr.contains("panicked") && !ended.stderr.contains("defect"),
            "{limit}: {}",
            ended.stderr
        );
    };
    (1..=8).for_each(|threads| short(format!("--nproc={threads}"), true));
    (20..=140).step_by(20).for_each(|mib| short(format!("--as={}", mib << 20), false));
}

#[test]
fn compressed_zeros_are_refused_by_size() {
    let (_directory, file) = directory_with("bomb.json.gz");
    let gzip = |part: Vec<u8>| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&part).unwrap();
        encoder.finish().unwrap()
    };
    let report = |command: &str| -> Ended {
        let words = [command, file.to_str().unwrap()];
        crate::common::output(&mut crate::common::command_of(&words)).unwrap().into()
    };
    for (fill, empty) in [(0, "only zero bytes"), (b' ', "the file is empty")] {
        let part = gzip(vec![fill; 1 << 24]);
        fs::write(&file, part.repeat(17)).unwrap();
        for command in ["report", "merge"] {
            report(command).fails(1, &["decompressed, it is larger than 256 MiB"]);
        }
        fs::write(&file, &part).unwrap();
        report("report").fails(1, &[empty]);
    }
}

#[test]
fn endless_input_is_truncated_and_folders_removed() {
    let ended: Ended =
        crate::common::output(&mut crate::common::command_of(&["report", "/dev/zero"])).unwrap().into();
    ended.fails(1, &["/dev/zero: cannot be read: it is larger than 256 MiB"]);
    let (directory, path) = directory_with("new/folder/test.dat");
    let order = diskspd::run::prepare::FileOrder { path: &path, size: MIB, zero: false, recreate: false };
    let stop = std::sync::atomic::AtomicBool::new(true);
    diskspd::run::prepare::prepare(&order, &mut |_, _| (), &stop).unwrap_err();
    assert!(!directory.path().join("new").exists());
}
