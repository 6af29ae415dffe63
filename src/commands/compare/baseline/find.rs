//! Baselines by their names, and their tests.

use crate::cli::CliError;
use crate::commands::shared::command_error::CommandError;
use crate::store::{Baseline, Store};
use crate::units::near::nearest;

pub(super) fn find_named(store: &Store, name: &str) -> Result<Baseline, CommandError> {
    store.baseline(name)?.ok_or_else(|| unknown_baseline_error(store, name))
}

pub(super) fn unknown_baseline_error(store: &Store, name: &str) -> CommandError {
    let names = store.baselines().unwrap_or_default();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let error = CliError::new(format!("there is no baseline '{name}'"));
    let hint = match (nearest(&known, name.as_bytes()), known.is_empty()) {
        (Some(meant), _) => format!("did you mean {meant}?"),
        (None, true) => "set one: diskspd baseline set NAME; --store names another history".to_owned(),
        (None, false) => format!("the baselines are {}", known.join(", ")),
    };
    error.hint(hint).into()
}

/// Returns the tests in the order of their first run.
pub(super) fn tests(baseline: &Baseline) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for run in &baseline.runs {
        if !found.contains(&run.test.as_str()) {
            found.push(&run.test);
        }
    }
    found
}
