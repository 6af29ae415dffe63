//! Hanging servers: a file system with an unresponsive FUSE process under outputs, the history, journals,
//! inputs, and targets. Every program ends in bounded time with the reason.

use super::commands::writing_lines::{OUTPUTS, PREPARING, words};
use super::ended::Ended;
use super::{Bench, Tally};
use crate::harness::Failure;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const TOUCHING: &[&str] = &[
    "--save --store {}/store RUN",
    "-b4K -o4 -w50 -W0 -d1 {}/t.dat",
    "-b4K -c4M -w100 -W0 -d1 {}/new.dat",
    "--replay {}/log.csv --engine sim t.dat",
    "history list --store {}/store",
    "history tag a x --store {}/store",
    "history import {}/a.json --store store",
    "report {}/a.json",
    "rerun {}/a.json",
    "compare {}/a.json b.json",
    "merge {}/a.json b.json",
    "verify-after {}/journal",
    "trace --from {}/log.csv",
    "sweep -o1..2 --dir {}/sweep SIM",
    "sweep -o1..2 -b4K -W0 -d1 {}/t.dat",
    "precondition {}/t.dat --standard custom --round 1 -- -b4K -w100 -W0 -d1",
];

/// Runs in whose midst the server stops.
const RUNS: &[&str] = &[
    "-b4K -o4 -r -W0 -d600 --out {}/run.json t.dat",
    "-b4K -o4 -r -W0 -d600 --stream {}/stream.jsonl t.dat",
    "-b4K -o4 -r -W0 -d600 --io-log {}/new.csv t.dat",
    "-b4K -o4 -r -W0 -d600 --save --store {}/store t.dat",
    "-b4K -o4 -r -w100 -Sw -W0 -d600 --verify --journal {}/new.journal t.dat",
    "-b4K -o4 -r -w50 -W0 -d600 {}/t.dat",
    "-b4K -o4 -r -w50 -W0 -d600 --engine sync -t2 {}/t.dat",
    "-b4K -o4 -r -w50 -W0 -d600 --engine aio {}/t.dat",
    "-b4K -r -w50 -W0 -d600 -Sm {}/t.dat",
];

const PATIENT: &[&str] = &[
    "--out {}/run.json RUN",
    "compare a.json b.json --json {}/compared.json",
    "-b4K -o4 -w50 -W0 -d1 {}/t.dat",
    "history list --store {}/store",
];

/// Maximum time after two interruptions.
const SOON: Duration = Duration::from_secs(20);
const LATE: Duration = Duration::from_secs(120);

pub fn servers(bench: &Bench) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    bench.fresh()?;
    let work = bench.at("work");
    fs::create_dir(&work)?;
    let Some(server) = Server::new()? else {
        println!("servers: left out, there is no bindfs, or this machine cannot serve files (/dev/fuse)");
        return Ok(tally);
    };
    fs::write(work.join("t.dat"), vec![7; 1 << 20])?;
    for line in PREPARING {
        let mut command = Command::new(&bench.program);
        let ended = command.args(words(line, "")).current_dir(&work).output()?;
        if !ended.status.success() {
            return Err(format!("{line}: {}", String::from_utf8_lossy(&ended.stderr)).into());
        }
    }
    let copied = Command::new("cp").arg("-a").arg(work.join(".")).arg(&server.mounted).status()?;
    if !copied.success() {
        return Err("the served folder cannot be filled".into());
    }
    let (stopped, running) = (Duration::ZERO, Duration::from_millis(900));
    let outputs = OUTPUTS.iter().map(|(_, _, line)| (line.replace("{}", "{}/file"), stopped));
    let touching = TOUCHING.iter().map(|line| ((*line).to_owned(), stopped));
    let runs = RUNS.iter().map(|line| ((*line).to_owned(), running));
    for (line, after) in outputs.chain(touching).chain(runs) {
        if Instant::now() >= bench.until {
            return Ok(tally);
        }
        server.attempt(bench, &line, after, true, &mut tally)?;
    }
    for line in PATIENT {
        if Instant::now() + LATE >= bench.until {
            return Ok(tally);
        }
        server.attempt(bench, line, stopped, false, &mut tally)?;
    }
    Ok(tally)
}

/// Folder served by a process.
struct Server {
    process: Child,
    _folder: tempfile::TempDir,
    mounted: PathBuf,
}

impl Server {
    fn new() -> Result<Option<Server>, Failure> {
        let folder = tempfile::Builder::new().prefix("diskspd-served-").tempdir_in("/var/tmp")?;
        let (behind, mounted) = (folder.path().join("behind"), folder.path().join("mounted"));
        fs::create_dir(&behind)?;
        fs::create_dir(&mounted)?;
        let mut command = Command::new("bindfs");
        command.arg("-f").args([&behind, &mounted]).stdin(Stdio::null()).stderr(Stdio::null());
        let Ok(mut process) = command.spawn() else { return Ok(None) };
        let begin = Instant::now();
        loop {
            if fs::read_to_string("/proc/mounts")?.contains(&*mounted.to_string_lossy()) {
                return Ok(Some(Server { process, _folder: folder, mounted }));
            }
            if process.try_wait()?.is_some() || begin.elapsed() > Duration::from_secs(10) {
                let _ = process.kill();
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn signal(&self, signal: Signal) {
        send(self.process.id(), signal);
    }

    /// Stops the server at a time after the start of the program; with a user, also interrupts the program.
    fn attempt(
        &self,
        bench: &Bench,
        line: &str,
        stops_after: Duration,
        is_interrupted: bool,
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        let _ = fs::remove_dir_all(self.mounted.join("sweep"));
        if stops_after.is_zero() {
            self.signal(Signal::STOP);
        }
        let mut command = Command::new(&bench.program);
        command.args(words(line, &self.mounted.to_string_lossy())).current_dir(bench.at("work"));
        let bound = if is_interrupted { SOON } else { LATE };
        let act = |process: u32| {
            if !stops_after.is_zero() {
                std::thread::sleep(stops_after);
                self.signal(Signal::STOP);
            }
            if is_interrupted {
                for pause in [800, 300] {
                    std::thread::sleep(Duration::from_millis(pause));
                    send(process, Signal::INT);
                }
            }
        };
        let ended = bench.carry_out(&mut command, bound, act, || self.signal(Signal::CONT))?;
        self.signal(Signal::CONT);
        tally.attempts += 1;
        tally.met += 1;
        let mut wrong = bench.wrong(&ended);
        // What has nothing to lose leaves Ctrl-C to the kernel.
        if is_interrupted && ended.signal == Some(2) {
            wrong.clear();
        } else if !names_reason(&ended) {
            wrong.push("it does not report that the storage is not responding".to_owned());
        }
        let user = if is_interrupted { "Ctrl-C twice" } else { "no interruption" };
        tally.surprise(&format!("server stopped, {user}: {line}"), &wrong, &ended);
        Ok(())
    }
}

fn names_reason(ended: &Ended) -> bool {
    let said = ended.said.to_lowercase();
    ["responding", "interrupted", "hangs", "have not completed", "abandoned"]
        .iter()
        .any(|word| said.contains(word))
}

fn send(process: u32, signal: Signal) {
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // It may have ended.
        let _ = kill_process(process, signal);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.signal(Signal::CONT);
        let _ = Command::new("umount").arg("-l").arg(&self.mounted).status();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
