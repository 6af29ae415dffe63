//! Runs with a staged bottleneck, and the limits that they report: the table in
//! docs/design/validation-of-verdicts.md. Needs root, a quiet machine and a few minutes:
//!
//! ```text
//! cargo test --test measured -- --ignored --nocapture known_bottlenecks
//! ```

use super::{Loops, SECOND};
use crate::common::loops::{Loop, run};
use crate::common::{Zram, command_of, read_json};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, Clone, Copy, PartialEq)]
enum On {
    Nothing,
    /// File on the machine's own disk.
    Disk,
    /// File on the machine's own disk, completely in the page cache.
    Cached,
    Memory,
    Compressed,
    /// Loop device over a file on the machine's disk, with or without the page cache.
    LoopDirect,
    LoopCached,
    /// File of random data on btrfs on zram, for checksums.
    Btrfs,
    /// File on btrfs on zram with zlib compression, for writes.
    BtrfsZlib,
    /// File on ext4 on zram.
    Ext4,
    /// File of the disk, through FUSE.
    Fuse,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Disturbance {
    Nothing,
    /// Three busy loops for each CPU.
    Loops,
    CpuQuota,
    /// Reads per second; bytes read per second.
    Reads(u64),
    Bytes(u64),
}

type Row = (&'static str, On, Disturbance, &'static str, &'static [&'static str]);

const FULL: &str = "-b4K -r -o32 -Su";
const ONE: &str = "-b4K -r -o1 -Su";

const ROWS: [Row; 35] = [
    (
        "engine that does nothing",
        On::Nothing,
        Disturbance::Nothing,
        "-c1G -b4K -r -o8 --engine null",
        &["tool"],
    ),
    (
        "the same, random content",
        On::Nothing,
        Disturbance::Nothing,
        "-c1G -b64K -r -w100 -Zr -o8 --engine null",
        &["tool"],
    ),
    ("page cache, small blocks", On::Cached, Disturbance::Nothing, "-b4K -r -o1", &["cpu"]),
    ("page cache, large blocks", On::Cached, Disturbance::Nothing, "-b1M -s -o1", &["cpu"]),
    ("page cache, io_uring", On::Cached, Disturbance::Nothing, "-b4K -r -o32", &["cpu"]),
    ("page cache, mapped", On::Cached, Disturbance::Nothing, "-b64K -r -Sm", &["cpu"]),
    ("tmpfs", On::Memory, Disturbance::Nothing, "-b64K -r -o4", &["cpu"]),
    ("decompression in the thread (zram)", On::Compressed, Disturbance::Nothing, ONE, &["cpu"]),
    ("the same, deep", On::Compressed, Disturbance::Nothing, FULL, &["cpu"]),
    (
        "compression in the thread (ext4 on zram)",
        On::Ext4,
        Disturbance::Nothing,
        "-b64K -r -w100 -o8 -Su",
        &["cpu"],
    ),
    ("one I/O at a time", On::Disk, Disturbance::Nothing, ONE, &["depth"]),
    ("one at a time, sync", On::Disk, Disturbance::Nothing, "-b4K -r -o1 -Su --engine sync", &["depth"]),
    ("one durable write at a time", On::Disk, Disturbance::Nothing, "-b4K -r -w100 -o1 -Sh", &["depth"]),
    ("one large read at a time", On::Disk, Disturbance::Nothing, "-b256K -r -o1 -Su", &["depth"]),
    ("disk, small blocks", On::Disk, Disturbance::Nothing, FULL, &["storage", "unclear"]),
    ("disk, bytes per second", On::Disk, Disturbance::Nothing, "-b256K -r -o16 -Su", &["storage", "unclear"]),
    ("disk, two threads", On::Disk, Disturbance::Nothing, "-b64K -r -o8 -t2 -Su", &["storage", "unclear"]),
    (
        "loop device, bypassing the page cache",
        On::LoopDirect,
        Disturbance::Nothing,
        "-b64K -r -o16 -Su",
        &["storage", "kernel", "unclear"],
    ),
    ("asked for 500 I/Os per second", On::Disk, Disturbance::Nothing, "-b4K -r -o4 -g500i -Su", &["profile"]),
    ("asked for 4 MB/s", On::Disk, Disturbance::Nothing, "-b4K -r -o4 -g4000 -Su", &["profile"]),
    ("asked for bursts", On::Disk, Disturbance::Nothing, "-b4K -r -o4 -i10 -j20 -Su", &["profile"]),
    ("CPU quota, busy", On::Nothing, Disturbance::CpuQuota, "-c1G -b4K -r -o8 --engine null", &["cpu_quota"]),
    ("CPU quota, page cache", On::Cached, Disturbance::CpuQuota, "-b64K -r -o4", &["cpu_quota"]),
    (
        "limit of 300 reads per second",
        On::LoopDirect,
        Disturbance::Reads(300),
        "-b4K -r -o4 -Su",
        &["io_limit"],
    ),
    ("limit of 20 MiB/s", On::LoopDirect, Disturbance::Bytes(20 << 20), "-b64K -r -o4 -Su", &["io_limit"]),
    ("six busy loops, one I/O at a time", On::Disk, Disturbance::Loops, ONE, &["busy_cpus"]),
    ("six busy loops, page cache", On::Cached, Disturbance::Loops, "-b4K -r -o1", &["busy_cpus"]),
    ("six busy loops, deep", On::Disk, Disturbance::Loops, FULL, &["busy_cpus", "unclear", "storage"]),
    (
        "two threads on CPU 0",
        On::Nothing,
        Disturbance::Nothing,
        "-c1G -b4K -r -o1 -t2 -a0 --engine null",
        &["busy_cpus"],
    ),
    ("two threads on CPU 0, page cache", On::Cached, Disturbance::Nothing, "-b4K -r -t2 -a0", &["busy_cpus"]),
    ("eight threads on two CPUs", On::Cached, Disturbance::Nothing, "-b4K -r -o1 -t8", &["busy_cpus"]),
    (
        "compression of a file system",
        On::BtrfsZlib,
        Disturbance::Nothing,
        "-b128K -r -w100 -o64 -Su",
        &["kernel"],
    ),
    ("checksums of a file system", On::Btrfs, Disturbance::Nothing, "-b128K -r -o64 -Su", &["kernel", "cpu"]),
    ("workers of a loop device", On::LoopCached, Disturbance::Nothing, "-b64K -r -o64 -Su", &["kernel"]),
    ("server of a file system", On::Fuse, Disturbance::Nothing, "-b4K -r -o1 -Su", &["depth", "unclear"]),
];

