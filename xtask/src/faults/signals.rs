//! Signals at several times in every phase of commands: create, prefill, warm-up, measurement, cool-down,
//! points of a sweep, orders of a comparison, suites, preconditioning, the history, judged programs, reading
//! back and merging.

use super::commands::writing_lines::{PREPARING, words};
use super::matrix::{REAL, SIMULATED};
use super::{Bench, Tally};
use crate::harness::Failure;
use std::fs;
use std::process::Command;
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
    "history import {}/files/a.json",
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
const BETWEEN: Duration = Duration::from_millis(30);

/// Each signal at each time in each line.
pub fn signals(bench: &Bench) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
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
    for (number, after) in AFTER_MS.iter().enumerate() {
        for line in PHASES.iter().chain(REAL).chain(SIMULATED) {
            for signals in SIGNALS {
                if Instant::now() >= bench.until {
                    return Ok(tally);
                }
                bench.fresh_outputs()?;
                let mut command = Command::new(&bench.program);
                command.args(bench.words(line)).current_dir(&work);
                let name = format!("{signals:?} after {after} ms: {line}");
                // The first time also before the handlers are there.
                let is_early = number == 0;
                let mut one = Tally::default();
                let ended = bench.attempt(&name, &mut command, &mut one, |process| {
                    if !is_early {
                        wait_for_handlers(process);
                    }
                    std::thread::sleep(Duration::from_millis(*after));
                    send_signals(process, signals);
                })?;
                // As every program at its start; and a device may be unsteady.
                let is_expected = is_early && ended.signal.is_some()
                    || line.starts_with("precondition") && ended.code == Some(2);
                if is_expected {
                    one.surprises.retain(|surprise| surprise.contains("is not removed"));
                }
                tally.add(Tally { met: 1, ..one });
            }
        }
    }
    Ok(tally)
}

fn send_signals(process: u32, signals: &[&str]) {
    for signal in signals {
        let _ = Command::new("kill").args([&format!("-{signal}"), &process.to_string()]).output();
        std::thread::sleep(BETWEEN);
    }
}

/// Until then a signal ends a program as it ends every program.
fn wait_for_handlers(process: u32) {
    let status = format!("/proc/{process}/status");
    let caught = |text: String| {
        let bits =
            text.lines().find_map(|line| line.strip_prefix("SigCgt:").map(|bits| bits.trim().to_owned()));
        bits.and_then(|bits| u64::from_str_radix(&bits, 16).ok()).is_some_and(|bits| bits & 1 << 14 != 0)
    };
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(5) && !fs::read_to_string(&status).is_ok_and(caught) {
        std::thread::sleep(Duration::from_millis(1));
    }
}
