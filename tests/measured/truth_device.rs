//! Tests of the verdict about the devices: false results staged on real kernel objects, and honest runs.
//!
//! All targets are on exclusive devices (zram), because the machine's own disk may be busy.

#![allow(clippy::unwrap_used)]

mod beneath;
mod groups;
mod staged;

use crate::common::loops::{run, unmount};
use crate::common::{Ended, Running, Zram, again, calm_diskspd as diskspd, command_of, read_json, skip};
use serde_json::Value;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const MIB: u64 = 1 << 20;

struct Mounted {
    at: tempfile::TempDir,
    device: Zram,
}

impl Mounted {
    fn new(kind: &str, mib: u64, options: &str) -> Option<Mounted> {
        let device = Zram::new(mib)?;
        let node = device.0.to_str()?.to_string();
        // Without lazy initialization: the kernel would go on writing while a test counts.
        let arguments: &[&str] = match kind {
            "ext4" => &["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
            _ => &["-q", "-f"],
        };
        run(&format!("mkfs.{kind}"), &[arguments, &[&node]].concat())?;
        let mounted = Mounted { at: tempfile::tempdir_in("/var/tmp").unwrap(), device };
        run("mount", &["-o", options, &node, mounted.at.path().to_str()?])?;
        Some(mounted)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.at.path().join(name)
    }

    /// Creates a file of random data without cached pages.
    fn filled(&self, name: &str, mib: u64) -> PathBuf {
        let path = self.file(name);
        let mut file = File::create(&path).unwrap();
        for _ in 0..mib {
            file.write_all(&random(MIB as usize)).unwrap();
        }
        drop(file);
        self.forget();
        path
    }

    fn forget(&self) {
        let (node, at) = (self.device.0.to_str().unwrap(), self.at.path().to_str().unwrap());
        unmount(self.at.path());
        run("mount", &[node, at]).unwrap();
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        unmount(self.at.path());
    }
}

fn random(bytes: usize) -> Vec<u8> {
    let mut data = vec![0; bytes];
    std::io::Read::read_exact(&mut File::open("/dev/urandom").unwrap(), &mut data).unwrap();
    data
}

/// Returns a raw device that is completely written.
fn raw(mib: u64) -> Option<Zram> {
    let device = Zram::new(mib)?;
    let mut file = File::options().write(true).open(&device.0).unwrap();
    for _ in 0..mib {
        file.write_all(&random(MIB as usize)).unwrap();
    }
    file.sync_all().unwrap();
    Some(device)
}

/// Loop device on a file.
struct Looped(PathBuf);

impl Looped {
    fn new(file: &Path, options: &[&str]) -> Option<Looped> {
        let device = run("losetup", &[options, &["--find", "--show", file.to_str()?]].concat())?;
        Some(Looped(device.trim().into()))
    }
}

impl Drop for Looped {
    fn drop(&mut self) {
        run("losetup", &["-d", self.0.to_str().unwrap()]);
    }
}

/// Returns the first line of the verdict.
fn verdict(ended: &Ended) -> &str {
    const WORDS: [&str; 8] =
        ["VERIFIED", "CACHED", "COALESCED", "SPLIT", "AMPLIFIED", "SHARED", "DEFERRED", "UNKNOWN"];
    let mut lines = ended.stderr.lines();
    lines.find(|line| WORDS.iter().any(|word| line.starts_with(word))).unwrap_or_default()
}

#[track_caller]
fn expect_verdict(line: &str, target: &Path, start: &str, words: &str) {
    let ended = diskspd(line, target);
    ended.report();
    assert!(verdict(&ended).starts_with(start), "{line}: {start} expected: {}", ended.stderr);
    assert!(ended.stderr.contains(words), "{line}: {words:?} expected: {}", ended.stderr);
}

#[test]
fn answers_from_memory_are_reported() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let file = disk.filled("a", 64);
    expect_verdict("-b1M -W0 -d1 {}", &file, "C", "");
    fs::read(&file).unwrap();
    expect_verdict(
        "-b4K -r -o4 -W0 -d1 {}",
        &file,
        "CACHED (WRONG): served from the page cache",
        "-> bypass the page cache with -Su",
    );
    let strict = diskspd("-b4K -r -o4 -W0 -d1 --strict {}", &file);
    assert_eq!(strict.code, 2, "{}", strict.stderr);
    diskspd("-b4K -r -o4 -Su -W0 -d1 --strict {}", &file).succeeds();
    // A device has a cache above it only if that is asked for.
    let Some(device) = raw(64) else { return };
    // What it has in the cache stays there while somebody has it open.
    let mut open = File::open(&device.0).unwrap();
    std::io::copy(&mut open, &mut std::io::sink()).unwrap();
    expect_verdict(
        "-b4K -r -o4 -Sb -W1 -d1 {}",
        &device.0,
        "CACHED (WRONG): served from the page cache",
        "-> bypass the page cache with -Su",
    );
    drop(open);
    expect_verdict("-b4K -r -o4 -W0 -d1 --strict {}", &device.0, "VERIFIED", "");
}

