//! `diskspd baseline set`: selection of reference runs for later ones.

use super::find::tests;
use super::side;
use crate::cli::Exit;
use crate::commands::experiments::foreseen;
use crate::commands::experiments::suite::kept::OF_SUITE;
use crate::commands::history::import;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output::print::print;
use crate::commands::shared::runs::stored;
use crate::experiments::compare::PlannedRuns;
use crate::experiments::selection::Selection;
use crate::store::{Baseline, BaselineRun, Store, StoreEntry, StoreIndex, SuiteNotes};
use crate::units::count_of;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Sets it; files are imported into the history first.
///
/// # Errors
/// Fails if a run cannot be found or read, or there is no history.
pub(super) fn set(store: &Store, name: &str, given: &[OsString]) -> Result<Exit, CommandError> {
    let (names, files): (Vec<_>, Vec<_>) =
        given.iter().flat_map(split_word).partition(|path| stored::name_of(path).is_some());
    let imported = import::taken_in(store, &files)?;
    let index = stored::open(store)?;
    let mut entries: Vec<StoreEntry> = match given.is_empty() {
        true => latest_runs(&index)?,
        false => Vec::new(),
    };
    for path in &names {
        entries.extend(index.find_named(stored::name_of(path).unwrap_or_default())?);
    }
    for id in imported {
        entries.extend(index.find_named(&id)?);
    }
    let mut runs: Vec<BaselineRun> = Vec::new();
    for entry in &entries {
        if !runs.iter().any(|run| run.id == entry.id) {
            runs.push(BaselineRun { id: entry.id.clone(), test: side::test_of(entry) });
        }
    }
    warn_of_few_runs(&runs);
    if runs.is_empty() {
        return Err("no run was found to set the baseline by".to_owned().into());
    }
    let replaced = store.baseline(name).ok().flatten().is_some();
    let asked = requested_notes(store, &entries);
    let baseline = Baseline { set_at: jiff::Timestamp::now().as_second(), asked, runs };
    store.set_baseline(name, &baseline)?;
    let before = if replaced { ", in place of the one before" } else { "" };
    print(&format!(
        "{name}: {}, {}{before}; check later with diskspd baseline check {name}\n",
        count_of(tests(&baseline).len(), "test"),
        count_of(baseline.runs.len(), "run")
    ))
}

/// Warns if a check with as many runs could not show a change of a test.
fn warn_of_few_runs(runs: &[BaselineRun]) {
    let mut tests: BTreeMap<&str, usize> = BTreeMap::new();
    runs.iter().for_each(|run| *tests.entry(&run.test).or_default() += 1);
    let Some(fewest) = tests.values().min() else { return };
    foreseen::warn(PlannedRuns::Sides([*fewest; 2]), tests.len(), false, |found| {
        let check = found.later.filter(|later| *later <= 2 * found.each);
        let check = check.map(|later| format!(", or check with --repeat {later}")).unwrap_or_default();
        format!("make {} runs of each test, as diskspd suite --repeat {0} does{check}", found.each)
    });
}

fn split_word(word: &OsString) -> Vec<PathBuf> {
    if Path::new(word).exists() {
        return vec![PathBuf::from(word)];
    }
    let parts = word.as_encoded_bytes().split(|byte| *byte == b',').filter(|part| !part.is_empty());
    parts.map(|part| crate::path::path(part).into_owned()).collect()
}

/// Returns the runs of the latest suite.
fn latest_runs(index: &StoreIndex) -> Result<Vec<StoreEntry>, CommandError> {
    let all = index.select(&Selection::default(), None)?;
    let suite_of =
        |entry: &StoreEntry| entry.about.tags.iter().find(|tag| tag.starts_with(OF_SUITE)).cloned();
    let last = all.iter().max_by_key(|entry| (suite_of(entry).is_some(), entry.kept_at()));
    let Some((last, tag)) = last.and_then(|entry| Some((entry, suite_of(entry)?))) else {
        return Err("no suite was run yet: run one (diskspd suite --list), or name files or @label"
            .to_owned()
            .into());
    };
    let same =
        |entry: &&StoreEntry| entry.about.label == last.about.label && suite_of(entry).as_ref() == Some(&tag);
    Ok(all.iter().filter(same).cloned().collect())
}

fn requested_notes(store: &Store, entries: &[StoreEntry]) -> SuiteNotes {
    let labels = entries.iter().filter_map(|entry| entry.about.label.as_deref());
    let mut notes = labels.filter_map(|label| store.suite(label).ok().flatten());
    notes.next().unwrap_or_default()
}
