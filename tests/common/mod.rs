//! Common parts of the end-to-end tests: running the program, reading its report, and test devices.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)] // every test binary uses another part of this

pub mod hanging_storage;
pub mod in_process;
pub mod io_log;
pub mod kept;
pub mod lab;
pub mod look_study;
pub mod loops;
pub mod mapped;
pub mod noise;
pub mod random;
pub mod result_files;
pub mod samples;
pub mod schema;
pub mod virtual_machine;
pub mod writing_lines;

use diskspd::formats::json;
use diskspd::results::Record;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Variable of continuous integration that makes a skipped test a failure.
const NO_SKIP: &str = "DISKSPD_TEST_NO_SKIP";

/// Prints why a test cannot run here. The caller must return after it.
pub fn skip(reason: &str) {
    assert!(std::env::var_os(NO_SKIP).is_none(), "skipped although {NO_SKIP} is set: {reason}");
    eprintln!("SKIPPED: {reason}");
}

static STARTING: Mutex<()> = Mutex::new(());

/// Runs `work` while this process starts no program. A starting program has copies of all descriptors, so
/// closed files stay open, and claimed devices stay claimed.
pub fn while_nothing_starts<T>(work: impl FnOnce() -> T) -> T {
    let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// Runs a program to its end, without input.
pub fn output(command: &mut Command) -> std::io::Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    while_nothing_starts(|| command.spawn())?.wait_with_output()
}

pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Ended {
        Ended {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Runs the program to its end. Options and target are one line, split at spaces; `{}` is the path, `BRIEF` a
/// short run, see [`expanded`]. JSON output is checked against its schema.
#[track_caller]
pub fn diskspd(line: &str, path: &Path) -> Ended {
    let ended = output(&mut command(line, path)).unwrap().into();
    check_json(&line.replace("{}", path.to_str().unwrap()), &ended);
    ended
}

#[track_caller]
fn check_json(line: &str, ended: &Ended) {
    let mut words = line.split_whitespace();
    while let Some(option) = words.next() {
        let (option, value) = option.split_once('=').unwrap_or((option, ""));
        if !matches!(option, "--out" | "--stream") {
            continue;
        }
        let value = if value.is_empty() { words.next().unwrap_or_default() } else { value };
        let (format, file) = value.split_once(':').unwrap_or(("", value));
        let is_file = fs::metadata(file).is_ok_and(|file| file.is_file());
        if option == "--stream" && value == "-" {
            ended
                .stdout
                .lines()
                .filter(|line| line.starts_with('{'))
                .for_each(|line| drop(schema::stream(line)));
        } else if option == "--stream" && is_file {
            schema::stream(&fs::read_to_string(file).unwrap());
        } else if is_file && (format == "json" || format.is_empty() && file.ends_with(".json")) {
            schema::record(&fs::read(file).unwrap());
        }
    }
}

/// As [`diskspd`], for measurements: repeats at most [`TRIES`] times if the hypervisor took the CPUs for much
/// of the time.
#[track_caller]
pub fn calm_diskspd(line: &str, path: &Path) -> Ended {
    calm(|| diskspd(line, path))
}

const TRIES: usize = 8;
const STOLEN: f64 = 0.4;

/// CPUs used by judged runs of this process.
static IN_USE: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// Exclusive turn of a judged run on a number of CPUs among similar tests.
pub struct Turn(usize);

impl Turn {
    fn on(cpus: usize) -> Turn {
        let fits = |in_use: usize| in_use == 0 || in_use + cpus <= all_cpus();
        let in_use = IN_USE.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut in_use =
            IN_USE.1.wait_while(in_use, |in_use| !fits(*in_use)).unwrap_or_else(PoisonError::into_inner);
        *in_use += cpus;
        Turn(cpus)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *IN_USE.0.lock().unwrap_or_else(PoisonError::into_inner) -= self.0;
        IN_USE.1.notify_all();
    }
}

fn all_cpus() -> usize {
    std::thread::available_parallelism().map_or(1, |cpus| cpus.get())
}

pub fn alone() -> Turn {
    Turn::on(all_cpus())
}

#[track_caller]
pub fn calm<T>(mut work: impl FnMut() -> T) -> T {
    let _turn = Turn::on(1);
    let mut last = None;
    for _ in 0..TRIES {
        let (before, began) = (stolen_ticks(), Instant::now());
        last = Some(work());
        // A tick is 10 ms in this file whatever the kernel's own is.
        let stolen = stolen_ticks().saturating_sub(before) as f64 * 0.01;
        if stolen < STOLEN * began.elapsed().as_secs_f64() {
            break;
        }
        std::thread::sleep(Duration::from_millis(300));
    }
    last.unwrap()
}

/// Repeats `work` until it succeeds, at most [`TRIES`] times, because other load can disturb it.
#[track_caller]
pub fn again<E: std::fmt::Display>(mut work: impl FnMut() -> Result<(), E>) {
    for _ in 1..TRIES {
        if work().is_ok() {
            return;
        }
    }
    if let Err(why) = work() {
        panic!("{TRIES} times, the last time: {why}");
    }
}

/// Waits for an event without a time limit of the test itself, for slow machines and disks.
#[track_caller]
pub fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    const LONG: Duration = Duration::from_secs(180);
    let began = Instant::now();
    while !happened() {
        assert!(began.elapsed() < LONG, "{what}: not in {} s", LONG.as_secs());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the working child of a started program.
pub fn worker_process(started: u32) -> u32 {
    let parent_of = |process: &u32| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
    };
    let find = || {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.find(|process| parent_of(process) == Some(started))
    };
    // A program that has just been started has not forked yet.
    for _ in 0..100 {
        if let Some(found) = find() {
            return found;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    started
}

/// Stops a program (SIGSTOP) and waits until all its threads are stopped.
#[track_caller]
pub fn stop(started: u32) {
    let process = worker_process(started);
    tool(&format!("kill -STOP {process}")).unwrap();
    let stands = |thread: &Path| {
        let text = fs::read_to_string(thread.join("stat")).unwrap_or_default();
        // Behind the name, which may hold anything.
        text.rsplit_once(") ").is_none_or(|(_, state)| state.starts_with(['T', 't']))
    };
    // The parent follows its child; a SIGCONT before that would be lost.
    wait_until("all threads of both processes are stopped", || {
        [process, started].iter().all(|process| {
            let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap();
            threads.flatten().all(|thread| stands(&thread.path()))
        })
    });
}

/// Returns the ticks that the hypervisor has taken from all CPUs together.
fn stolen_ticks() -> u64 {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let all = text.lines().next().unwrap_or_default();
    all.split_whitespace().nth(8).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

pub fn side_by_side<T: Send>(all: impl IntoIterator<Item = T, IntoIter: Send>, each: impl Fn(T) + Sync) {
    let (all, each) = (Mutex::new(all.into_iter()), &each);
    let next = || all.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(one) = next() {
                    each(one);
                }
            });
        }
    });
}