#[test]
fn unwritten_file_is_reported() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let (allocated, sparse) = (disk.file("allocated"), disk.file("sparse"));
    if run("fallocate", &["-l", "64M", allocated.to_str().unwrap()]).is_none() {
        return;
    }
    File::create(&sparse).unwrap().set_len(64 * MIB).unwrap();
    for file in [allocated, sparse] {
        expect_verdict("-b4K -r -o8 -Su -W0 -d1 {}", &file, "CACHED (WRONG)", "unwritten");
    }
}

#[test]
fn zeros_on_compressing_file_system_are_reported() {
    let Some(disk) = Mounted::new("btrfs", 512, "compress-force=lzo") else { return };
    let file = disk.file("zeros");
    fs::write(&file, vec![0; 64 << 20]).unwrap();
    disk.forget();
    expect_verdict("-b64K -r -o8 -Su -W0 -d1 {}", &file, "CACHED (WRONG)", "compression");
}

#[test]
fn dirty_data_at_the_end_is_reported() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let file = disk.filled("a", 64);
    expect_verdict("-b64K -w100 -Zr -o4 -W0 -d1 {}", &file, "DEFERRED", "-> write through");
    let ended = diskspd("-b64K -w100 -Zr -o4 -W0 -d1 --flush-after {}", &file);
    assert!(verdict(&ended).starts_with("DEFERRED"), "{}", ended.stderr);
    assert!(ended.stderr.contains("flushing the dirty pages left at the end"), "{}", ended.stderr);
}

#[test]
fn loop_device_over_memory_is_reported() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let file = disk.filled("image", 64);
    let Some(looped) = Looped::new(&file, &[]) else { return };
    // The warm-up has read all of it.
    fs::read(&file).unwrap();
    expect_verdict("-b4K -r -o8 -Su -W0 -d1 {}", &looped.0, "CACHED (WRONG)", "--direct-io=on");
    expect_verdict("-b4K -r -w100 -Zr -o8 -Su -W0 -d1 --destroy {}", &looped.0, "DEFERRED", "--direct-io=on");
}

#[test]
fn read_ahead_is_reported_as_device_io() {
    let Some(disk) = Mounted::new("ext4", 512, "rw") else { return };
    let file = disk.filled("a", 256);
    expect_verdict("-b4K -s -o1 -g20000 -W0 -d1 {}", &file, "COALESCED (WARNING)", "instead of 4 KiB");
    disk.forget();
    expect_verdict("-b4K -r -Sm -g100 -W0 -d1 {}", &file, "AMPLIFIED (WARNING)", "read-ahead");
}

#[test]
fn journal_with_data_is_reported() {
    let Some(disk) = Mounted::new("ext4", 512, "data=journal") else { return };
    let file = disk.file("a");
    fs::write(&file, random(64 << 20)).unwrap();
    File::open(&file).unwrap().sync_all().unwrap();
    expect_verdict("-b4K -r -w100 -Zr -o1 -Sw -W0 -d2 {}", &file, "AMPLIFIED", "journal");
}

#[test]
fn io_of_other_programs_is_reported() {
    let Some(disk) = raw(64) else { return };
    let _hammer = Running::until(": measuring", "-b64K -r -o1 -Su -W0 -d600 {}", &disk.0);
    expect_verdict("-b4K -r -o1 -Su -W0 -d1 {}", &disk.0, "SHARED", "were not this run's");
}

/// Loop device with two partitions, which bypasses the page cache.
struct Parted(Looped);

