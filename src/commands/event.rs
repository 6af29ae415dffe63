//! Events between processes: `-ye`, and `diskspd event`, by which scripts take part.

use super::output;
use crate::cli::{EXIT_RUN_FAILED, EXIT_SUCCESS, EventAction};
use crate::profile::RawText;
use crate::run::events::{self, EventError};
use crate::sys::standard_error::say;

/// `-ye`: sets events that exist, and says so. The exit code is [`EXIT_RUN_FAILED`] either way, as
/// DISKSPD's: there was no run.
pub fn set_all(names: &[RawText]) -> u8 {
    try_all(names);
    EXIT_RUN_FAILED
}

/// The same; false = one of them can't be set, and those behind it were not tried.
pub fn try_all(names: &[RawText]) -> bool {
    names.iter().all(|name| {
        let set = events::open_existing(name.as_bytes()).and_then(|event| event.set());
        match set {
            Ok(()) => output::to_stdout(format!("event '{name}' is set\n").as_bytes()) == EXIT_SUCCESS,
            Err(error) => {
                say(format_args!("ERROR: -ye{name}: {error}"));
                false
            }
        }
    })
}

/// `diskspd event`; returns the exit code.
pub fn act(action: EventAction, name: &RawText) -> u8 {
    match try_to(action, name.as_bytes()) {
        Ok(()) => EXIT_SUCCESS,
        Err(error) => {
            say(format_args!("ERROR: event '{name}': {error}"));
            EXIT_RUN_FAILED
        }
    }
}

fn try_to(action: EventAction, name: &[u8]) -> Result<(), EventError> {
    match action {
        EventAction::Wait => events::wait(&*events::open(name)?),
        EventAction::Set => events::open_existing(name)?.set(),
        EventAction::Reset => events::open_existing(name)?.reset(),
    }
}
