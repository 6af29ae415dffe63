//! Text for standard output.

use crate::cli::Exit;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output;

pub(crate) fn print(text: &str) -> Result<Exit, CommandError> {
    output::to_stdout(text.as_bytes())
}
