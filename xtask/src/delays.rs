//! Delays of known time and place in runs with `--explain`, and whether each is attributed to its cause.
//!
//! ```text
//! run on a Scene ──a delay begins, ends (kinds)──▶ record ──its slowest I/Os (blame)──▶ counts
//! ```

mod blame;
mod kinds;
mod scene;
mod spin;

use crate::harness::{Arguments, Failure, apart, table::print};
use blame::{Blame, StagedDelay, blames};
use diskspd::formats::json;
use diskspd::results::Record;
use kinds::{DelayKind, KINDS};
use scene::{Scene, signal};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const PAUSE_MS: u64 = 150;
/// Time before the first delay in ms, in which the measurement starts.
const BEFORE_MS: u64 = 1500;

struct Setting {
    count: u64,
    length: Duration,
    directory: PathBuf,
    diskspd: PathBuf,
}

pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    apart()?;
    let kinds = arguments.parts("--only", &KINDS, |kind| kind.name)?;
    let setting = Setting {
        count: arguments.number("--count", 15)?,
        length: Duration::from_millis(arguments.number("--length", 60)?),
        directory: arguments.directory()?,
        diskspd: arguments.program()?,
    };
    arguments.finish()?;
    let mut rows = Vec::new();
    let (mut staged, mut right, mut innocent) = (0, 0, 0);
    for kind in kinds {
        let blames = staged_in_a_run(kind, &setting)?;
        let count = |of: Blame| blames.iter().filter(|blame| **blame == of).count();
        staged += blames.len();
        right += count(Blame::Right);
        innocent += count(Blame::InnocentDevice);
        let counts =
            [Blame::Right, Blame::InnocentDevice, Blame::Other, Blame::Unknown, Blame::Unseen].map(count);
        let cells = std::iter::once(blames.len()).chain(counts).map(|count| count.to_string());
        rows.push(std::iter::once(kind.name.to_owned()).chain(cells).collect());
    }
    print(&["delay", "staged", "right", "device", "other", "unknown", "unseen"], &rows, false);
    println!("{right} of {staged} blamed on what made them, {innocent} on a device that is innocent");
    match right * 100 >= staged * 95 && innocent == 0 {
        true => Ok(()),
        false => Err("fewer than 95 % were blamed rightly, or a device was blamed that is innocent".into()),
    }
}

/// Performs one run, in which all delays of a kind are staged.
fn staged_in_a_run(kind: &DelayKind, setting: &Setting) -> Result<Vec<Blame>, Failure> {
    let mut scene = Scene::make(&setting.directory)?;
    scene.set_queue(&(kind.target)(&scene), kind.queue)?;
    let rival = kind.rival.map(|line| stopped_rival(line, &(kind.target)(&scene), setting)).transpose()?;
    scene.rival = rival.as_ref().map(|rival| rival.0.id());
    let kept = scene.path("run.json");
    let seconds = 2 + setting.count * (PAUSE_MS + setting.length.as_millis() as u64) / 1000 + 1;
    let (options, target) = (kind.options, (kind.target)(&scene));
    let line = format!("{options} -L -W1 -d{seconds} --explain=2000 --quiet --out");
    let mut command = Command::new("setpriv");
    command
        .args(["--pdeathsig", "KILL", "sh", "-c", &scene.enter(kind.is_in_groups)])
        .args(kind.before.split_whitespace())
        .arg(&setting.diskspd)
        .args(line.split(' '))
        .arg(&kept)
        .arg(target);
    let mut run = StagedRun(command.stdout(Stdio::null()).spawn()?);
    sleep(Duration::from_millis(1000 + BEFORE_MS));
    let mut delays = Vec::new();
    for _ in 0..setting.count {
        let began = wall_ns();
        (kind.stage)(&scene, worker_process(run.0.id()), setting.length)?;
        delays.push(StagedDelay { began_ns: began, ended_ns: wall_ns() });
        sleep(Duration::from_millis(PAUSE_MS));
    }
    if !run.0.wait()?.success() {
        return Err(format!("{}: the run failed", kind.name).into());
    }
    Ok(blames(&record(&kept)?, &delays, setting.length, kind))
}

/// Returns the working child of a started program.
fn worker_process(started: u32) -> u32 {
    let parent_of = |process: &u32| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.find(|process| parent_of(process) == Some(started)).unwrap_or(started)
}

/// Starts a program with I/O on the same target, stopped until it is continued.
fn stopped_rival(line: &str, target: &str, setting: &Setting) -> Result<StagedRun, Failure> {
    let line = line.replace("DISKSPD", &setting.diskspd.to_string_lossy());
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL"]).args(line.split(' ')).arg(target);
    let rival = StagedRun(command.stdout(Stdio::null()).spawn()?);
    // It has begun.
    sleep(Duration::from_millis(BEFORE_MS));
    signal("STOP", rival.0.id())?;
    Ok(rival)
}

struct StagedRun(Child);

impl Drop for StagedRun {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

fn wall_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

fn record(kept: &Path) -> Result<Record, Failure> {
    let read = json::read_from(BufReader::new(File::open(kept)?));
    read.map_err(|error| format!("{}: {error}", kept.display()).into())
}
