//! Text for standard output.

use super::command_error::CommandError;
use super::output;
use crate::cli::Exit;

pub(super) fn print(text: &str) -> Result<Exit, CommandError> {
    output::to_stdout(text.as_bytes())
}
