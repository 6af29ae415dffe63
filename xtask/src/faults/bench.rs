//! Tools for runs with faults, and the number of passed ones.

use super::ended::Ended;
use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

pub struct Bench {
    pub program: PathBuf,
    pub place: tempfile::TempDir,
    pub occurrences: usize,
    pub kills: usize,
    pub rounds: usize,
    /// Texts, separated by commas; a selected route of the races contains one of them.
    pub routes: String,
    /// End of the time for attempts.
    pub until: Instant,
}

#[derive(Default)]
pub struct Tally {
    pub attempts: usize,
    pub met: usize,
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

    pub fn add(&mut self, other: Tally) {
        self.attempts += other.attempts;
        self.met += other.met;
        self.surprises.extend(other.surprises);
    }
}