pub fn start(line: &str, path: &Path) -> Child {
    let mut command = command(line, path);
    while_nothing_starts(|| command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()).unwrap()
}

pub struct Running {
    pub child: Child,
    out: BufReader<ChildStdout>,
    said: String,
}

impl Running {
    /// Starts a verbose run and waits for this text in its output.
    #[track_caller]
    pub fn until(text: &str, line: &str, path: &Path) -> Running {
        let mut child = start(&format!("-v {line}"), path);
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut running = Running { child, out, said: String::new() };
        while !running.said.contains(text) {
            let more = running.out.read_line(&mut running.said).unwrap();
            if more == 0 {
                let complaints = running.complaints();
                panic!("it never said {text:?}: {}{complaints}", running.said);
            }
        }
        running
    }

    pub fn signal(&self, name: &str) {
        tool(&format!("kill -{name} {}", self.child.id())).unwrap();
    }

    pub fn end(mut self) -> Ended {
        self.out.read_to_string(&mut self.said).unwrap();
        let stderr = self.complaints();
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        Ended { code, stdout: std::mem::take(&mut self.said), stderr }
    }

    fn complaints(&mut self) -> String {
        let mut text = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        text
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the program at a place where all users may run it, because the build directory is private. It
/// is the same file where possible, otherwise a copy. Another process makes the copy, because a file open
/// for writing in this process cannot run while another test starts a program.
pub fn copy_of_program(directory: &Path) -> PathBuf {
    let copy = directory.join("diskspd");
    if fs::hard_link(env!("CARGO_BIN_EXE_diskspd"), &copy).is_ok() {
        return copy;
    }
    let mut install = Command::new("install");
    install.args(["-m", "755", env!("CARGO_BIN_EXE_diskspd")]).arg(&copy);
    assert!(output(&mut install).unwrap().status.success(), "{}", copy.display());
    copy
}

/// Returns the program with these arguments, to which more can be added.
pub fn command_of(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskspd"));
    command.args(arguments);
    command
}

/// Replaces `BRIEF`: a second that ends as soon as a certain amount is done. This suffices for results
/// that do not depend on time, and saves CPU. Unsuitable for the work of each of several threads, because
/// one may finish before another begins.
pub fn expanded(line: &str) -> String {
    let share = line.split_whitespace().find_map(|word| word.strip_prefix("-w")?.parse::<u32>().ok());
    let amount = match share {
        // Threads of a simulated run don't know of each other.
        _ if line.contains("--engine sim") => "",
        None | Some(0) => "--until-read 4M",
        Some(100) => "--until-written 4M",
        Some(_) => "--until-read 4M --until-written 4M",
    };
    line.replace("BRIEF", &format!("-W0 -d1 {amount}"))
}

pub fn command(line: &str, path: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskspd"));
    let line = expanded(line);
    command.args(line.split_whitespace().map(|word| word.replace("{}", path.to_str().unwrap())));
    command
}

impl Ended {
    /// Checks that the program ended with exit code 0.
    #[track_caller]
    pub fn succeeds(self) -> Ended {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
        self
    }

    /// Asserts success; returns the report.
    #[track_caller]
    pub fn report(&self) -> Report<'_> {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
        Report(&self.stdout)
    }

    /// Asserts failure with this exit code, a message with all these words, and no panic.
    #[track_caller]
    pub fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is not in: {}", self.stderr);
        }
    }
}

