//! `diskspd devices`.

use super::Command;
use crate::cli::Invocation;
use crate::cli::command_line::Operands;
use crate::cli::option::AS_JSON;

pub(super) const DEVICES: Command = Command {
    name: "devices",
    arguments: "[--json]",
    help: "list the block devices: number for #<n>, size, model, queue, users",
    options: &[AS_JSON],
    exclusive: &[],
    takes: Operands::Nothing,
    examples: &[
        ("diskspd devices", "a line for each"),
        ("diskspd devices --json", "for programs, with partitions"),
    ],
    make: |line| Ok(Invocation::Devices { json: line.has_option(&AS_JSON) }),
};
