//! Rules about how the file systems beneath the targets are mounted.

use super::{Seen, found};
use crate::system::storage::FileSystem;
use crate::truth::{Finding, Severity};

/// Applies a rule to every file system once; a finding is about the first target on it.
fn each(seen: &Seen, rule: impl Fn(&FileSystem) -> Option<Finding>) -> Vec<Finding> {
    let mut told = Vec::new();
    let mut findings = Vec::new();
    for target in seen.targets {
        let Some(file_system) = &target.file_system else { continue };
        if told.contains(&&file_system.mounted_at) {
            continue;
        }
        told.push(&file_system.mounted_at);
        findings.extend(rule(file_system).map(|finding| finding.on(&target.path)));
    }
    findings
}

fn option<'a>(file_system: &'a FileSystem, wanted: &[&str]) -> Option<&'a str> {
    file_system.options.split(',').find(|option| wanted.contains(option))
}

/// Every write waits until the device has it, asked for or not.
pub(super) fn sync(seen: &Seen) -> Vec<Finding> {
    each(seen, |file_system| {
        let option = option(file_system, &["sync"])?;
        let message = format!(
            "the file system at {} writes everything through to the device before a write ends, as -Sw does",
            file_system.mounted_at
        );
        Some(found(Severity::Warning, message).shown_by(format!("mount option {option}")))
    })
}

/// Flushes then don't reach the device: `-Sw` and `-Sh` measure writes that its cache may lose.
pub(super) fn without_barriers(seen: &Seen) -> Vec<Finding> {
    each(seen, |file_system| {
        let option = option(file_system, &["nobarrier", "barrier=0"])?;
        let message = format!(
            "the file system at {} keeps flushes from the device: writes with -Sw and -Sh are not durable when they end",
            file_system.mounted_at
        );
        Some(found(Severity::Warning, message).shown_by(format!("mount option {option}")))
    })
}
