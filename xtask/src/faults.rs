//! `cargo xtask faults`: whatever fails, a run ends in order: in time, with a message and the right exit
//! code, with nothing left over, and with earlier results intact or replaced by new ones.

mod bench;
mod commands;
mod ended;
mod kills;
mod matrix;
mod real_time;
mod servers;
mod verdict;

use crate::Failure;
use crate::arguments::Arguments;
use crate::program;
pub use bench::{Bench, Tally};
use std::process::Command;
use std::time::Instant;

/// A part of the matrix.
type Part = fn(&Bench) -> Result<Tally, Failure>;

/// Runs the matrix, prints what surprised, and fails when something did.
pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let program = program::path(arguments.value("--ours")?)?;
    let seconds: u64 = arguments.number("--seconds", 600)?;
    let occurrences = arguments.number("--occurrences", 100)?;
    let kills = arguments.number("--kills", 300)?;
    let only = arguments.value("--only")?;
    arguments.finish()?;
    let bench = Bench {
        program: program.canonicalize()?,
        place: tempfile::Builder::new().prefix("diskspd-faults-").tempdir_in("/var/tmp")?,
        occurrences,
        kills,
        until: Instant::now() + std::time::Duration::from_secs(seconds),
    };
    let parts: [(&str, Part); 8] = [
        ("outputs", matrix::outputs),
        ("commands", commands::commands),
        ("kills", kills::kills),
        ("servers", servers::servers),
        ("real-time", real_time::real_time),
        ("limits", matrix::limits),
        ("signals", matrix::signals),
        ("calls", matrix::calls),
    ];
    let mut all = Tally::default();
    for (name, run) in parts.iter().filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name)) {
        if *name == "calls" && Command::new("strace").arg("-V").output().is_err() {
            println!("calls: left out, there is no strace");
            continue;
        }
        let tally = run(&bench)?;
        println!(
            "{name}: {} attempts, {} of them met, {} surprises",
            tally.attempts,
            tally.met,
            tally.surprises.len()
        );
        all.add(tally);
    }
    for surprise in &all.surprises {
        println!("{surprise}");
    }
    println!("{} attempts, {} met, {} surprises", all.attempts, all.met, all.surprises.len());
    if all.surprises.is_empty() { Ok(()) } else { Err("there were surprises".into()) }
}