#[test]
#[ignore = "takes minutes, needs root and a quiet machine: it makes the table in docs/design/validation-of-verdicts.md"]
fn known_bottlenecks_are_named() {
    let only = std::env::var("DISKSPD_TEST_ROW").ok();
    let mut wrong = Vec::new();
    println!("| What limited it | Run | What it said | |\n|---|---|---|---|");
    for (what, on, beside, line, expected) in ROWS {
        if only.as_ref().is_some_and(|only| !what.contains(only.as_str())) {
            continue;
        }
        let Some((limit, said)) = reported_limit(on, beside, line) else {
            println!("| {what} | `{line}` | could not be staged here | |");
            continue;
        };
        let right = expected.contains(&limit.as_str());
        println!("| {what} | `{line}` | {said} | {} |", if right { "right" } else { "WRONG" });
        if !right {
            wrong.push((what, limit, expected));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn reported_limit(on: On, beside: Disturbance, line: &str) -> Option<(String, String)> {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let stage = Stage::new(on, directory.path())?;
    let group = match beside {
        Disturbance::CpuQuota => Some(Group::new("cpu", "cpu.cfs_quota_us", "50000")?),
        Disturbance::Reads(limit) | Disturbance::Bytes(limit) => {
            let file = match beside {
                Disturbance::Reads(_) => "blkio.throttle.read_iops_device",
                _ => "blkio.throttle.read_bps_device",
            };
            Some(Group::new("blkio", file, &format!("{} {limit}", stage.number()?))?)
        }
        _ => None,
    };
    let loops = (beside == Disturbance::Loops)
        .then(|| Loops::new(3 * std::thread::available_parallelism().unwrap().get()));
    let file = directory.path().join("r.json");
    let mut program = command_of(&["-W0", "-d2", "-L"]);
    program.arg(format!("--out={}", file.display())).args(line.split_whitespace()).arg(&stage.target);
    let mut command = Command::new("sh");
    let entering = if group.is_some() { "echo $$ > \"$0\" && exec \"$@\"" } else { "exec \"$@\"" };
    command.arg("-c").arg(entering).arg(group.as_ref().map_or("sh".into(), Group::members));
    command.arg(program.get_program()).args(program.get_args());
    let ended: crate::common::Ended = crate::common::output(&mut command).unwrap().into();
    drop(loops);
    assert_eq!(ended.code, 0, "{line}: {}", ended.stderr);
    let record: Value = read_json(file);
    let limits = &record["judgement"]["limits"][0];
    let findings = record["judgement"]["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| {
        let name = finding["name"].as_str().unwrap();
        name.starts_with("limited-by-") || name == "limit-unclear"
    });
    let message = finding.map_or("nothing", |finding| finding["message"].as_str().unwrap());
    let message = message.trim_start_matches("limited by ").replace('|', "\\|");
    if std::env::var_os("DISKSPD_TEST_ROW").is_some() {
        println!(
            "{limits:#}\n{}\n{}\n{}",
            record["hosts"][0]["results"]["time_spans"][0]["cpus"],
            record["hosts"][0]["results"]["time_spans"][0]["observed"]["resource_usage"],
            ended.stderr
        );
    }
    assert!(record["hosts"][0]["results"]["time_spans"][0]["measured"].as_u64().unwrap() > SECOND);
    let group = group.map_or(String::new(), |group| group.0.display().to_string());
    let message = if group.is_empty() { message } else { message.replace(&group, "..") };
    Some((limits["limited_by"].as_str().unwrap_or("none").to_owned(), message))
}

struct Stage {
    target: PathBuf,
    mounted: Option<PathBuf>,
    device: Option<Loop>,
    _memory: Option<tempfile::NamedTempFile>,
    _zram: Option<Zram>,
}

impl Stage {
    fn new(on: On, at: &Path) -> Option<Stage> {
        let file = at.join("a");
        let mut stage =
            Stage { target: file.clone(), mounted: None, device: None, _memory: None, _zram: None };
        let content = super::random(64 << 20);
        match on {
            On::Nothing => stage.target = "x".into(),
            On::Disk | On::Cached => write(&file, &content),
            On::Memory => {
                let memory = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
                write(memory.path(), &content);
                stage.target = memory.path().into();
                stage._memory = Some(memory);
            }
            On::Compressed => {
                let device = Zram::new(64)?;
                write(&device.0, &content);
                stage.target = device.0.clone();
                stage._zram = Some(device);
            }
            On::LoopDirect | On::LoopCached => {
                let direct = if on == On::LoopDirect { "--direct-io=on" } else { "--direct-io=off" };
                let device = Loop::with(content.len() as u64, &[direct], |image| {
                    std::io::Write::write_all(&mut &*image, &content).unwrap();
                    image.sync_all().unwrap();
                })?;
                stage.target = device.device.clone();
                stage.device = Some(device);
            }
            On::Btrfs | On::BtrfsZlib | On::Ext4 => {
                let device = Zram::new(1024)?;
                let node = device.0.to_str()?.to_owned();
                let (kind, quiet, options) = match on {
                    On::Ext4 => ("ext4", "-F", "rw"),
                    On::Btrfs => ("btrfs", "-f", "rw"),
                    _ => ("btrfs", "-f", "compress-force=zlib:9"),
                };
                run(&format!("mkfs.{kind}"), &["-q", quiet, &node])?;
                let directory = at.join("mounted");
                fs::create_dir(&directory).unwrap();
                run("mount", &["-o", options, &node, directory.to_str()?])?;
                stage.mounted = Some(directory.clone());
                stage._zram = Some(device);
                stage.target = directory.join("a");
                write(&stage.target, &content);
            }
            On::Fuse => {
                let (below, directory) = (at.join("below"), at.join("mounted"));
                fs::create_dir(&below).unwrap();
                fs::create_dir(&directory).unwrap();
                write(&below.join("a"), &content);
                run("bindfs", &["--no-allow-other", below.to_str()?, directory.to_str()?])?;
                stage.mounted = Some(directory.clone());
                stage.target = directory.join("a");
            }
        }
        Some(stage)
    }

    /// Major and minor number of the device.
    fn number(&self) -> Option<String> {
        let name = self.target.file_name()?.to_str()?;
        Some(fs::read_to_string(format!("/sys/class/block/{name}/dev")).ok()?.trim().to_owned())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(at) = &self.mounted {
            crate::common::loops::unmount(at);
        }
    }
}

fn write(file: &Path, content: &[u8]) {
    let mut file = fs::File::options().write(true).create(true).truncate(false).open(file).unwrap();
    std::io::Write::write_all(&mut file, content).unwrap();
    file.sync_all().unwrap();
}

/// Control group (version 1) with one limit, removed on drop.
struct Group(PathBuf);

impl Group {
    fn new(controller: &str, file: &str, limit: &str) -> Option<Group> {
        let name = format!("diskspd-staged-{}", std::process::id());
        let group = Group(Path::new("/sys/fs/cgroup").join(controller).join(name));
        fs::create_dir(&group.0).ok()?;
        fs::write(group.0.join(file), limit).ok()?;
        Some(group)
    }

    fn members(&self) -> PathBuf {
        self.0.join("cgroup.procs")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}
