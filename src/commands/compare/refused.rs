//! Runs that can't be compared.

use crate::commands::not_done::NotDone;
use crate::finding::Finding;
use crate::lab::compare::{self, SideDifference};

pub fn refused(differences: &[SideDifference]) -> NotDone {
    let finding = |difference| {
        Finding::error(format!("these runs can't be compared: {}", compare::sentence(difference)))
    };
    let mut findings: Vec<Finding> = differences.iter().map(finding).collect();
    if let Some(last) = findings.pop() {
        let remedy = "different workloads have no common scale: give both sides the same options (before and \
                      after ::); --anyway compares them nevertheless";
        findings.push(last.remedy(remedy));
    }
    NotDone::usage(findings)
}