/// Text report, parsed as by scripts.
pub struct Report<'a>(pub &'a str);

/// Line `total:` of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Total {
    pub bytes: u64,
    pub ios: u64,
    pub iops: f64,
}

impl Report<'_> {
    /// Returns the total line of `Total IO`, `Read IO` or `Write IO`.
    #[track_caller]
    pub fn total(&self, table: &str) -> Total {
        let after = self.0.split_once(&format!("\n{table}\n")).expect(table).1;
        let line = after.lines().find_map(|line| line.strip_prefix("total:")).expect("total line");
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        Total {
            bytes: cells[0].parse().unwrap(),
            ios: cells[1].parse().unwrap(),
            iops: cells[3].parse().unwrap(),
        }
    }

    /// Returns the rows of a table with trimmed cells.
    #[track_caller]
    pub fn rows(&self, table: &str) -> Vec<Vec<String>> {
        let after = self.0.split_once(&format!("\n{table}\n")).expect(table).1;
        let mut lines = after.lines().skip(2);
        lines
            .by_ref()
            .take_while(|line| !line.starts_with("---"))
            .map(|line| line.split('|').map(|cell| cell.trim().to_string()).collect())
            .collect()
    }
}

/// Runs the program with a line, which has to succeed, and returns the record.
#[track_caller]
pub fn recorded(line: &str) -> Record {
    let directory = directory();
    let file = directory.path().join("r.json");
    let ended = diskspd(&format!("--out {} {line}", file.display()), Path::new(""));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    json::read(&std::fs::read(file).unwrap()).unwrap()
}

/// Creates a directory on a file system with `O_DIRECT`, removed on drop.
pub fn directory() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("diskspd-test-").tempdir_in("/var/tmp").unwrap()
}

/// Creates a directory; returns it with the path of a file that does not exist yet.
pub fn directory_with(name: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = directory();
    let file = directory.path().join(name);
    (directory, file)
}

#[track_caller]
pub fn read_json(file: impl AsRef<Path>) -> serde_json::Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Returns the names of the findings of a saved record.
#[track_caller]
pub fn finding_names(record: &Path) -> Vec<String> {
    let record = read_json(record);
    let findings = record["judgement"]["findings"].as_array().unwrap().iter();
    findings.map(|finding| finding["name"].as_str().unwrap().to_owned()).collect()
}