impl Parted {
    fn new(image: &Path) -> Option<Parted> {
        let looped = Looped::new(image, &["--direct-io=on"])?;
        let parted = Parted(looped);
        let device = parted.0.0.to_str().unwrap();
        // Told to the kernel, not written to the disk: not every kernel reads tables of partitions.
        for (number, start, length) in [("1", 2048, 65536), ("2", 69632, 32768)] {
            let (start, length) = (start.to_string(), length.to_string());
            run("addpart", &[device, number, &start, &length])?;
        }
        let nodes = || [1, 2].iter().all(|number| parted.partition(*number).exists());
        let found = (0..3000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            nodes()
        });
        if !found {
            skip("partitions of loop devices get no nodes in /dev");
        }
        found.then_some(parted)
    }

    fn partition(&self, number: u32) -> PathBuf {
        format!("{}p{number}", self.0.0.display()).into()
    }
}

/// Removes the partitions, which would outlive the device.
impl Drop for Parted {
    fn drop(&mut self) {
        // The kernel closes the files of an io_uring some time after its process has ended: until then they are busy.
        for number in [1, 2].iter().filter(|number| self.partition(**number).exists()) {
            let line = format!("delpart {} {number}", self.0.0.display());
            let gone = (0..2400).any(|_| {
                let gone = crate::common::tool(&line).is_some();
                std::thread::sleep(std::time::Duration::from_millis(if gone { 0 } else { 50 }));
                gone
            });
            assert!(gone || std::thread::panicking(), "{line}");
        }
    }
}

struct Setting(PathBuf, String);

impl Setting {
    fn set(path: PathBuf, value: &str) -> Setting {
        let old = fs::read_to_string(&path).unwrap();
        fs::write(&path, value).unwrap();
        Setting(path, old)
    }
}

impl Drop for Setting {
    fn drop(&mut self) {
        let _ = fs::write(&self.0, &self.1);
    }
}

#[test]
fn foreign_io_on_another_partition_is_reported() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let Some(parted) = Parted::new(&disk.filled("image", 64)) else { return };
    let _hammer = Running::until(": measuring", "-b64K -r -o1 -Su -W0 -d600 {}", &parted.partition(2));
    let line = "-b4K -r -o1 -Su -W0 -d1 {}";
    expect_verdict(line, &parted.partition(1), "SHARED", "past the partitions of the targets");
}

#[test]
fn split_io_is_reported_with_its_cause() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let Some(looped) = Looped::new(&disk.filled("image", 64), &["--direct-io=on"]) else { return };
    let name = looped.0.file_name().unwrap().to_str().unwrap();
    let _small = Setting::set(format!("/sys/block/{name}/queue/max_sectors_kb").into(), "32");
    let words = format!("32 KiB instead of 128 KiB: {name} takes no more than 32 KiB at once");
    expect_verdict("-b128K -r -o4 -Su -W0 -d1 {}", &looped.0, "SPLIT", &words);
}

/// Returns the verdict about the first part in a record.
fn part_of(record: &Path) -> Value {
    let record: Value = read_json(record);
    record["judgement"]["verdicts"][0]["parts"][0].clone()
}

#[test]
fn flushes_are_not_counted_as_writes() {
    let (_directory, record) = crate::common::directory_with("run.json");
    let Some((disk, at)) = crate::common::loops::Loop::with_file_system(64 * MIB, "ext4") else { return };
    let name = disk.device.file_name().unwrap().to_str().unwrap();
    let cache = fs::read_to_string(format!("/sys/block/{name}/queue/write_cache")).unwrap();
    if cache.trim() != "write back" {
        return skip("loop devices have no write cache that could be flushed");
    }
    let file = at.join("a");
    fs::write(&file, random(32 << 20)).unwrap();
    for line in ["-o1 -Sh", "-o8 -Sh", "-o1 -Sw"] {
        let line = format!("-b4K -r -w100 {line} -W0 -d1 --out={} {{}}", record.display());
        again(|| {
            diskspd(&line, &file).report();
            let part = part_of(&record);
            let number = |of: &Value| of.as_u64().unwrap();
            assert!(number(&part["flushes"]) > 0, "{part}");
            // On a slow machine what is in flight at the edges is more than 1 %, and so may be the journal's writes.
            let write = &part["write"];
            let (ours, kernels) = (number(&write["device_ios"]), number(&write["counted_ios"]));
            let agree = ours.abs_diff(kernels) <= kernels / 50 + 8;
            agree.then_some(()).ok_or_else(|| format!("{line}: {part}"))
        });
    }
}

