//! Text for standard output.

use super::not_done::NotDone;
use super::output;
use crate::cli::Exit;

pub(super) fn print(text: &str) -> Result<Exit, NotDone> {
    output::to_stdout(text.as_bytes())
}
