//! Selection of printed findings: `--quiet` prints errors and misleading figures. Commands with several
//! runs print each finding once.

use crate::finding::{Finding, Severity};
use crate::sys::standard_error::print_line;

pub(crate) fn is_reported(severity: Severity, quiet: bool) -> bool {
    !quiet || severity >= Severity::Wrong
}

pub(crate) fn report_finding(finding: &Finding, quiet: bool) {
    if is_reported(finding.severity, quiet) {
        print_line(finding);
    }
}

/// Messages of several runs; equal ones are printed once.
#[derive(Debug, Default)]
pub(crate) struct MessageFilter(Vec<String>);

impl MessageFilter {
    /// Prints as [`report_finding`], unless already printed. Notes have no label.
    pub(crate) fn report_finding(&mut self, finding: &Finding, quiet: bool) {
        if !is_reported(finding.severity, quiet) || self.0.contains(&finding.message) {
            return;
        }
        self.0.push(finding.message.clone());
        match finding.severity {
            Severity::Note => print_line(&finding.message),
            _ => print_line(finding),
        }
    }
}
