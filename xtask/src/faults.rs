//! `cargo xtask faults`: a run ends in order after any failure. It ends in time, with a message and the
//! right exit code, without leftovers, and with earlier results intact or replaced by new ones.

mod bench;
mod commands;
mod ended;
mod kills;
mod matrix;
mod races;
mod real_time;
mod servers;
mod signals;
mod verdict;

use crate::harness::{Arguments, Failure, is_installed};
pub use bench::{Bench, Tally};
use std::time::Instant;

type Part = fn(&Bench) -> Result<Tally, Failure>;

const PARTS: &[(&str, Part)] = &[
    ("outputs", matrix::outputs),
    ("commands", commands::commands),
    ("kills", kills::kills),
    ("servers", servers::servers),
    ("races", races::races),
    ("real-time", real_time::real_time),
    ("limits", matrix::limits),
    ("signals", signals::signals),
    ("calls", matrix::calls),
];

/// Runs the matrix, prints what surprised, and fails when something did.
pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let program = arguments.program()?;
    let seconds: u64 = arguments.number("--seconds", 600)?;
    let occurrences = arguments.number("--occurrences", 100)?;
    let kills = arguments.number("--kills", 300)?;
    let rounds = arguments.number("--rounds", 10)?;
    let routes = arguments.value("--routes")?.unwrap_or_default();
    let parts = arguments.parts("--only", PARTS, |(name, _)| name)?;
    arguments.finish()?;
    let bench = Bench {
        program: program.canonicalize()?,
        place: tempfile::Builder::new().prefix("diskspd-faults-").tempdir_in("/var/tmp")?,
        occurrences,
        kills,
        rounds,
        routes,
        until: Instant::now() + std::time::Duration::from_secs(seconds),
    };
    let mut all = Tally::default();
    for (name, run) in parts {
        if *name == "calls" && !is_installed("strace") {
            println!("calls: left out, there is no strace");
            continue;
        }
        let tally = run(&bench)?;
        println!("{name}: {tally}");
        all.add(tally);
    }
    for surprise in &all.surprises {
        println!("{surprise}");
    }
    println!("{all}");
    if all.surprises.is_empty() { Ok(()) } else { Err("there were surprises".into()) }
}
