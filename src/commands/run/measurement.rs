//! The result of a single run, and its place among several.

use crate::cli::Exit;
use crate::commands::shared::console::display::{Display, Step};
use crate::commands::shared::output::EarlierReports;
use crate::commands::shared::runs::completed_run::CompletedResults;
use crate::commands::shared::runs::runnable::Runnable;
use crate::run::Control;
use std::sync::Arc;

pub(crate) struct Measurement {
    pub exit: Exit,
    pub results: CompletedResults,
    /// Whether the user ended the run early.
    pub interrupted: bool,
}

/// Context of a run among several equal runs.
pub(crate) struct RunTurn<'a> {
    pub name: String,
    /// Common display; the run is its current step.
    pub display: Arc<Display>,
    /// Reports of earlier runs in the same files, extended by this run's reports.
    pub earlier: &'a mut EarlierReports,
    /// Control that ends all runs, also between two of them.
    pub control: &'a Arc<Control>,
    pub reports: bool,
}

/// The display of a run: its own, or the display of all runs of which it is a step.
pub(crate) fn display(turn: Option<&RunTurn>, run: &Runnable, quiet: bool) -> Arc<Display> {
    turn.map(|turn| Arc::clone(&turn.display)).unwrap_or_else(|| {
        let display = Display::new(quiet);
        display.begin(Step { name: String::new(), left_s: run.planned_seconds() });
        display
    })
}
