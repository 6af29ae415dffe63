//! Rules about the targets' file systems: mount options and free space.

use super::{HostFacts, new_finding};
use crate::{Finding, Severity};
use diskspd_figures::units::Size;
use diskspd_machine::file_systems::{FileSystemType, Trait};
use diskspd_machine::stack::dropping_option;
use diskspd_machine::storage::FileSystem;

/// Applies a rule to every file system once; a finding is about the first target on it.
fn check_file_systems(seen: &HostFacts, rule: impl Fn(&FileSystem) -> Option<Finding>) -> Vec<Finding> {
    let mut told = Vec::new();
    let mut findings = Vec::new();
    for target in seen.targets {
        let Some(file_system) = &target.file_system else { continue };
        if told.contains(&&file_system.mounted_at) {
            continue;
        }
        told.push(&file_system.mounted_at);
        findings.extend(rule(file_system).map(|finding| finding.on_target(&target.path)));
    }
    findings
}

fn mount_option<'a>(file_system: &'a FileSystem, wanted: &[&str]) -> Option<&'a str> {
    file_system.options.split(',').find(|option| wanted.contains(option))
}

pub(super) fn sync(seen: &HostFacts) -> Vec<Finding> {
    check_file_systems(seen, |file_system| {
        let option = mount_option(file_system, &["sync"])?;
        let message = format!(
            "the file system at {} writes everything through to the device before a write completes, like \
             -Sw",
            file_system.mounted_at
        );
        Some(new_finding(Severity::Warning, message).shown_by(format!("mount option {option}")))
    })
}

/// Reports mounts without barriers, where `-Sw` and `-Sh` measure writes that the device's cache may lose.
pub(super) fn without_barriers(seen: &HostFacts) -> Vec<Finding> {
    check_file_systems(seen, |file_system| {
        let option = dropping_option(&file_system.kind, &file_system.options)?;
        let message = format!(
            "the file system at {} suppresses flushes: writes with -Sw and -Sh are not durable on completion",
            file_system.mounted_at
        );
        Some(new_finding(Severity::Warning, message).shown_by(format!("mount option {option}")))
    })
}

/// Reports less than a tenth of free space on writable file systems. Copy-on-write needs free space for every
/// write.
pub(super) fn full(seen: &HostFacts) -> Vec<Finding> {
    check_file_systems(seen, |file_system| {
        if mount_option(file_system, &["ro"]).is_some() {
            return None;
        }
        let (size, available) = (file_system.size.filter(|&size| size > 0)?, file_system.available?);
        if available >= size / 10 {
            return None;
        }
        let needs_space = FileSystemType::from_name(&file_system.kind).has_trait(Trait::NeverInPlace);
        let severity = if needs_space { Severity::Warning } else { Severity::Note };
        let message = format!("the file system at {} is nearly full", file_system.mounted_at);
        let left = format!("{}: {} of {} left", file_system.kind, Size(available), Size(size));
        Some(new_finding(severity, message).shown_by(left))
    })
}
