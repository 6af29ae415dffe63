//! `--quiet`: errors are told, and what makes figures other than they seem to be; nothing else.

use crate::finding::{Finding, Severity};
use crate::sys::standard_error::say;

/// Whether something so bad is told.
pub fn is_told(severity: Severity, quiet: bool) -> bool {
    !quiet || severity >= Severity::Wrong
}

/// Tells it, unless it is to be quiet about it.
pub fn tell(finding: &Finding, quiet: bool) {
    if is_told(finding.severity, quiet) {
        say(finding);
    }
}
