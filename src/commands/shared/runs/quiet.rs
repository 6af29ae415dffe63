//! Selection of printed findings: `--quiet` prints errors and misleading figures. Commands with several
//! runs print each finding once.

use crate::finding::{Finding, Severity};
use crate::sys::standard_error::say;

pub(crate) fn is_told(severity: Severity, quiet: bool) -> bool {
    !quiet || severity >= Severity::Wrong
}

pub(crate) fn tell(finding: &Finding, quiet: bool) {
    if is_told(finding.severity, quiet) {
        say(finding);
    }
}

/// Messages of several runs, each printed once.
#[derive(Debug, Default)]
pub(crate) struct ToldOnce(Vec<String>);

impl ToldOnce {
    /// Prints as [`tell`], unless already printed. Notes have no label.
    pub(crate) fn tell(&mut self, finding: &Finding, quiet: bool) {
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