#[test]
fn dirty_data_is_written_before_the_run() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let record = disk.file("run.json");
    let file = disk.filled("a", 64);
    fs::write(&file, random(64 << 20)).unwrap();
    let line = format!("-b4K -r -w100 -Zr -o4 -Su -W0 -d1 --out={} {{}}", record.display());
    let ended = diskspd(&line, &file);
    let record: Value = read_json(&record);
    let target = &record["hosts"][0]["results"]["time_spans"][0]["observed"]["devices"]["targets"][0];
    let Some(before) = target["unwritten_before"].as_u64() else { return skip("no cachestat(2)") };
    assert!(before < MIB, "{target}");
    assert!(verdict(&ended).starts_with("VERIFIED: "), "{}", ended.stderr);
}

#[test]
fn missing_and_unrequested_flushes_are_reported() {
    let Some(mut disk) = crate::common::loops::Loop::new(64 * MIB) else { return };
    if disk.mkfs("ext4").is_none() {
        return;
    }
    let device = disk.device.clone();
    let Some(at) = disk.mount(&device) else { return };
    let file = at.join("a");
    fs::write(&file, random(16 << 20)).unwrap();
    let words = "got no flush of its write cache";
    let sync = "is mounted with sync";
    let run_on = |line: &str| diskspd(line, &file);
    let honest = run_on("-b4K -r -w100 -o2 -Sh -W0 -d1 {}");
    assert!(!honest.stderr.contains(words) && !honest.stderr.contains(sync), "{}", honest.stderr);
    run("mount", &["-o", "remount,nobarrier", at.to_str().unwrap()]).unwrap();
    let lost = run_on("-b4K -r -w100 -o2 -Sh -W0 -d1 {}");
    assert!(lost.stderr.contains(words), "{}", lost.stderr);
    run("mount", &["-o", "remount,barrier,sync", at.to_str().unwrap()]).unwrap();
    let unasked = run_on("-b4K -r -w100 -o2 -Su -W0 -d1 {}");
    assert!(unasked.stderr.contains(sync), "{}", unasked.stderr);
}

#[test]
fn disguised_memory_is_reported() {
    let image = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
    image.as_file().write_all_at(&random(16 << 20), 0).unwrap();
    if let Some(looped) = Looped::new(image.path(), &[]) {
        expect_verdict(
            "-b4K -r -o4 -Su -W0 -d1 {}",
            &looped.0,
            "CACHED (WRONG)",
            "a loop device over a file in memory",
        );
        let strict = diskspd("-b4K -r -o4 -Su -W0 -d1 --strict {}", &looped.0);
        assert_eq!(strict.code, 2, "{}", strict.stderr);
    }
    let Some(device) = raw(64) else { return };
    for content in ["", "-Z"] {
        let line = format!("-b4K -r -w100 {content} -o4 -Su -W0 -d1 --destroy {{}}");
        expect_verdict(&line, &device.0, "CACHED (WRONG)", "write random data: -Zr");
    }
    // What it has to store is honest work, but that of memory.
    expect_verdict("-b4K -r -w100 -Zr -o4 -Su -W0 -d1 --destroy {}", &device.0, "VERIFIED", "is memory");
}

#[test]
fn unknown_facts_give_no_claims() {
    let (directory, image) = crate::common::directory_with("image");
    fs::write(&image, random(16 << 20)).unwrap();
    for (line, words) in [
        ("-b4K -r -W0 -d1 --engine null {}", "the null engine does no I/O"),
        ("-b4K -r -W0 -d1 --engine sim {}", "simulated device"),
    ] {
        expect_verdict(line, &image, "UNKNOWN", words);
    }
    let memory = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
    memory.as_file().write_all_at(&random(1 << 20), 0).unwrap();
    expect_verdict("-b4K -r -W0 -d1 {}", memory.path(), "UNKNOWN", "keeps its files in memory");
    let Some(looped) = Looped::new(&image, &[]) else { return };
    // The kernel knows the file still.
    fs::remove_file(&image).unwrap();
    let name = looped.0.file_name().unwrap().to_str().unwrap();
    let switch = format!("/sys/block/{name}/queue/iostats");
    fs::write(&switch, "0").unwrap();
    let line = "-b4K -r -Su -W0 -d1 --strict {}";
    // What is beneath it tells, if the page cache is not between.
    let ended = diskspd(line, &looped.0);
    assert!(!verdict(&ended).starts_with("VERIFIED (") && ended.code != 1, "{}", ended.stderr);
    fs::write(&switch, "1").unwrap();
    let record = directory.path().join("run.json");
    diskspd(&format!("-b4K -r -Su -W0 -d1 --out={} {{}}", record.display()), &looped.0).report();
    let part = part_of(&record);
    assert_ne!(part["leaves"], part["devices"], "the disk beneath is found without a name: {part}");
}

