//! Rules of shares of other operations than reads and writes (`--trim`), and of durable writes (`--fua`).

use super::Case;
use crate::{OperationShares, Profile, RunOptions};
use diskspd_base::finding::{Finding, Severity};
use diskspd_base::operation::{AuxRow, Operation, ShareRow};

pub(super) fn check(case: &Case) -> Vec<Finding> {
    let Case { target, span, .. } = case;
    let mut findings = Vec::new();
    let mut refuse = |rule, message: String| findings.push(share_error(rule, message));
    for (op, row, share) in requested_shares(target.shares) {
        let (option, what, name) = (row.option, row.plural, share.name);
        let said = format!("{option} (linux:{})", share.element);
        if target.shares.percent(op) > 100 {
            refuse("T1", format!("{said}: the {name} is at most 100 %; give 1 to 100"));
        }
        if target.memory_mapped_io {
            refuse(
                "T2",
                format!(
                    "{said} and -Sm (MemoryMappedIo) exclude each other: memory-mapped I/O has no {what}; \
                     leave out one of them"
                ),
            );
        }
        if span.completion_routines {
            refuse(
                "T3",
                format!(
                    "{said} and completion routines (-x, CompletionRoutines) exclude each other: routines \
                     submit only reads and writes; leave out one of them"
                ),
            );
        }
    }
    let several = target.shares.replacements().count() > 1;
    if several && target.shares.sum() > 100 && findings.iter().all(|found| found.name != "T1") {
        let options: Vec<&str> = target.shares.replacements().map(|(_, row, _)| row.option).collect();
        let message = format!(
            "{}: together they are {} % of the I/Os, and at most 100 % are possible; lower one of them",
            options.join(" and "),
            target.shares.sum()
        );
        findings.push(share_error("T6", message));
    }
    findings
}

pub(super) fn with_run_options(run_options: &RunOptions, profile: &Profile) -> Vec<Finding> {
    let targets = || profile.time_spans.iter().flat_map(|span| &span.targets);
    let mut findings = Vec::new();
    for (op, row, share) in Operation::shared() {
        if targets().all(|target| target.shares.percent(op) == 0) {
            continue;
        }
        let (option, what) = (row.option, row.plural);
        if run_options.poll {
            let message = format!(
                "{option} (linux:{}) and --poll exclude each other: a polled ring does no {what}; leave out \
                 one of them",
                share.element
            );
            findings.push(share_error("T4", message));
        }
        if run_options.verify.is_some() && !share.of_writes {
            let message = format!(
                "--verify and {option} exclude each other: {}; leave out one of them",
                share.unverifiable
            );
            findings.push(share_error("T5", message));
        }
    }
    findings
}

fn requested_shares(
    shares: OperationShares,
) -> impl Iterator<Item = (Operation, &'static AuxRow, &'static ShareRow)> {
    Operation::shared().filter(move |(op, ..)| shares.percent(*op) > 0)
}

fn share_error(rule: &'static str, message: String) -> Finding {
    Finding::of_machine(rule, Severity::Error, message)
}
