//! Handling of Ctrl-C and other signals that end runs, while the returned value is kept.

use crate::commands::shared::command_error::CommandError;
use crate::run::events::{self, Event};
use crate::run::{self, Control};
use std::sync::Arc;

/// Ends a run on a signal, as the event of `-yp` does; `document`: standard output contains only a
/// document.
pub(crate) fn ends_a_run(
    control: &Arc<Control>,
    stop: Option<Arc<Event>>,
    document: bool,
) -> Result<impl Sized + use<>, CommandError> {
    let signals = run::watch(Arc::clone(control), stop.clone(), document)?;
    let event = stop.map(|event| events::stop_when_set(event, Arc::clone(control))).transpose();
    Ok((signals, event.map_err(|error| format!("-yp: {error}"))?))
}

/// It ends all runs of a command that makes several, between two of them too.
pub(crate) fn ends_several(control: &Arc<Control>) -> Result<impl Sized + use<>, CommandError> {
    Ok(run::watch(Arc::clone(control), None, true)?)
}

/// Does the same silently, because the current run or the first rank prints the message.
pub(crate) fn ends_silently(control: &Arc<Control>) -> Result<impl Sized + use<>, CommandError> {
    Ok(run::watch_silently(Arc::clone(control))?)
}