/// Number of repetitions of the honest runs.
const ROUNDS: &str = "DISKSPD_TEST_ROUNDS";

const OF_THE_MACHINE: [&str; 4] =
    ["cpu-stolen", "limited-by-hypervisor", "limited-by-interrupts", "limited-by-cpu-quota"];
/// Correct findings if other tests use the CPUs, as [`crowded`] detects in the record.
const OF_NEIGHBOURS: [&str; 4] =
    ["limited-by-busy-cpus", "run-queue-delay", "late-starts", "process-stalled"];
/// Correct findings of a guest whose CPUs were taken, as [`stolen`] detects in the record.
const OF_A_GUEST: [&str; 4] = ["process-stalled", "late-starts", "limited-by-busy-cpus", "run-queue-delay"];
const OF_THE_BUILD: [&str; 1] = ["limited-by-tool"];

#[test]
fn honest_device_runs_are_verified_without_warnings() {
    honest(on_a_device);
}

#[test]
fn honest_runs_on_ext4_are_verified_without_a_warning() {
    honest(|check| on_a_file_system("ext4", check));
}

#[test]
fn honest_runs_on_xfs_are_verified_without_a_warning() {
    honest(|check| on_a_file_system("xfs", check));
}

#[test]
fn honest_runs_on_btrfs_are_verified_without_a_warning() {
    honest(|check| on_a_file_system("btrfs", check));
}

type Check<'a> = &'a dyn Fn(&str, &Path);

fn honest(runs: impl Fn(Check)) {
    let rounds = std::env::var(ROUNDS).ok().map_or(1, |rounds| rounds.parse().unwrap());
    let (ran, alarms) = (std::cell::Cell::new(0), std::cell::RefCell::new(Vec::new()));
    let (_directory, record) = crate::common::directory_with("run.json");
    for _ in 0..rounds {
        runs(&|line, target| {
            let line = format!("--out={} {line}", record.display());
            // On a machine that stands still for longer than a run (a paused guest) nothing is counted.
            let counted = |ended: &Ended| ended.report().total("Total IO").ios > 0;
            // With another seed each time: what a try has read through the cache is there for the next one.
            let tries = std::cell::Cell::new(0);
            let again = || {
                tries.set(tries.get() + 1);
                crate::common::diskspd(&format!("-z{} {line}", tries.get()), target)
            };
            let Some(ended) = (0..5).map(|_| crate::common::calm(again)).find(counted) else {
                return skip("the machine stands still");
            };
            ran.set(ran.get() + 1);
            let doubts = doubts(&ended, &record);
            if !verdict(&ended).starts_with("VERIFIED: ") || !doubts.is_empty() {
                alarms.borrow_mut().push(format!("{line}: {doubts:?}: {}", ended.stderr));
            }
        });
    }
    eprintln!("{} honest runs, {} false alarms", ran.get(), alarms.borrow().len());
    assert!(alarms.borrow().is_empty(), "{:#?}", alarms.borrow());
}

fn doubts(ended: &Ended, record: &Path) -> Vec<String> {
    let record: Value = read_json(record);
    let findings = record["judgement"]["findings"].as_array().unwrap().clone().into_iter();
    let of_run = findings.filter(|finding| !finding["time_span"].is_null() && finding["severity"] != "note");
    let told = of_run.filter(|finding| ended.stderr.contains(finding["message"].as_str().unwrap()));
    let names = told.map(|finding| finding["name"].as_str().unwrap().to_owned());
    let crowded = crowded(&record["hosts"][0]["results"]["time_spans"][0]);
    let neighbours = |name: &str| crowded && OF_NEIGHBOURS.contains(&name);
    let stolen = stolen(&record["hosts"][0]["results"]["time_spans"][0]);
    let absent = |name: &str| stolen && OF_A_GUEST.contains(&name);
    let slow = |name: &str| cfg!(debug_assertions) && OF_THE_BUILD.contains(&name);
    let busy = busy_beside(&record["hosts"][0]["results"]["time_spans"][0]);
    let late = |name: &str| busy && name == "late-starts";
    names
        .filter(|name| !OF_THE_MACHINE.contains(&name.as_str()) && !neighbours(name) && !absent(name))
        .filter(|name| !slow(name) && !late(name))
        .collect()
}

