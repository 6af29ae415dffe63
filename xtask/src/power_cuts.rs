//! Power cuts: whether atomic writes are ever torn, and whether torn ones would be seen.
//!
//! XFS lies on a loop device on a file of our own file system, which remembers each write and flush. Then the
//! disk is shown as a cut at random places would have left it, mounted, which has XFS recover its log, and
//! judged by what the journal of the run said at that moment.

mod disk;
mod server;

use crate::arguments::Arguments;
use crate::{Failure, program};
use disk::Disk;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

/// The smallest that mkfs.xfs makes, bytes.
const SIZE: usize = 320 << 20;

/// See the table of commands.
pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let cuts: usize = arguments.number("--cuts", 1000)?;
    let seed: u64 = arguments.number("--seed", 1)?;
    let block = arguments.value("--block")?.unwrap_or_else(|| "16K".to_owned());
    let diskspd = program::path(arguments.value("--ours")?)?;
    arguments.finish()?;
    println!("{cuts} power cuts each, -b{block} -r -w100 -o8 -Sh on XFS");
    let mut counts = Vec::new();
    for (atomic, name) in [(true, "with --atomic"), (false, "without")] {
        let found = campaign(&diskspd, cuts, seed, &block, atomic)?;
        println!(
            "{name}: {} writes and flushes recorded; {} cuts judged, {} sectors verified; \
             {} cuts left blocks that hold two versions ({} sectors), {} left other damage",
            found.events, found.judged, found.verified, found.torn_cuts, found.torn_sectors, found.damaged
        );
        counts.push(found);
    }
    match &counts[..] {
        [atomic, plain] if atomic.torn_cuts + atomic.damaged + plain.damaged > 0 || plain.torn_cuts == 0 => {
            Err("atomic writes were torn, or torn ones are not seen".into())
        }
        _ => Ok(()),
    }
}

/// What came of all cuts.
#[derive(Default)]
struct Found {
    events: usize,
    judged: usize,
    verified: u64,
    torn_cuts: usize,
    torn_sectors: u64,
    damaged: usize,
}

/// What is mounted and attached; taken down in the reverse order.
#[derive(Default)]
struct Stage(Vec<[String; 3]>);

impl Stage {
    fn undo(&mut self, command: &str, option: &str, what: &str) {
        self.0.push([command, option, what].map(str::to_owned));
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        while let Some([command, option, what]) = self.0.pop() {
            let _ = Command::new(command).args([&option, &what]).status();
        }
    }
}

fn run(words: &[&str]) -> Result<String, Failure> {
    let done = Command::new(words[0]).args(&words[1..]).output()?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned()),
        false => Err(format!("{}: {}", words.join(" "), String::from_utf8_lossy(&done.stderr).trim()).into()),
    }
}

/// Where things are.
struct Places {
    disks: String,
    mount: String,
    journal: PathBuf,
}

fn campaign(diskspd: &Path, cuts: usize, seed: u64, block: &str, atomic: bool) -> Result<Found, Failure> {
    let directory = tempfile::tempdir_in("/var/tmp")?;
    let place = |name: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir(&path)?;
        Ok::<String, std::io::Error>(path.display().to_string())
    };
    let journal = directory.path().join("journal");
    let places = Places { disks: place("disks")?, mount: place("mount")?, journal };
    let disk = Arc::new(Mutex::new(Disk::new(SIZE, places.journal.clone())));
    let lock = || disk.lock().unwrap_or_else(PoisonError::into_inner);
    server::serve(Path::new(&places.disks), Arc::clone(&disk))?;
    let mut stage = Stage::default();
    stage.undo("umount", "-l", &places.disks);
    let begin = record(diskspd, &places, block, atomic, &lock)?;
    let mut found = Found { events: lock().show_cuts(begin), ..Found::default() };
    let mut random = Random(seed);
    let mut moments: Vec<usize> = (0..cuts).map(|_| random.below(found.events)).collect();
    moments.sort_unstable();
    for (number, at) in moments.into_iter().enumerate() {
        let bytes = lock().cut(at, |limit| random.below(limit));
        judge(diskspd, &places, number + 1, bytes, &mut found)?;
    }
    Ok(found)
}

/// Makes the file system and its file, and records a run on it.
fn record<'a>(
    diskspd: &Path,
    places: &Places,
    block: &str,
    atomic: bool,
    lock: &impl Fn() -> std::sync::MutexGuard<'a, Disk>,
) -> Result<Vec<u8>, Failure> {
    let mut stage = Stage::default();
    let device = run(&["losetup", "--find", "--show", &format!("{}/0", places.disks)])?;
    stage.undo("losetup", "-d", &device);
    run(&["mkfs.xfs", "-q", "-f", "-K", "-m", "reflink=1", &device])?;
    run(&["mount", &device, &places.mount])?;
    stage.undo("umount", "--", &places.mount);
    let target = format!("{}/target", places.mount);
    let ours = diskspd.display().to_string();
    run(&[&ours, "-c8M", "-b64K", "-w100", "-Su", "-d1", "-W0", &target])?;
    run(&["sync", "-f", &target])?;
    let begin = lock().record();
    let journal = places.journal.display().to_string();
    let size = format!("-b{block}");
    let mut words =
        vec![&*ours, &size, "-r", "-w100", "-o8", "-Sh", "-W0", "-d3", "--verify", "--journal", &journal];
    words.extend(atomic.then_some("--atomic"));
    words.push(&target);
    run(&words)?;
    Ok(begin)
}

/// Mounts what a cut has left, and has it judged by what the journal said then.
fn judge(
    diskspd: &Path,
    places: &Places,
    number: usize,
    bytes: u64,
    found: &mut Found,
) -> Result<(), Failure> {
    let mut stage = Stage::default();
    let device = run(&["losetup", "--find", "--show", &format!("{}/{number}", places.disks)])?;
    stage.undo("losetup", "-d", &device);
    run(&["mount", &device, &places.mount])?;
    stage.undo("umount", "--", &places.mount);
    let whole = std::fs::read(&places.journal)?;
    let said = places.journal.with_extension("cut");
    std::fs::write(&said, &whole[..whole.len().min(bytes as usize)])?;
    let target = format!("{}/target", places.mount);
    let done = Command::new(diskspd).arg("verify-after").arg(&said).arg(&target).arg("--atomic").output()?;
    let text = String::from_utf8_lossy(&done.stdout);
    let behind = |what: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(what))?;
        Some(line.trim().to_owned())
    };
    let first = |text: String| text.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    match done.status.code() {
        // The journal is too short yet, or holds no acknowledgement.
        Some(1 | 2) => return Ok(()),
        Some(0 | 4) => {}
        _ => return Err(format!("verify-after: {}", String::from_utf8_lossy(&done.stderr)).into()),
    }
    found.judged += 1;
    found.verified += behind("verified:").and_then(first).unwrap_or(0);
    let failed = behind("failed:").filter(|failed| failed != "none");
    let kinds = failed.as_ref().and_then(|failed| failed.split_once(": ")).map_or("", |(_, kinds)| kinds);
    for kind in kinds.split(", ").filter(|kind| !kind.is_empty()) {
        match kind.split_once(' ') {
            Some((sectors, "not atomic")) => {
                found.torn_cuts += 1;
                found.torn_sectors += sectors.parse::<u64>()?;
            }
            _ => {
                found.damaged += 1;
                println!("cut {number}: {kind}");
            }
        }
    }
    Ok(())
}

/// Numbers that are the same for a seed (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % limit.max(1) as u64) as usize
    }
}
