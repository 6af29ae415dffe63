//! What the end-to-end tests share: running the program, reading its report, devices to run it on.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)] // every test binary uses another part of this

pub mod loops;
pub mod schema;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

/// Set where every test has to run (continuous integration): a skip is a failure there.
const NO_SKIP: &str = "DISKSPD_TEST_NO_SKIP";

/// Says why a test can't run here. The caller returns after it.
pub fn skip(reason: &str) {
    assert!(std::env::var_os(NO_SKIP).is_none(), "skipped although {NO_SKIP} is set: {reason}");
    eprintln!("SKIPPED: {reason}");
}

static STARTING: Mutex<()> = Mutex::new(());

/// Does something while this process starts no program. A program that is just being started has copies of all descriptors
/// until it runs: what another thread closes meanwhile stays open, and a device that was claimed stays claimed.
pub fn while_nothing_starts<T>(work: impl FnOnce() -> T) -> T {
    let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// Runs a program to its end, without input.
pub fn output(command: &mut Command) -> std::io::Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    while_nothing_starts(|| command.spawn())?.wait_with_output()
}

/// What the program did.
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

/// Runs the program to its end. Options and their target in one line, split at blanks; `{}` is the path. What it
/// wrote as JSON is as its schema says.
#[track_caller]
pub fn diskspd(line: &str, path: &Path) -> Ended {
    let ended = output(&mut command(line, path)).unwrap().into();
    check_json(&line.replace("{}", path.to_str().unwrap()), &ended);
    ended
}

/// Checks the records of `--out` and the lines of `--stream` against their schemas. Pipes are left to who reads them.
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

/// The same for tests of what a run measures: again, if the hypervisor gave the CPUs to others for much of the time, at most
/// [`TRIES`] times. A run that was not on a CPU shows nothing but that.
#[track_caller]
pub fn calm_diskspd(line: &str, path: &Path) -> Ended {
    calm(|| diskspd(line, path))
}

const TRIES: usize = 8;
/// So much of the time of one CPU is too much.
const STOLEN: f64 = 0.4;

/// Does something, and again while the machine was taken away meanwhile.
#[track_caller]
pub fn calm<T>(mut work: impl FnMut() -> T) -> T {
    let mut last = None;
    for _ in 0..TRIES {
        let (before, began) = (stolen_ticks(), std::time::Instant::now());
        last = Some(work());
        // A tick is 10 ms in this file whatever the kernel's own is.
        let stolen = stolen_ticks().saturating_sub(before) as f64 * 0.01;
        if stolen < STOLEN * began.elapsed().as_secs_f64() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    last.unwrap()
}

/// Time that the hypervisor has taken, of all CPUs together.
fn stolen_ticks() -> u64 {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let all = text.lines().next().unwrap_or_default();
    all.split_whitespace().nth(8).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

/// Starts the program.
pub fn start(line: &str, path: &Path) -> Child {
    let mut command = command(line, path);
    while_nothing_starts(|| command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()).unwrap()
}

/// The program with these arguments, for more to be added.
pub fn command_of(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskspd"));
    command.args(arguments);
    command
}

fn command(line: &str, path: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskspd"));
    command.args(line.split_whitespace().map(|word| word.replace("{}", path.to_str().unwrap())));
    command
}

impl Ended {
    /// The run succeeded; returns its report.
    #[track_caller]
    pub fn report(&self) -> Report<'_> {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
        Report(&self.stdout)
    }

    /// The run failed with this exit code, a message that holds all these words, and no panic.
    #[track_caller]
    pub fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is not in: {}", self.stderr);
        }
    }
}

/// A text report, read as scripts read it.
pub struct Report<'a>(pub &'a str);

/// The `total:` line of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Total {
    pub bytes: u64,
    pub ios: u64,
    pub iops: f64,
}

impl Report<'_> {
    /// The total line of `Total IO`, `Read IO` or `Write IO`.
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

    /// The rows of a table, cells trimmed.
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

/// A directory on a file system with `O_DIRECT`, removed afterwards.
pub fn directory() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("diskspd-test-").tempdir_in("/var/tmp").unwrap()
}

/// Runs a tool; `None` = it is not there or failed.
pub fn tool(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let output = output(Command::new(words.next()?).args(words)).ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// A zram device, gone when dropped.
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

/// What the block layer has counted for a device since it exists (`/sys/class/block/<device>/stat`).
#[derive(Debug, Clone, Copy)]
pub struct DeviceCounters {
    /// I/Os as they were submitted: those that were merged into another one are counted too.
    pub reads: u64,
    pub read_bytes: u64,
    pub writes: u64,
    pub write_bytes: u64,
    /// Flushes of the device's write cache; those that are asked for while one runs share the next one.
    pub flushes: u64,
}

impl DeviceCounters {
    pub fn of(device: &Path) -> DeviceCounters {
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

/// Asserts that two counts agree to 1 %.
#[track_caller]
pub fn agree(what: &str, ours: u64, kernels: u64) {
    let difference = ours.abs_diff(kernels) as f64;
    assert!(difference <= 0.01 * kernels as f64, "{what}: the report says {ours}, the kernel {kernels}");
}