fn busy_beside(span: &Value) -> bool {
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let cpus = span["cpus"].as_array().unwrap();
    let share = |cpu: &Value| {
        let busy = number(&cpu["kernel"]) + number(&cpu["user"]);
        busy / (busy + number(&cpu["idle"])).max(1.0)
    };
    let own = number(&span["observed"]["resource_usage"]["process"]) / number(&span["measured"]).max(1.0);
    let lost = span["observed"]["lost_cpu_times"].as_array().cloned().unwrap_or_default();
    lost.iter().any(|lost| number(&lost["steal"]) > 0.0) || cpus.iter().map(share).sum::<f64>() - own >= 0.2
}

/// Whether another guest had a CPU for a tenth of the time, according to the kernel's raw counters.
fn stolen(span: &Value) -> bool {
    let number = |value: &Value| value.as_u64().unwrap_or(0) as f64;
    let lost = span["observed"]["lost_cpu_times"].as_array().cloned().unwrap_or_default();
    lost.iter().zip(span["cpus"].as_array().unwrap()).any(|(lost, cpu)| {
        let all = number(&cpu["idle"]) + number(&cpu["kernel"]) + number(&cpu["user"]);
        number(&lost["steal"]) >= 0.1 * all.max(1.0)
    })
}

fn crowded(span: &Value) -> bool {
    let number = |value: &Value| value.as_u64().unwrap_or(0) as f64;
    let measured = number(&span["measured"]);
    let workers = span["observed"]["resource_usage"]["workers"].as_array().unwrap();
    let waited = workers.iter().any(|worker| number(&worker["times"]["run_delay"]) >= 0.09 * measured);
    let cpus = span["cpus"].as_array().unwrap().iter();
    let idle = |cpu: &Value| {
        number(&cpu["idle"]) / (number(&cpu["idle"]) + number(&cpu["kernel"]) + number(&cpu["user"])).max(1.0)
    };
    waited && cpus.map(idle).fold(1.0, f64::min) < 0.5
}

fn on_a_device(check: Check) {
    let Some(disk) = raw(128) else { return };
    for line in [
        "-b4K -r -o8 -Su -W0 -d1 {}",
        "-b4K -r -o1 -Su -W1 -d1 -C1 {}",
        "-b4K -r -o1 -g9i -Su -W0 -d1 {}",
        "-b512K -r -o4 -t2 -Su -W0 -d1 {}",
        "-b64K -s -o1 -Su -W0 -d1 {}",
        "-b4K -r -o8 -Su --engine aio -W0 -d1 {}",
        "-b8K -r -w50 -Zr -o8 -t2 -Su -W0 -d1 --destroy {}",
        "-b64K -w100 -Zr -o2 -Sh -W0 -d1 --destroy {}",
    ] {
        check(line, &disk.0);
    }
}

fn on_a_file_system(kind: &str, check: Check) {
    let Some(disk) = Mounted::new(kind, 768, "rw") else { return };
    let file = disk.filled("a", 256);
    // Nothing of it is in memory yet: the page cache asks the device for everything.
    check("-b4K -r -fr -o4 -g2000 -W0 -d1 {}", &file);
    check("-b4K -r -o16 -Su -W0 -d1 {}", &file);
    check("-b64K -r -o4 -t2 -Su -W0 -d1 {}", &file);
    if kind == "btrfs" {
        // Writes go elsewhere each time, with metadata: that is amplified in truth.
        return;
    }
    // Random data: what compresses would be read from a device that compresses later on.
    check("-b4K -r -w30 -Zr -o8 -Su -W0 -d1 {}", &file);
    check("-b8K -r -w100 -Zr -o4 -Sh -W0 -d1 {}", &file);
    check("-b64K -r -w100 -Zr -o1 -Sw -W0 -d1 {}", &file);
    let Some(looped) = Looped::new(&file, &["--direct-io=on"]) else { return };
    check("-b4K -r -o8 -Su -W0 -d1 {}", &looped.0);
    check("-b4K -r -w50 -Zr -o4 -Su -W0 -d1 --destroy {}", &looped.0);
    check("-b128K -r -o4 -Su -W0 -d1 {}", &looped.0);
    drop(looped);
    let Some(parted) = Parted::new(&file) else { return };
    check("-b4K -r -o8 -Su -W0 -d1 {}", &parted.partition(1));
}

