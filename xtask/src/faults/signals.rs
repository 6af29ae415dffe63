//! Signals at several times in every phase of commands: create, prefill, warm-up, measurement, cool-down,
//! points of a sweep, orders of a comparison, suites, preconditioning, the history, judged programs, reading
//! back and merging.
//!
//! Each end follows the rule of `docs/reference/features.md`: runs end with a report, a judged program gets
//! the signal, and every other command ends by the signal and prints it.

use super::commands::writing_lines::{PREPARING, words};
use super::ended::Ended;
use super::matrix::{REAL, SIMULATED};
use super::{Bench, Tally};
use crate::harness::Failure;
use rustix::process::Signal;
use std::fs;
use std::io;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// `{}` is the place of the attempt; `work` in it has the files of `PREPARING`.
const PHASES: &[&str] = &[
    "-c256M -b64K -w100 -W0 -d1 --out {}/run.json {}/new.dat",
    "-b4K -o4 -W1 -C1 -d1 -L --out {}/run.json {}/target.dat",
    "--repeat 3 -b4K -W0 -d1 {}/target.dat",
    "--save -b4K -W0 -d1 --out {}/run.json {}/target.dat",
    "sweep -o1..2 --json {}/run.json -b4K -W0 -d1 {}/target.dat",
    "compare --repeat 1 --json {}/run.json -- -o1 -b4K -W0 -d1 {}/target.dat \
     :: -o2 -b4K -W0 -d1 {}/target.dat",
    "suite fleet-peak {}/target.dat --repeat 1 -- -W0 -d1",
    "precondition {}/target.dat --standard custom --round 1 --rounds 5 --out {}/run.json -- -b4K -w100 -W0",
    "judge --out json:{}/run.json -- dd if={}/target.dat of=/dev/null bs=512",
    "judge --out json:{}/run.json -- sleep 2",
    "verify-after {}/files/journal",
    "merge {}/files/a.json {}/files/b.json --out json:{}/run.json",
    "report {}/files/a.json --html {}/out",
    "compare {}/files/a.json {}/files/b.json --json {}/run.json",
    "convert {}/files/a.json",
    "trace --from {}/files/log.csv --out {}/run.txt",
    "doctor {}/target.dat",
    "history import {}/files/a.json",
    "history list --store {}/files/store",
    "baseline check b --store {}/files/store --against {}/files/b.json",
];

/// Signals to the program in this order. A stopped program continues in the end.
const SIGNALS: &[&[&str]] = &[
    &["INT"],
    &["TERM"],
    &["HUP"],
    &["QUIT"],
    &["PIPE"],
    &["XFSZ"],
    &["INT", "INT"],
    &["TSTP", "CONT"],
    &["TSTP", "TERM", "CONT"],
];
const AFTER_MS: [u64; 5] = [5, 50, 200, 600, 1000];
/// Number of parallel attempts, which mostly wait.
const WORKERS: usize = 4;
/// Attempts between two progress lines.
const PROGRESS_ATTEMPTS: usize = 100;
/// Maximum start time of a program on a busy machine.
const MAX_START: Duration = Duration::from_secs(60);
/// `SIGQUIT` in the masks of `/proc/PID/status`; its handler is installed last.
const QUIT_BIT: u64 = 1 << 2;
/// Offset of the exit code for a program ended by a signal.
const SHELL_CODE_OF_SIGNAL: i32 = 128;
/// Faults that are independent of the end.
const LASTING: [&str; 3] = ["is not removed", "neither intact nor replaced", "a panic"];
const BETWEEN: Duration = Duration::from_millis(30);

/// Line, its signals, and the time of the first one.
type Attempt = (u64, &'static str, &'static [&'static str]);

/// Sends each signal at each time in each line.
pub fn signals(bench: &Bench) -> Result<Tally, Failure> {
    let lines = || PHASES.iter().chain(REAL).chain(SIMULATED);
    let each = |after: u64| {
        lines().flat_map(move |line| SIGNALS.iter().map(move |signals| (after, *line, *signals)))
    };
    let attempts: Vec<Attempt> = AFTER_MS.into_iter().flat_map(each).collect();
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let work = || -> io::Result<()> {
        let place = SignalPlace::new(bench).map_err(|error| io::Error::other(error.to_string()))?;
        while Instant::now() < bench.until
            && let Some(attempt) = attempts.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let one = place.attempt(*attempt).map_err(|error| io::Error::other(error.to_string()))?;
            one.surprises.iter().for_each(|surprise| println!("  {surprise}"));
            let mut all = tally.lock().map_err(|_| io::Error::other("a worker failed"))?;
            all.add(one);
            if all.attempts.is_multiple_of(PROGRESS_ATTEMPTS) {
                println!("  {all}");
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| io::Error::other("a worker failed"))?)
    })?;
    Ok(tally.into_inner().map_err(|_| "a worker failed")?)
}

