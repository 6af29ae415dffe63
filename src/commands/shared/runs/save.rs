//! `--save`: the run is stored in the history.

use super::completed_run::CompletedResults;
use super::{message_filter, stored};
use crate::checks::JudgedRecord;
use crate::cli::{Exit, RunRequest};
use crate::commands::shared::command_error::CommandError;
use crate::finding::Finding;
use crate::run::HangGuard;
use crate::store::{ImportOutcome, RunNotes, Store, StoreError, StoredForm};
use crate::sys::standard_error::print_line;

/// Checks before the run that it can be stored.
pub(crate) fn try_out(request: &RunRequest, patience: &HangGuard) -> Result<(), CommandError> {
    if request.save.is_none() {
        return Ok(());
    }
    let store = stored::store(request.store.as_deref())?;
    let tried = patience.attempt("--save", move || store.try_out());
    let tried = tried.map_err(|unanswered| format!("--save: {unanswered}"))?;
    Ok(tried.map_err(|error| format!("--save: {error}"))?)
}

/// Keeps the run, if requested, and prints its name.
///
/// # Errors
/// Fails if it cannot be kept, with its actual location.
pub(crate) fn save(
    results: &CompletedResults,
    request: &RunRequest,
    patience: &HangGuard,
) -> Result<Exit, CommandError> {
    let Some(asked) = &request.save else { return Ok(Exit::Success) };
    if results.record().is_some_and(|record| !record.host().results.have_figures()) {
        let warning = Finding::warning("--save: the run is not kept: no I/O was measured");
        message_filter::report_finding(&warning, request.quiet);
        return Ok(Exit::Success);
    }
    let about = RunNotes {
        label: asked.label.clone(),
        saved_at: jiff::Timestamp::now().as_second(),
        ..RunNotes::default()
    };
    let store = stored::store(request.store.as_deref())?;
    let saved = {
        let results = results.clone();
        patience.attempt("--save", move || keep_run(&store, &results, about))
    };
    let saved = saved.map_err(|unanswered| format!("--save: the run is not kept: {unanswered}"))?;
    let saved = saved.map_err(|error| format!("--save: {error}"))?;
    if let Err(error) = saved.index {
        let warning = Finding::warning(format!(
            "--save: the run is kept, but lists show it only once the index can be written again: {error}"
        ));
        message_filter::report_finding(&warning, request.quiet);
    }
    if !request.quiet {
        let label = asked.label.as_ref().map(|label| format!(", one of @{label}")).unwrap_or_default();
        print_line(format_args!("kept as @{}{label}", saved.id));
    }
    Ok(Exit::Success)
}

pub(crate) struct KeptInStore {
    pub id: String,
    pub index: Result<(), StoreError>,
}

/// Keeps the results: a record, or the unchanged results of DISKSPD.
///
/// # Errors
/// Fails if they are not kept, with their actual location.
pub(crate) fn keep_run(
    store: &Store,
    results: &CompletedResults,
    about: RunNotes,
) -> Result<KeptInStore, StoreError> {
    match results {
        CompletedResults::Here(record) => {
            let saved = store.save(&JudgedRecord::new(record), about)?;
            Ok(KeptInStore { id: saved.kept.id, index: saved.index })
        }
        CompletedResults::ByTool(made) => {
            let imported = store.open()?.import(StoredForm::ResultXml, &made.document, about)?;
            let (ImportOutcome::New(id) | ImportOutcome::Known(id)) = imported;
            Ok(KeptInStore { id, index: Ok(()) })
        }
    }
}