#[test]
fn two_targets_on_one_device_are_judged_together() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let (a, b) = (disk.filled("a", 64), disk.filled("b", 64));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let json = disk.at.path().join("run.json");
    let out = format!("--out={}", json.display());
    let ended: Ended =
        command_of(&["-b4K", "-r", "-o4", "-Su", "-W0", "-d1", &out, a, b]).output().unwrap().into();
    assert!(verdict(&ended).starts_with("VERIFIED: "), "{}", ended.stderr);
    let record: Value = read_json(&json);
    let parts = record["judgement"]["verdicts"][0]["parts"].as_array().unwrap();
    assert_eq!((parts.len(), parts[0]["targets"].as_array().unwrap().len()), (1, 2), "{parts:?}");
    assert_eq!(parts[0]["devices"], parts[0]["leaves"]);
}

#[test]
fn one_cached_target_is_reported_with_others() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let (honest, lying) = (disk.filled("a", 64), disk.file("b"));
    fs::write(&lying, random(4 << 20)).unwrap();
    let profile = disk.file("two.xml");
    let target = |path: &Path, kib: u64, cache: &str| {
        format!(
            "<Target><Path>{}</Path><BlockSize>{}</BlockSize><Random>{}</Random>{cache}<RequestCount>1</RequestCount>\
             <ThreadsPerFile>1</ThreadsPerFile><Throughput unit=\"IOPS\">500</Throughput></Target>",
            path.display(),
            kib << 10,
            kib << 10
        )
    };
    let direct = "<DisableOSCache>true</DisableOSCache>";
    let targets = [target(&honest, 256, direct), target(&lying, 4, "")].concat();
    let text = format!(
        "<Profile><TimeSpans><TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Targets>{targets}</Targets></TimeSpan>\
         </TimeSpans></Profile>"
    );
    fs::write(&profile, text).unwrap();
    let ended = diskspd("-X{}", &profile).succeeds();
    if !ended.stderr.contains("was served from the page cache") && ended.stderr.contains("targets together") {
        return skip("no cachestat(2)");
    }
    assert!(verdict(&ended).starts_with("CACHED (WRONG): '"), "{}", ended.stderr);
}

#[test]
fn xml_verdict_is_optional_and_last() {
    let (_directory, file) = crate::common::directory_with("a");
    let plain = diskspd("-c1M -b4K -W0 -d1 -Rxml {}", &file);
    assert!(!plain.stdout.contains("DeviceVerdict"), "{}", plain.stdout);
    let with = diskspd("-c1M -b4K -W0 -d1 -Rxml --xml-verdict {}", &file);
    let (before, last) = with.stdout.split_once("    <DeviceVerdict>\n").unwrap();
    assert!(before.trim_end().ends_with("</Thread>"), "{before}");
    assert!(last.contains("    </DeviceVerdict>\n    <Findings>\n"), "{last}");
    assert!(last.ends_with("    </Findings>\n  </TimeSpan>\n</Results>"), "{last}");
    assert!(last.contains("<CountedBytes>"), "{last}");
}

#[test]
fn text_verdict_follows_report_on_request() {
    let directory = crate::common::directory();
    let (file, kept) = (directory.path().join("a"), directory.path().join("kept.txt"));
    let ended = diskspd("-c1M -b4K -W0 -d1 {}", &file);
    assert!(!ended.stdout.contains("Verdict:"), "{}", ended.stdout);
    let line = format!("-c1M -b4K -W0 -d1 --text-verdict --out {} {{}}", kept.display());
    let ended = diskspd(&line, &file);
    for report in [ended.stdout, fs::read_to_string(&kept).unwrap()] {
        let (before, found) = report.split_once("\n\nVerdict:\n").unwrap();
        assert!(before.contains("\nTotal IO\n") && !before.contains("NOTE: "), "{report}");
        // What is said before the run is of the run.
        assert!(!found.is_empty() && ended.stderr.ends_with(found), "{found}\n{}", ended.stderr);
    }
    let ended = diskspd("-c1M -b4K -W0 -d1 --engine null --text-verdict {}", &file);
    assert!(ended.stdout.contains("\nVerdict:\n"), "{}", ended.stdout);
}

