//! Input of the environment rules.

use crate::{Finding, Severity};
use diskspd_machine::System;
use diskspd_machine::environment::{Disk, Environment};
use diskspd_machine::storage::Storage;

#[derive(Debug, Clone, Copy)]
pub(super) struct HostFacts<'a> {
    pub(super) system: &'a System,
    pub(super) environment: &'a Environment,
    pub(super) targets: &'a [&'a Storage],
}

impl HostFacts<'_> {
    pub(super) fn on_disk(&self, disk: &Disk, finding: Finding) -> Finding {
        match disk.targets.as_slice() {
            [only] => match self.targets.get(only.index()) {
                Some(target) => finding.on_target(&target.path),
                None => finding,
            },
            _ => finding,
        }
    }
}

pub(super) fn new_finding(severity: Severity, message: impl Into<String>) -> Finding {
    Finding::of_machine("", severity, message.into())
}
