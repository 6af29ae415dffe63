//! The runs of a suite in the history. All have the same label, and each has the name of its test.

use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::runs::completed_run::CompletedResults;
use crate::commands::shared::runs::{save, stored};
use crate::finding::Finding;
use crate::run::HangGuard;
use crate::store::{RunNotes, Store, SuiteNotes};
use crate::sys::standard_error::print_line;
use std::path::Path;

pub(crate) const OF_SUITE: &str = "suite:";
const OF_TEST: &str = "test:";

pub(crate) fn test_of(tags: &[String]) -> Option<String> {
    tags.iter().find_map(|tag| tag.strip_prefix(OF_TEST)).map(str::to_owned)
}

pub(crate) struct SuiteKeeper {
    store: Store,
    suite: String,
    pub label: String,
    pub before: usize,
}

impl SuiteKeeper {
    /// Checks that runs can be kept, and chooses their label: `nightly.3` is the third run of a suite.
    pub(crate) fn open(given: Option<&Path>, notes: &SuiteNotes) -> Result<SuiteKeeper, CommandError> {
        let store = stored::store(given)?;
        let tried = {
            let store = store.clone();
            HangGuard::default().attempt("the history", move || store.try_out())
        };
        tried.map_err(|unanswered| format!("the history: {unanswered}"))??;
        let prefix = format!("{}.", notes.suite);
        let numbers = store.suites()?;
        let numbers = numbers.iter().filter_map(|label| label.strip_prefix(&prefix)?.parse::<usize>().ok());
        let before = numbers.max().unwrap_or(0);
        let label = format!("{prefix}{}", before + 1);
        store.keep_suite(&label, notes)?;
        Ok(SuiteKeeper { store, suite: notes.suite.clone(), label, before })
    }

    /// Keeps a run; returns its id.
    ///
    /// # Errors
    /// Fails if it cannot be kept, with its actual location.
    pub(crate) fn keep(&self, results: &CompletedResults, test: &str) -> Result<String, CommandError> {
        let about = RunNotes {
            label: Some(self.label.clone()),
            tags: vec![format!("{OF_SUITE}{}", self.suite), format!("{OF_TEST}{test}")],
            saved_at: jiff::Timestamp::now().as_second(),
            ..RunNotes::default()
        };
        let (store, results) = (self.store.clone(), results.clone());
        let kept =
            HangGuard::default().attempt("the history", move || save::keep_run(&store, &results, about));
        let kept = kept.map_err(|unanswered| format!("the run is not kept: {unanswered}"))??;
        if let Err(error) = kept.index {
            print_line(Finding::warning(format!(
                "the run is kept, but lists show it only once the index can be written again: {error}"
            )));
        }
        Ok(kept.id)
    }
}
