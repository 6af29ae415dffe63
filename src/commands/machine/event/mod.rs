//! Events between processes: `-ye`, and `diskspd event`, by which scripts take part.

use crate::cli::{EventAction, Exit};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output;
use crate::profile::RawText;
use crate::run::events::{self, EventError};

/// `-ye`: sets existing events, and prints them. It stops at the first failure.
///
/// # Errors
/// Fails if an event cannot be set, or output fails.
pub(crate) fn set_all(names: &[RawText]) -> Result<(), CommandError> {
    for name in names {
        let set = events::open_existing(name.as_bytes()).and_then(|event| event.set());
        set.map_err(|error| format!("-ye{name}: {error}"))?;
        output::to_stdout(format!("event '{name}' is set\n").as_bytes())?;
    }
    Ok(())
}

/// Executes `diskspd event`.
pub(crate) fn act(action: EventAction, name: &RawText) -> Result<Exit, CommandError> {
    try_to(action, name.as_bytes()).map_err(|error| format!("event '{name}': {error}"))?;
    Ok(Exit::Success)
}

fn try_to(action: EventAction, name: &[u8]) -> Result<(), EventError> {
    match action {
        EventAction::Wait => events::wait(&*events::open(name)?),
        EventAction::Set => events::open_existing(name)?.set(),
        EventAction::Reset => events::open_existing(name)?.reset(),
    }
}
