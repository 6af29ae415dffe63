//! What is told of what was found: with `--quiet` errors, and what makes figures other than they seem to be;
//! by commands that make several runs each thing once.

use crate::finding::{Finding, Severity};
use crate::sys::standard_error::say;

pub fn is_told(severity: Severity, quiet: bool) -> bool {
    !quiet || severity >= Severity::Wrong
}

pub fn tell(finding: &Finding, quiet: bool) {
    if is_told(finding.severity, quiet) {
        say(finding);
    }
}

/// What several runs have said: what they have in common is told once.
#[derive(Debug, Default)]
pub struct ToldOnce(Vec<String>);

impl ToldOnce {
    /// As [`tell`], unless it has been told. Notes stand without a word before them.
    pub fn tell(&mut self, finding: &Finding, quiet: bool) {
        if !is_told(finding.severity, quiet) || self.0.contains(&finding.message) {
            return;
        }
        self.0.push(finding.message.clone());
        match finding.severity {
            Severity::Note => say(&finding.message),
            _ => say(finding),
        }
    }
}
