//! What runs with faults are made with, and how many passed.

use super::ended::Ended;
use std::fmt;
use std::path::PathBuf;
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

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} attempts, {} met, {} surprises", self.attempts, self.met, self.surprises.len())
    }
}

impl Tally {
    /// Adds an attempt in which something is wrong.
    pub fn surprise(&mut self, name: &str, wrong: &[String], ended: &Ended) {
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
