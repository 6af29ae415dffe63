//! `cargo xtask faults`: whatever fails, a run ends in order: in time, with a message and the right exit code, with nothing
//! left over, and with earlier results intact or replaced by new ones.

mod commands;
mod kills;
mod matrix;
mod real_time;
mod servers;
mod verdict;

use crate::Failure;
use crate::arguments::Arguments;
use crate::program;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// What is tried, and where.
pub struct Bench {
    /// The program under test.
    pub program: PathBuf,
    /// Holds the target and the outputs; made anew for each attempt.
    pub place: tempfile::TempDir,
    /// Occurrences of a system call that fail, each once.
    pub occurrences: usize,
    /// How many commands are killed.
    pub kills: usize,
    /// No more attempts after that.
    pub until: Instant,
}

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

/// What came of attempts.
#[derive(Default)]
pub struct Tally {
    /// How many there were.
    pub attempts: usize,
    /// In so many of them the fault happened.
    pub met: usize,
    /// What was not as it should be.
    pub surprises: Vec<String>,
}

impl Tally {
    /// Adds an attempt in which something is wrong.
    pub fn surprise(&mut self, name: &str, wrong: &[String], ended: &verdict::Ended) {
        if !wrong.is_empty() {
            self.surprises.push(format!("{name}: {}: {}", wrong.join(", "), ended.words()));
        }
    }

    /// Adds those of another part.
    pub fn add(&mut self, other: Tally) {
        self.attempts += other.attempts;
        self.met += other.met;
        self.surprises.extend(other.surprises);
    }
}
