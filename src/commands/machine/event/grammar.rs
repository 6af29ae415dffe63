//! `diskspd event`.

use super::Command;
use crate::cli::command_line::Operands;
use crate::cli::error::CliError;
use crate::cli::{EventAction, Invocation};
use crate::profile::RawText;

pub(super) const EVENT: Command = Command {
    name: "event",
    arguments: "wait|set|reset <event>",
    help: "wait for an event (of -ys, -yf, -yr, -yp), set it, or reset it",
    options: &[],
    exclusive: &[],
    takes: Operands::OneOf(|| vec!["wait", "set", "reset"]),
    examples: &[
        ("diskspd event set go", "start the run that waits with -yrgo"),
        ("diskspd event wait done", "wait for the end of the run with -yfdone"),
    ],
    make: |line| {
        let [action, name] = match &line.words[..] {
            [_] => return Err(CliError::new("the name of the event is missing")),
            [action, name] => [action, name],
            _ => return Err(line.wrong()),
        };
        let action = match action.as_encoded_bytes() {
            b"wait" => EventAction::Wait,
            b"set" => EventAction::Set,
            _ => EventAction::Reset,
        };
        Ok(Invocation::Event { action, name: RawText::from(name.as_encoded_bytes().to_vec()) })
    },
};