/// Kernel events of completed requests of one device.
struct Trace(tempfile::TempDir);

impl Trace {
    fn start(device: &Path) -> Option<Trace> {
        let at = tempfile::tempdir_in("/var/tmp").unwrap();
        run("mount", &["-t", "tracefs", "none", at.path().to_str()?])?;
        let trace = Trace(at);
        let name = device.file_name()?.to_str()?;
        let number = fs::read_to_string(format!("/sys/class/block/{name}/dev")).unwrap();
        let (major, minor) = number.trim().split_once(':')?;
        let number = major.parse::<u64>().ok()? << 20 | minor.parse::<u64>().ok()?;
        fs::create_dir(trace.instance()).unwrap();
        trace.set("buffer_size_kb", "16384");
        trace.set("events/block/block_rq_complete/filter", &format!("dev == {number}"));
        trace.set("events/block/block_rq_complete/enable", "1");
        Some(trace)
    }

    fn instance(&self) -> PathBuf {
        self.0.path().join(format!("instances/diskspd-test-{}", std::process::id()))
    }

    fn set(&self, file: &str, value: &str) {
        let written = fs::write(self.instance().join(file), value);
        assert!(written.is_ok(), "{file}: {written:?}");
    }

    /// Returns requests and sectors so far; lines end with `<first sector> + <sectors> <priority> [error]`.
    fn reads(&self) -> (u64, u64) {
        self.set("events/block/block_rq_complete/enable", "0");
        let text = fs::read_to_string(self.instance().join("trace")).unwrap();
        let lines = text.lines().filter(|line| line.contains("block_rq_complete: "));
        let sectors = lines.map(|line| {
            let after = line.split_once(" + ").unwrap().1;
            after.split_whitespace().next().unwrap().parse::<u64>().unwrap()
        });
        sectors.fold((0, 0), |(ios, all), sectors| (ios + 1, all + sectors))
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        let _ = fs::remove_dir(self.instance());
        unmount(self.0.path());
    }
}

#[test]
fn verdict_counters_agree_with_the_kernel_trace() {
    let Some(disk) = Mounted::new("ext4", 256, "rw") else { return };
    let file = disk.filled("image", 64);
    let Some(looped) = Looped::new(&file, &["--direct-io=on"]) else { return };
    let json = disk.at.path().join("run.json");
    let line = format!("-b4K -r -o4 -Su -W0 -d3 --out={} {{}}", json.display());
    // A thread that has no CPU at the edges of the window reads the counters late.
    again(|| {
        let traced = crate::common::calm(|| {
            let trace = Trace::start(&looped.0)?;
            let ended = crate::common::diskspd(&line, &looped.0);
            Some((trace.reads(), ended))
        });
        let Some(((ios, sectors), ended)) = traced else {
            skip("no tracefs can be mounted");
            return Ok(());
        };
        ended.report();
        differs(&json, &looped, ios, sectors).map_or(Ok(()), Err)
    });
}

fn differs(json: &Path, looped: &Looped, ios: u64, sectors: u64) -> Option<String> {
    let record: Value = read_json(json);
    let devices = &record["hosts"][0]["results"]["time_spans"][0]["observed"]["devices"]["devices"];
    let name = looped.0.file_name().unwrap().to_str().unwrap();
    let device = devices.as_array().unwrap().iter().find(|device| device["name"] == name).unwrap();
    let read = &device["activity"]["read"];
    if ios <= 2000 {
        return Some(format!("too few I/Os to compare at 1 %: {ios}"));
    }
    for (what, ours, traced) in [("ios", &read["ios"], ios), ("bytes", &read["bytes"], sectors * 512)] {
        if ours.as_u64().unwrap().abs_diff(traced) > traced / 100 {
            return Some(format!("{what}: the record says {ours}, the trace {traced}"));
        }
    }
    None
}
