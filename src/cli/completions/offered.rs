//! Completions common to every shell.

use crate::cli::command_line::Takes;
use crate::cli::commands::{Command, all_names};
use crate::cli::flags;
use crate::cli::option::OptionRow;

pub(super) enum Beside {
    Nothing,
    Files,
    Words(String),
}

pub(super) fn beside(command: &Command) -> Beside {
    match (command.takes, command.takes.words(all_names)) {
        (Takes::Nothing, _) => Beside::Nothing,
        (_, Some(words)) => Beside::Words(words.join(" ")),
        _ => Beside::Files,
    }
}

pub(super) fn of_runs() -> Vec<OptionRow> {
    flags::all().map(OptionRow::from_flag).collect()
}
