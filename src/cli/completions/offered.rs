//! Completions common to every shell.

use crate::cli::command_line::Operands;
use crate::cli::commands::{Command, all_names};
use crate::cli::flags;
use crate::cli::option::OptionRow;

pub(super) enum ExtraCompletion {
    Nothing,
    Files,
    Words(String),
}

pub(super) fn extra_completion(command: &Command) -> ExtraCompletion {
    match (command.takes, command.takes.words(all_names)) {
        (Operands::Nothing, _) => ExtraCompletion::Nothing,
        (_, Some(words)) => ExtraCompletion::Words(words.join(" ")),
        _ => ExtraCompletion::Files,
    }
}

pub(super) fn of_runs() -> Vec<OptionRow> {
    flags::all().map(OptionRow::from_flag).collect()
}
