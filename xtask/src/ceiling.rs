//! Performance limits of this machine: the worker loop on `null`, a ring of no-operations, files in the
//! page cache, and single parts of the loop. They run alternately in rounds, and medians are printed.

mod part;
mod parts;

use crate::harness::{Arguments, Failure, machine, program, statistics::median, table};
use diskspd::host;
use diskspd::machine::System;
use diskspd::run::Options;
use diskspd::run::exact_loop::{Cost, Time, run_exactly};
use diskspd::run::prepare::{FileOrder, prepare};
use diskspd::sys::usage::ThreadUsage;
use part::Part;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const ROUND: u64 = 100_000_000;
const FILE: u64 = 64 << 20;

pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let (rounds, markdown) = (arguments.number("--rounds", 9)?, arguments.flag("--markdown"));
    arguments.finish()?;
    let system = host::snapshot();
    let directory = tempfile::tempdir_in("/var/tmp")?;
    let file = directory.path().join("ceiling.dat");
    let order = FileOrder { path: &file, size: FILE, zero: false, recreate: false };
    prepare(&order, &mut |_, _| (), &AtomicBool::new(false))?;
    // Into the page cache.
    std::fs::read(&file)?;

    let mut parts = Vec::new();
    for options in ["-o1 -r", "-o1 -r -L", "-o1 -r -L -D", "-o32 -r", "-o32 -r -L", "-o32 -r -L -D"] {
        let line = format!("-c64G --engine null {options}");
        parts.push(worker(format!("loop on null, {options}"), &line, Path::new("target"), &system)?);
    }
    for options in [
        "--engine sync -o1 -r",
        "--engine mmap -Sm -o1 -r",
        "--engine uring -o1 -r",
        "--engine uring -o32 -r",
        "--engine uring -o32 -r -L",
        "--engine uring -o128 -r",
        "--engine aio -o32 -r",
    ] {
        match worker(format!("page cache, {options}"), options, &file, &system) {
            Ok(part) => parts.push(part),
            Err(why) => eprintln!("skipped: {why}"),
        }
    }
    parts.extend(parts::all());
    measure(&mut parts, rounds, markdown)
}

/// Returns the worker loop with a command line.
fn worker<'a>(name: String, options: &str, target: &Path, system: &'a System) -> Result<Part<'a>, Failure> {
    let line = format!("-b4K -n -W0 -d3600 {options} {}", target.display());
    let request = program::request(&line)?;
    let options = Options::from(request.run_options.clone());
    let work = move |ios| Ok(run_exactly(&request.profile, system, &options, ios, Time::Real)?);
    // Whether it works at all.
    work(1).map_err(|why: Failure| format!("{name}: {why}"))?;
    Ok(Part { name, work: Box::new(work) })
}

fn measure(parts: &mut [Part], rounds: u32, markdown: bool) -> Result<(), Failure> {
    let mut costs: Vec<Vec<Cost>> = parts.iter().map(|_| Vec::new()).collect();
    let mut ios: Vec<u64> = Vec::new();
    for part in parts.iter_mut() {
        let tried = (part.work)(20_000)?;
        ios.push((ROUND * tried.ios / tried.elapsed.max(1)).max(1000));
    }
    for round in 0..rounds as usize {
        for turn in 0..parts.len() {
            // Another one begins each round: none always follows the same neighbour's cache and clock rate.
            let index = (turn + round) % parts.len();
            costs[index].push((parts[index].work)(ios[index])?);
        }
    }
    machine::print(markdown);
    let rows: Vec<Vec<String>> =
        parts.iter().zip(&costs).map(|(part, costs)| row(&part.name, costs)).collect();
    table::print(&["part", "ns per I/O", "best", "user ns", "system ns"], &rows, markdown);
    Ok(())
}

fn row(name: &str, costs: &[Cost]) -> Vec<String> {
    let each = |cost: &Cost| cost.elapsed as f64 / cost.ios as f64;
    let ios: u64 = costs.iter().map(|cost| cost.ios).sum();
    let share = |time: fn(&ThreadUsage) -> Duration| {
        let all: Duration = costs.iter().map(|cost| time(&cost.cpu)).sum();
        (ios > 0).then(|| all.as_nanos() as f64 / ios as f64)
    };
    vec![
        name.to_owned(),
        table::number(median(costs.iter().map(each)), 1),
        table::number(costs.iter().map(each).reduce(f64::min), 1),
        table::number(share(|cpu| cpu.user), 1),
        table::number(share(|cpu| cpu.system), 1),
    ]
}