/// Files of a worker.
struct SignalPlace(Bench);

impl SignalPlace {
    fn new(limits: &Bench) -> Result<SignalPlace, Failure> {
        let place = tempfile::Builder::new().prefix("diskspd-signals-").tempdir_in("/var/tmp")?;
        let bench = Bench { program: limits.program.clone(), routes: String::new(), place, ..*limits };
        bench.fresh()?;
        let work = bench.at("files");
        fs::create_dir(&work)?;
        fs::write(work.join("t.dat"), vec![7; 1 << 20])?;
        for line in PREPARING {
            let ended = Command::new(&bench.program).args(words(line, "")).current_dir(&work).output()?;
            if !ended.status.success() {
                return Err(format!("{line}: {}", String::from_utf8_lossy(&ended.stderr)).into());
            }
        }
        Ok(SignalPlace(bench))
    }

    fn attempt(&self, (after, line, signals): Attempt) -> Result<Tally, Failure> {
        let bench = &self.0;
        bench.fresh_outputs()?;
        let mut command = Command::new(&bench.program);
        command.args(bench.words(line)).current_dir(bench.at("files"));
        let name = format!("{signals:?} after {after} ms: {line}");
        // The first time also before the handlers are there.
        let is_early = after == AFTER_MS[0];
        let mut one = Tally::default();
        let ended = bench.attempt(&name, &mut command, &mut one, |process| {
            if !is_early {
                wait_for_handlers(process);
            }
            std::thread::sleep(Duration::from_millis(after));
            send_signals(process, signals);
        })?;
        if follows_rule(line, signals, &ended, is_early) {
            one.surprises.retain(|surprise| LASTING.iter().any(|wrong| surprise.contains(wrong)));
        }
        Ok(Tally { met: 1, ..one })
    }
}

/// Whether the rule permits this end, other than success or an error with a message.
fn follows_rule(line: &str, signals: &[&str], ended: &Ended, is_early: bool) -> bool {
    let is_sent = |number: i32| {
        signals.iter().find(|name| Signal::from_named_raw(number) == named_signal(name)).copied()
    };
    // As every program at its start.
    let is_default = is_early && ended.signal.is_some();
    // The second signal does not wait for the message.
    let is_repeated = signals.iter().filter(|name| named_signal(name).is_some()).count() > 1;
    let is_printed = |name: &str| is_repeated || ended.said.contains(&format!("ended by SIG{name}"));
    let by_signal = is_default || ended.signal.and_then(is_sent).is_some_and(is_printed);
    let is_forwarded = || {
        let signal = ended.code.and_then(|code| code.checked_sub(SHELL_CODE_OF_SIGNAL));
        line.starts_with("judge") && signal.and_then(is_sent).is_some()
    };
    // An unsteady device, and a warning about the machine.
    let has_answer = ["precondition", "doctor"].iter().any(|command| line.starts_with(command));
    by_signal || is_forwarded() || has_answer && ended.code == Some(2)
}

fn named_signal(name: &str) -> Option<Signal> {
    match name {
        "INT" => Some(Signal::INT),
        "TERM" => Some(Signal::TERM),
        "HUP" => Some(Signal::HUP),
        "QUIT" => Some(Signal::QUIT),
        _ => None,
    }
}

fn send_signals(process: u32, signals: &[&str]) {
    for signal in signals {
        let _ = Command::new("kill").args([&format!("-{signal}"), &process.to_string()]).output();
        std::thread::sleep(BETWEEN);
    }
}

/// Waits for the signal handlers of a program, of which its parent process has none.
fn wait_for_handlers(process: u32) {
    let read = |path: String| fs::read_to_string(path).unwrap_or_default();
    let begin = Instant::now();
    while begin.elapsed() < MAX_START {
        let child = read(format!("/proc/{process}/task/{process}/children"));
        let status = read(format!("/proc/{}/status", child.trim()));
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
        let is_over = read(format!("/proc/{process}/stat")).contains(") Z");
        if is_over || caught & QUIT_BIT != 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
