//! Machine-specific commands: runs, devices, privileges. `windows.rs` is the counterpart on
//! Windows.

use crate::cli::{Exit, compatibility};
pub(super) use crate::commands::cluster::hosts::hosts;
pub(super) use crate::commands::cluster::{first_alone, in_job, let_first_report, read_back, refuse};
pub(super) use crate::commands::machine::event::set_all as set_events;
pub(super) use crate::commands::machine::privileges::{drop_privileges, privileges};
pub(super) use crate::commands::run::judge::judge;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output::print::print;
use crate::run::destination;
use crate::sys::process;
use std::ffi::OsString;

/// Returns the arguments unchanged.
pub(super) fn to_typed_arguments(arguments: Vec<OsString>) -> Vec<OsString> {
    arguments
}

/// Refuses standard output and standard error that would overwrite storage in use. A message about standard
/// error goes to standard output.
///
/// # Errors
/// Fails with the users of the file.
pub(super) fn permit_streams() -> Result<(), CommandError> {
    let output = destination::refuse_stream(1, "standard output");
    if let Err(refused) = destination::refuse_stream(2, "standard error") {
        process::replace_standard_error(output.is_ok());
        return Err(refused.into());
    }
    Ok(output?)
}

pub(super) fn print_compatibility() -> Result<Exit, CommandError> {
    print(&compatibility::table())
}
