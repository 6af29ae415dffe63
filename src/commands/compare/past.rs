//! Earlier runs of the same work on the same machine, out of the history: they tell what it does by itself
//! between one session and the next.

use super::super::known_runs;
use super::super::stored;
use crate::lab::compare::{SESSION_MS, Side, SideRun};
use crate::lab::selection::Selection;
use crate::results::RunSummary;
use crate::store::{KeptAs, RunNotes, StoreEntry};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// So many of the latest are looked at, of one workload: each is read from its file.
pub const MOST: usize = 200;

/// So many of a session.
const MOST_OF_SESSION: usize = 8;

/// The earlier runs; none where there is no history, or it can't be read: then less is known, and that is
/// told. `most`: how many of the latest are looked at.
pub fn runs(sides: [&Side; 2], store: Option<&Path>, most: usize) -> Vec<SideRun> {
    found(sides, store, most).unwrap_or_default()
}

fn found(sides: [&Side; 2], given: Option<&Path>, most: usize) -> Option<Vec<SideRun>> {
    let store = stored::store(given).ok().filter(|store| store.is_there())?;
    let known = || sides.into_iter().flat_map(|side| &side.runs).map(|run| &run.known);
    let work: BTreeSet<(String, Option<String>)> = known().map(of).collect();
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
        let goes_on = session.0.saturating_sub(entry.at()).abs() < SESSION_MS / 1000;
        *session = (entry.at(), if goes_on { session.1 + 1 } else { 1 });
        session.1 <= MOST_OF_SESSION
    };
    let read = |entry: &StoreEntry| known_runs::known_runs(&store.file(&entry.id, entry.source)).ok();
    let runs = entries.iter().rev().filter(same).filter(is_among_first).take(most).filter_map(read).flatten();
    let side_run = |known: RunSummary| SideRun {
        began_ms: known.started_at.map(|at| at.saturating_mul(1000)),
        known,
        environment: BTreeMap::new(),
        run_options: BTreeMap::new(),
        boot: None,
        test: None,
    };
    Some(runs.map(side_run).collect())
}

/// What tells work and machine from others, as the history does.
fn of(run: &RunSummary) -> (String, Option<String>) {
    let entry = StoreEntry::of("", KeptAs::Record, RunNotes::default(), run.clone());
    (entry.workload, run.computer())
}
