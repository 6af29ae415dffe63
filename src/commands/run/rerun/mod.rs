//! Changes since the original run of a rerun.

use crate::finding::Finding;
use crate::machine::System;
use crate::machine::fingerprint::Fingerprint;
use crate::sys::standard_error::print_line;

/// Prints the differences between this machine and the recorded one, one line each.
pub(crate) fn tell_differences(before: &System, now: &System) {
    if before.computer_name != now.computer_name {
        let (before, now) = (&before.computer_name, &now.computer_name);
        print_line(Finding::note(format!("recorded on '{before}'; this is '{now}'")));
    }
    let recorded = before.fingerprint.clone().unwrap_or_else(|| Fingerprint::from_system(before));
    let found = now.fingerprint.clone().unwrap_or_else(|| Fingerprint::from_system(now));
    for difference in recorded.differences(&found) {
        let value = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
        let (part, before, now) = (difference.part, value(difference.first), value(difference.other));
        print_line(Finding::note(format!("{part}: {now}, and {before} in the record")));
    }
}
