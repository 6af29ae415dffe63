//! Real-time priorities: workers that never sleep block their CPUs for threads without a higher priority,
//! but still end, automatically and at Ctrl-C.
//!
//! A watchdog of the only higher class (`SCHED_DEADLINE`) ends hanging runs.

use super::{Bench, Tally};
use crate::harness::Failure;
use rustix::process::{Pid, Signal, kill_process};
use std::process::Command;
use std::time::{Duration, Instant};

const POLICIES: &[(&str, u32)] =
    &[("-f", 1), ("-f", 2), ("-f", 20), ("-f", 50), ("-f", 98), ("-f", 99), ("-r", 1), ("-r", 99)];
/// CPUs with fewer, equally many, and more workers.
const PLACES: &[(&str, u32)] = &[("0", 1), ("0", 2), ("0,1", 1), ("0,1", 2)];
const WORK: &[&str] = &["--engine null", "--engine sync -w30"];
const MAX_STALL_S: u64 = 12;
/// Time before Ctrl-C.
const INTERRUPTED: Duration = Duration::from_millis(700);

pub fn real_time(bench: &Bench) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    if !Command::new("chrt").args(["-f", "1", "true"]).status().is_ok_and(|status| status.success())
        || !watchdog().arg("true").status().is_ok_and(|status| status.success())
    {
        println!("real-time: left out, it takes chrt and root (CAP_SYS_NICE)");
        return Ok(tally);
    }
    let cpus = std::thread::available_parallelism()?.get();
    let places: Vec<_> = PLACES.iter().filter(|(cpu, _)| *cpu == "0" || cpus > 1).collect();
    // Every place with every policy, twice; what the workers do goes by turns.
    for number in 0..places.len() * POLICIES.len() * 2 {
        if Instant::now() >= bench.until {
            break;
        }
        let (cpu, workers) = places[number / 2 % places.len()];
        let (policy, priority) = POLICIES[number / 2 / places.len()];
        let work = WORK[(number / 2 + number / 2 / places.len()) % WORK.len()];
        let is_interrupted = number % 2 == 1;
        let (seconds, user) = if is_interrupted { (600, ", Ctrl-C") } else { (1, "") };
        let line = format!("-c1M -b4K -r -o4 -t{workers} -W0 -d{seconds} {work} {{}}/target.dat");
        let name = format!("chrt {policy} {priority} on CPU {cpu}{user}: {line}");
        bench.fresh()?;
        let mut command = watchdog();
        command.args(["taskset", "-c", cpu, "chrt", policy, &priority.to_string()]);
        command.arg(&bench.program).args(bench.words(&line));
        bench.attempt(&name, &mut command, &mut tally, |process| {
            if is_interrupted {
                std::thread::sleep(INTERRUPTED);
                // The watchdog hands it on.
                let process = i32::try_from(process).ok().and_then(Pid::from_raw);
                let _ = process.map(|process| kill_process(process, Signal::INT));
            }
        })?;
        tally.met += 1;
    }
    Ok(tally)
}

fn watchdog() -> Command {
    let mut command = Command::new("chrt");
    command.args(["-R", "-d", "--sched-runtime", "10000000", "--sched-deadline", "100000000"]);
    command.args(["--sched-period", "100000000", "0", "timeout", "-s", "KILL", &MAX_STALL_S.to_string()]);
    command
}
