//! Validation of all tests on this machine, before the first run.

use super::source::PlannedTest;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::runs::runnable::SpanOutlook;
use crate::finding::Finding;
use crate::host;
use crate::profile::RawText;
use std::collections::BTreeSet;

/// Checks every test; a dry run starts no program.
///
/// # Errors
/// Fails with the errors of all tests that cannot be run. A file that an earlier test creates may be missing.
pub(crate) fn machine(tests: &[PlannedTest], dry_run: bool) -> Result<(), CommandError> {
    let system = host::snapshot();
    let mut made: BTreeSet<RawText> = BTreeSet::new();
    let mut found = Vec::new();
    for planned in tests {
        let place = format!("test '{}'", planned.test.name);
        let refused = planned.run.beyond_diskspd();
        if !refused.is_empty() {
            return Err(CommandError::usage(refused).at_place(&place));
        }
        if !dry_run {
            planned.run.tool().map_err(|fault| CommandError::from(fault).at_place(&place))?;
        }
        let Some(span) = planned.run.profile.time_spans.first() else { continue };
        let made_before = |path: &RawText| made.contains(path);
        let are_made = || span.targets.iter().all(|target| made_before(&target.path));
        let outlook = planned.run.outlook(&system).filter(|found| found.plan.is_ok() || !are_made());
        let messages = outlook.map(SpanOutlook::messages).unwrap_or_default();
        let located = |message: &String| Finding::error(format!("{place}: {message}"));
        found.extend(messages.iter().map(located));
        let creates = span.targets.iter().filter(|target| target.file_size.is_some());
        made.extend(creates.map(|target| target.path.clone()));
    }
    if found.is_empty() { Ok(()) } else { Err(CommandError::usage(found)) }
}
