//! Runs that are not comparable.

use crate::commands::shared::command_error::CommandError;
use crate::experiments::compare::{self, SideDifference};
use crate::finding::Finding;

pub(crate) fn refuse_differences(differences: &[SideDifference]) -> CommandError {
    let finding = |difference| {
        Finding::error(format!("these runs cannot be compared: {}", compare::sentence(difference)))
    };
    let mut findings: Vec<Finding> = differences.iter().map(finding).collect();
    if let Some(last) = findings.pop() {
        let remedy = "different workloads have no common scale: give both sides the same options (before \
                      and after ::); --anyway compares them regardless";
        findings.push(last.remedy(remedy));
    }
    CommandError::usage(findings)
}
