//! Earlier runs of the same work on the same machine from the history. They show the natural variation
//! between sessions.

use super::sides;
use crate::commands::shared::input::load_runs;
use crate::commands::shared::runs::side_run;
use crate::commands::shared::runs::stored;
use crate::experiments::compare::{SESSION_MS, Side, SideRun};
use crate::experiments::selection::Selection;
use crate::results::RunSummary;
use crate::store::{RunNotes, StoreEntry, StoredForm};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Maximum number of latest runs of one workload that are read.
pub(crate) const MAX_RUNS: usize = 200;

const MAX_SESSION_RUNS: usize = 8;

/// Returns the earlier runs; empty without a readable history, with a message. `most`: maximum number of
/// the latest runs.
pub(crate) fn runs(sides: [&Side; 2], store: Option<&Path>, most: usize) -> Vec<SideRun> {
    find_earlier(sides, store, most).unwrap_or_default()
}

fn find_earlier(sides: [&Side; 2], given: Option<&Path>, most: usize) -> Option<Vec<SideRun>> {
    let store = stored::store(given).ok().filter(|store| store.is_there())?;
    let known = || sides.into_iter().flat_map(|side| &side.runs).map(|run| &run.known);
    let work: BTreeSet<(String, Option<String>)> = known().map(workload_and_computer).collect();
    let compared: BTreeSet<&str> = known().filter_map(|run| run.identity.as_deref()).collect();
    let entries = store.open_to_look().ok()?.select(&Selection::default(), None).ok()?;
    let same = |entry: &&StoreEntry| {
        let is_compared = entry.run.identity.as_deref().is_some_and(|identity| compared.contains(identity));
        work.contains(&(entry.workload.clone(), entry.run.computer())) && !is_compared
    };
    let mut of_session: BTreeMap<String, (i64, usize)> = BTreeMap::new();
    // A day of many runs must not push out the days before: a session has one level.
    let is_among_first = |entry: &&StoreEntry| {
        let session = of_session.entry(entry.workload.clone()).or_insert((i64::MAX, 0));
        let goes_on = session.0.saturating_sub(entry.time_of_run()).abs() < SESSION_MS / 1000;
        *session = (entry.time_of_run(), if goes_on { session.1 + 1 } else { 1 });
        session.1 <= MAX_SESSION_RUNS
    };
    // What tells boots apart isn't in a record's index: all of it is read where they count.
    let by_boots = share_no_boot(sides);
    let read = |entry: &StoreEntry| {
        let file = store.file(&entry.id, entry.source);
        match by_boots {
            true => sides::read_file(&file, "").ok(),
            false => Some(load_runs::known_runs(&file).ok()?.into_iter().map(side_run::of_known).collect()),
        }
    };
    let runs = entries.iter().rev().filter(same).filter(is_among_first).take(most).filter_map(read);
    Some(runs.flatten().collect())
}

/// Whether every run says in which boot it was made, and no boot has runs of both sides.
fn share_no_boot(sides: [&Side; 2]) -> bool {
    let boots =
        sides.map(|side| side.runs.iter().map(|run| run.boot.as_deref()).collect::<Option<BTreeSet<&str>>>());
    matches!(&boots, [Some(first), Some(other)] if first.is_disjoint(other))
}

fn workload_and_computer(run: &RunSummary) -> (String, Option<String>) {
    let entry = StoreEntry::new("", StoredForm::Record, RunNotes::default(), run.clone());
    (entry.workload, run.computer())
}
