//! The runs of the history as a side of a comparison, each with its test.

use crate::commands::compare::sides;
use crate::commands::experiments::suite::kept;
use crate::commands::shared::command_error::CommandError;
use crate::experiments::compare::{Side, SideRun};
use crate::finding::Finding;
use crate::store::{Baseline, Store, StoreEntry, StoreIndex};
use crate::sys::standard_error::print_line;

/// Returns the test of a run; without a suite, its work.
pub(super) fn test_of(entry: &StoreEntry) -> String {
    let tag = kept::test_of(&entry.about.tags);
    let words = || {
        let spans: Vec<String> = entry.work.iter().map(crate::store::SpanWork::words).collect();
        let targets = entry.targets.join(" ");
        format!("{} on {targets}", spans.join("; "))
    };
    tag.unwrap_or_else(words)
}

/// Returns the remaining runs of a baseline, and reports missing ones.
///
/// # Errors
/// Fails if a run cannot be read, or all are missing.
pub(super) fn of_baseline(
    store: &Store,
    index: &StoreIndex,
    name: &str,
    baseline: &Baseline,
) -> Result<(Side, Vec<StoreEntry>), CommandError> {
    let (mut runs, mut entries, mut gone) = (Vec::new(), Vec::new(), 0);
    for one in &baseline.runs {
        let found = index.find_named(&one.id).ok().and_then(|found| found.into_iter().next());
        let Some(entry) = found.filter(|entry| entry.id == one.id) else {
            gone += 1;
            continue;
        };
        runs.extend(of_entry(store, &entry, &one.test)?);
        entries.push(entry);
    }
    if runs.is_empty() {
        return Err(format!(
            "all {gone} runs of the baseline {name} were removed from the history: set it again with diskspd \
             baseline set {name}"
        )
        .into());
    }
    if gone > 0 {
        print_line(Finding::warning(format!(
            "{gone} of {} runs of the baseline {name} were removed from the history; the others are compared",
            baseline.runs.len()
        )));
    }
    let name = format!("baseline {name}");
    Ok((Side { runs: sides::each_once(runs, &name), name }, entries))
}

pub(super) fn of_entry(store: &Store, entry: &StoreEntry, test: &str) -> Result<Vec<SideRun>, CommandError> {
    let runs = sides::read_file(&store.file(&entry.id, entry.source), &format!("@{}", entry.id))?;
    Ok(runs.into_iter().map(|run| SideRun { test: Some(test.to_owned()), ..run }).collect())
}