/// Runs a tool; `None` = it is not there or failed.
pub fn tool(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let output = output(Command::new(words.next()?).args(words)).ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// zram device, removed on drop.
pub struct Zram(pub PathBuf);

impl Zram {
    pub fn new(mib: u64) -> Option<Zram> {
        let number = fs::read_to_string("/sys/class/zram-control/hot_add").ok();
        let Some(number) = number.and_then(|n| n.trim().parse::<u32>().ok()) else {
            skip("no zram device can be added (needs root and zram in the kernel)");
            return None;
        };
        fs::write(format!("/sys/block/zram{number}/disksize"), format!("{mib}M")).unwrap();
        Some(Zram(format!("/dev/zram{number}").into()))
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let number = self.0.to_string_lossy().trim_start_matches("/dev/zram").to_string();
        let _ = fs::write(format!("/sys/block/zram{number}/reset"), "1");
        let _ = fs::write("/sys/class/zram-control/hot_remove", number);
    }
}

#[derive(Debug, Clone, Copy)]
pub struct DeviceCounters {
    pub reads: u64,
    pub read_bytes: u64,
    pub writes: u64,
    pub write_bytes: u64,
    pub flushes: u64,
}

impl DeviceCounters {
    pub fn read(device: &Path) -> DeviceCounters {
        let name = device.file_name().unwrap().to_string_lossy();
        let text = fs::read_to_string(format!("/sys/class/block/{name}/stat")).unwrap();
        let fields: Vec<u64> = text.split_whitespace().map(|f| f.parse().unwrap()).collect();
        DeviceCounters {
            reads: fields[0] + fields[1],
            read_bytes: fields[2] * 512,
            writes: fields[4] + fields[5],
            write_bytes: fields[6] * 512,
            flushes: fields[15],
        }
    }

    pub fn since(&self, before: DeviceCounters) -> DeviceCounters {
        DeviceCounters {
            reads: self.reads - before.reads,
            read_bytes: self.read_bytes - before.read_bytes,
            writes: self.writes - before.writes,
            write_bytes: self.write_bytes - before.write_bytes,
            flushes: self.flushes - before.flushes,
        }
    }
}

#[track_caller]
pub fn agree(what: &str, ours: u64, kernels: u64) {
    let difference = ours.abs_diff(kernels);
    assert!(difference <= (kernels / 100).max(8), "{what}: the report says {ours}, the kernel {kernels}");
}

const SAMPLED: u64 = 128;

/// Runs one line on an exclusive device, and compares the device's traffic with the report, to 1 %.
/// Without warm-up and cool-down the report only lacks I/Os in flight at the end.
#[track_caller]
pub fn report_agrees_with_kernel(line: &str, target: &Path, device: &Path) {
    let given =
        |option: &str| line.split(' ').find_map(|word| word.strip_prefix(option)?.parse::<u64>().ok());
    let in_flight = given("-o").unwrap_or(2) * given("-t").unwrap_or(1);
    // A controlling thread that has no CPU at the end of the measured time ends it late.
    again(|| {
        let before = DeviceCounters::read(device);
        let ended = diskspd(line, target);
        let kernel = DeviceCounters::read(device).since(before);
        let report = ended.report();
        let (read, write) = (report.total("Read IO"), report.total("Write IO"));
        if read.ios + write.ios < 20 * in_flight {
            return Err(format!("too few I/Os to compare: {}", ended.stdout));
        }
        for (what, ours, kernels, unit, looked_at) in [
            ("reads", read.ios, kernel.reads, 1, SAMPLED),
            ("bytes read", read.bytes, kernel.read_bytes, read.bytes / read.ios.max(1), SAMPLED * 4096),
            ("writes", write.ios, kernel.writes, 1, 0),
            ("bytes written", write.bytes, kernel.write_bytes, write.bytes / write.ios.max(1), 0),
        ] {
            // Of the kernel's, so many at most were none of the run's.
            let nearest = ours.clamp(kernels.saturating_sub(looked_at), kernels);
            if ours > 0 && ours.abs_diff(nearest) > (kernels / 100).max(in_flight * unit) {
                return Err(format!("{what}: the report says {ours}, the kernel {kernels}"));
            }
        }
        Ok(())
    });
}

pub fn on_columns(columns: u32, line: &str) -> Option<Vec<String>> {
    let program = env!("CARGO_BIN_EXE_diskspd");
    let line = format!("export TERM=xterm PROGRAM='{program}'; stty cols {columns}; {line}");
    let shown = output(Command::new("script").args(["-qec", &line, "/dev/null"])).ok();
    if shown.is_none() {
        skip("there is no script(1) to make a terminal");
    }
    let shown = String::from_utf8_lossy(&shown?.stdout).replace("\r\n", "\n");
    Some(shown.lines().map(str::to_owned).collect())
}
