//! The first line from a host, and errors of the connection.

use crate::cli::help;
use crate::commands::shared::command_error::CommandError;
use std::io;

/// Separates the messages from the text of a login, and names the version.
pub(super) fn greeting() -> String {
    format!("diskspd hosts: {}", help::version())
}

pub(super) fn stream_error(why: io::Error) -> CommandError {
    CommandError::failed([format!("hosts: {why}")])
}
